import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { compileExpr } from '#lang/expr';
import { ExprMaker, environment } from './expr-maker.ts';
import { Random } from './random.ts';

/**
 * Evaluates random expressions here and with Go's expr, and prints every one whose answers differ. With `--record FILE` it
 * writes Go's answers as a fixture of src/lang/expr/testdata instead. docs/testing.md.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    expressions: { type: 'string', default: '5000' },
    show: { type: 'string', default: '30' },
    record: { type: 'string' },
  },
});

type Answer = { out?: unknown; error?: string };

function ours(text: string): Answer {
  try {
    return { out: plain(compileExpr(text).run(environment)) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** What JSON cannot hold is text, as the oracle writes it. */
function plain(value: unknown): unknown {
  const names = { NaN: 'NaN', Infinity: '+Inf', '-Infinity': '-Inf' } as Record<string, string>;
  if (typeof value === 'number') return names[String(value)] ?? (Object.is(value, -0) ? 0 : value);
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

const expressions = Array.from({ length: Number(values.expressions) }, (_none, at) =>
  new ExprMaker(new Random((Number(values.seed) + at) * 7919)).expression(),
);
const questions = expressions.map((text) => [environment, text]);
const answers: Answer[] = JSON.parse(
  execFileSync('go', ['run', './expr'], {
    cwd: new URL('../../tools/oracles/', import.meta.url),
    input: JSON.stringify(questions),
    encoding: 'utf8',
    maxBuffer: 1 << 29,
    timeout: 300_000,
  }),
);

/**
 * Not: what Go's checker refuses and nothing evaluates; what its optimizer changes (`last(filter(…))`, `x && false`, a constant
 * on the right of `in`), a nil of findIndex that it compares as an int, lists that are nil inside, limits of memory.
 */
const incomparable =
  /\b(?:last|first)\((?:map\()?filter\(|&& false|and false|\|\| true|or true|toJSON\((?:concat|splitAfter|sort)|toJSON.*splitAfter/;
const theirMistakes = /interface \{\} is nil, not int|is not assignable to type|memory budget|^panic:/;

function isComparable(text: string, theirs: Answer, mine: Answer): boolean {
  if (theirs.error?.startsWith('compile:')) return mine.error !== undefined;
  return !incomparable.test(text) && !theirMistakes.test(theirs.error ?? '');
}

const isSame = (theirs: Answer, mine: Answer): boolean =>
  theirs.error === undefined ? isDeepStrictEqual(mine.out, plain(theirs.out)) : mine.error !== undefined;

function record(file: string): void {
  const lines = expressions.flatMap((text, at) => {
    const theirs = answers[at] ?? {};
    if (!isComparable(text, theirs, ours(text))) return [];
    return [JSON.stringify(theirs.error === undefined ? [text, theirs.out] : [text, null, 'fails'])];
  });
  writeFileSync(
    file,
    `{"environment":${JSON.stringify(environment)},"cases":[\n${[...new Set(lines)].join(',\n')}\n]}\n`,
  );
}

function compare(): void {
  const count = { failed: 0, skipped: 0, differing: 0 };
  for (const [at, text] of expressions.entries()) {
    const theirs = answers[at] ?? {};
    const mine = ours(text);
    if (theirs.error !== undefined) count.failed += 1;
    if (!isComparable(text, theirs, mine)) count.skipped += 1;
    else if (!isSame(theirs, mine)) report(count, text, mine, theirs);
  }
  const { failed, skipped, differing } = count;
  process.stdout.write(
    `${expressions.length} expressions, ${failed} fail in Go, ${skipped} not compared, ${differing} differ\n`,
  );
  if (differing > 0) process.exitCode = 1;
}

function report(count: { differing: number }, text: string, mine: Answer, theirs: Answer): void {
  count.differing += 1;
  if (count.differing > Number(values.show)) return;
  process.stdout.write(`${text}\n  Go:   ${JSON.stringify(theirs)}\n  here: ${JSON.stringify(mine)}\n`);
}

if (values.record) record(values.record);
else compare();
