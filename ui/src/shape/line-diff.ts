import { diffArrays } from 'diff';

/** One line of a comparison. Numbers count from one; a side that lacks the line has none. */
export type DiffLine = {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
};

/** Lines kept together, or a run of equal lines folded away. */
export type Hunk = { readonly lines: readonly DiffLine[] } | { readonly folded: number };

const tooDifferent = 2000; // edits; beyond this a line-by-line difference is of no use

/** The shortest way from one text to the other, line by line. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  const runs = diffArrays(a, b, { maxEditLength: tooDifferent }) ?? [
    { value: a, removed: true, added: false },
    { value: b, removed: false, added: true },
  ];
  let [left, right] = [0, 0];
  return runs.flatMap(({ value, added, removed }) =>
    value.map((text): DiffLine => {
      if (removed) return { sign: '-', text, before: ++left };
      if (added) return { sign: '+', text, after: ++right };
      return { sign: ' ', text, before: ++left, after: ++right };
    }),
  );
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** Changed lines with a few equal ones around them; the rest is folded. */
export function hunksOf(lines: readonly DiffLine[], around = 3): Hunk[] {
  const isNear = nearChanges(lines, around);
  const hunks: Hunk[] = [];
  for (let from = 0; from < lines.length; ) {
    let to = from;
    while (to < lines.length && isNear[to] === isNear[from]) to += 1;
    // folding one line would take a line itself
    const isFolded = !isNear[from] && to - from > 1;
    hunks.push(isFolded ? { folded: to - from } : { lines: lines.slice(from, to) });
    from = to;
  }
  return hunks;
}

function nearChanges(lines: readonly DiffLine[], around: number): boolean[] {
  const near = Array<boolean>(lines.length).fill(false);
  lines.forEach(({ sign }, at) => {
    if (sign !== ' ') near.fill(true, Math.max(0, at - around), Math.min(lines.length, at + around + 1));
  });
  return near;
}

export type LinePair = { readonly left?: DiffLine; readonly right?: DiffLine };

/** Side by side: equal lines face each other, and removed lines face the added ones that follow them. */
export function pairsOf(lines: readonly DiffLine[]): LinePair[] {
  const pairs: LinePair[] = [];
  for (let from = 0; from < lines.length; ) {
    const line = lines[from];
    if (!line || line.sign === ' ') {
      if (line) pairs.push({ left: line, right: line });
      from += 1;
      continue;
    }
    let to = from;
    while (to < lines.length && lines[to]?.sign !== ' ') to += 1;
    const run = lines.slice(from, to);
    pairs.push(
      ...zip(
        run.filter(({ sign }) => sign === '-'),
        run.filter(({ sign }) => sign === '+'),
      ),
    );
    from = to;
  }
  return pairs;
}

function zip(left: readonly DiffLine[], right: readonly DiffLine[]): LinePair[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => {
    const [one, other] = [left[at], right[at]];
    return { ...(one && { left: one }), ...(other && { right: other }) };
  });
}
