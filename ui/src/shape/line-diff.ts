/** One line of a comparison. Numbers count from one; a side that lacks the line has none. */
export type DiffLine = {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
};

/** Lines kept together, or a run of equal lines folded away. */
export type Hunk = { readonly lines: readonly DiffLine[] } | { readonly folded: number };

/** The shortest way from one text to the other, line by line (Myers). */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1;
  const signs = [
    ...Array<Sign>(start).fill(' '),
    ...shortest(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...Array<Sign>(end).fill(' '),
  ];
  return numbered(signs, a, b);
}

type Sign = DiffLine['sign'];

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

function numbered(signs: readonly Sign[], a: readonly string[], b: readonly string[]): DiffLine[] {
  let [left, right] = [0, 0];
  return signs.map((sign) => {
    if (sign === '-') return { sign, text: a[left++] ?? '', before: left };
    if (sign === '+') return { sign, text: b[right++] ?? '', after: right };
    return { sign, text: a[left++] ?? '', before: left, after: ++right };
  });
}

const tooDifferent = 2000; // steps; beyond this a line-by-line difference is of no use

type Reach = Map<number, number>;

/** Each round reaches as far as possible with one more edit; the trace of rounds is walked back at the end. */
function shortest(a: readonly string[], b: readonly string[]): Sign[] {
  const limit = Math.min(a.length + b.length, tooDifferent);
  const reach: Reach = new Map([[1, 0]]);
  const trace: Reach[] = [];
  for (let edits = 0; edits <= limit; edits++) {
    trace.push(new Map(reach));
    for (let lane = -edits; lane <= edits; lane += 2) {
      const x = furthest(reach, lane, edits, { a, b });
      reach.set(lane, x);
      if (x >= a.length && x - lane >= b.length) return walkBack(trace, a.length, b.length);
    }
  }
  return [...a.map((): Sign => '-'), ...b.map((): Sign => '+')];
}

type Sides = { readonly a: readonly string[]; readonly b: readonly string[] };

function furthest(reach: Reach, lane: number, edits: number, { a, b }: Sides): number {
  let x = goesDown(reach, lane, edits) ? at(reach, lane + 1) : at(reach, lane - 1) + 1;
  while (x < a.length && x - lane < b.length && a[x] === b[x - lane]) x += 1;
  return x;
}

const at = (reach: ReadonlyMap<number, number>, lane: number): number => reach.get(lane) ?? -1;

const goesDown = (reach: ReadonlyMap<number, number>, lane: number, edits: number): boolean =>
  lane === -edits || (lane !== edits && at(reach, lane - 1) < at(reach, lane + 1));

function walkBack(trace: readonly ReadonlyMap<number, number>[], width: number, height: number): Sign[] {
  const signs: Sign[] = [];
  let [x, y] = [width, height];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reach = trace[edits] ?? new Map();
    const lane = x - y;
    const isDown = goesDown(reach, lane, edits);
    const from = isDown ? lane + 1 : lane - 1;
    const [fromX, fromY] = [at(reach, from), at(reach, from) - from];
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      signs.push(' ');
      x -= 1;
      y -= 1;
    }
    if (edits > 0) signs.push(isDown ? '+' : '-');
    [x, y] = [fromX, fromY];
  }
  return signs.reverse();
}

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

export type Pair = { readonly left?: DiffLine; readonly right?: DiffLine };

/** Side by side: equal lines face each other, and removed lines face the added ones that follow them. */
export function pairsOf(lines: readonly DiffLine[]): Pair[] {
  const pairs: Pair[] = [];
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

function zip(left: readonly DiffLine[], right: readonly DiffLine[]): Pair[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => {
    const [one, other] = [left[at], right[at]];
    return { ...(one && { left: one }), ...(other && { right: other }) };
  });
}
