const context = 3;

/**
 * The difference between two values as Go prints them in several lines: Kubernetes shows attempted changes in this
 * form. Begins with a line end; '' when the values are equal.
 */
export function goDiff(before: unknown, after: unknown): string {
  const [old, fresh] = [before, after].map((value) => JSON.stringify(value, undefined, 1).split('\n'));
  const hunks = hunksOf(editsOf(old ?? [], fresh ?? []));
  return hunks.length === 0 ? '' : `\n${hunks.map(printed).join('')}`;
}

/** A line that is kept (' '), removed ('-') or added ('+'), and how many lines of each side are before it. */
type Edit = {
  readonly mark: ' ' | '-' | '+';
  readonly line: string;
  readonly old: number;
  readonly fresh: number;
};

function editsOf(old: readonly string[], fresh: readonly string[]): Edit[] {
  const common = commonLengths(old, fresh);
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    const [left, right] = [old[i], fresh[j]];
    if (left !== undefined && left === right) edits.push({ mark: ' ', line: left, old: i++, fresh: j++ });
    else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1)))
      edits.push({ mark: '-', line: left, old: i++, fresh: j });
    else edits.push({ mark: '+', line: right ?? '', old: i, fresh: j++ });
  }
  return edits;
}

/** For every pair of positions, how many lines the rest of both has in common. */
function commonLengths(old: readonly string[], fresh: readonly string[]): number[][] {
  const lengths = old.map(() => new Array<number>(fresh.length + 1).fill(0));
  lengths.push(new Array<number>(fresh.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const [row = [], below = []] = [lengths[i], lengths[i + 1]];
      row[j] = old[i] === fresh[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}

/** The differences, with some context lines. */
function hunksOf(edits: readonly Edit[]): Edit[][] {
  const changed = edits.flatMap(({ mark }, at) => (mark === ' ' ? [] : [at]));
  const hunks: Edit[][] = [];
  let end = -1;
  for (const at of changed) {
    const from = Math.max(0, at - context);
    const to = Math.min(edits.length, at + context + 1);
    if (from <= end) hunks.at(-1)?.push(...edits.slice(end, to));
    else hunks.push(edits.slice(from, to));
    end = to;
  }
  return hunks;
}

function printed(hunk: readonly Edit[]): string {
  const [first] = hunk;
  const side = (mark: '-' | '+', before: number) => {
    const count = hunk.filter((edit) => edit.mark === ' ' || edit.mark === mark).length;
    return `${mark}${before + 1},${count}`;
  };
  const head = `@@ ${side('-', first?.old ?? 0)} ${side('+', first?.fresh ?? 0)} @@\n`;
  return head + hunk.map(({ mark, line }) => `${mark}${line}\n`).join('');
}
