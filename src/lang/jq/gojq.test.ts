import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FairleadError, parseJson, printJson } from '#base/std';
import { compileJq, type JsonValue } from './index.ts';

// testdata/: the answers of gojq 0.12.17, the interpreter that Argo CD runs (D-12), used as a library.
// What it prints as an error is not compared: messages are our own.
type Answer = { out: JsonValue[]; error: 'compile' | 'run' | 'limit' | undefined };

const read = (file: string): any =>
  parseJson(readFileSync(new URL(`./testdata/${file}`, import.meta.url), 'utf8'));

function ourAnswer(expression: string, input: JsonValue): Answer {
  const out: JsonValue[] = [];
  try {
    for (const value of compileJq(expression).run(input)) out.push(value);
    return { out, error: undefined };
  } catch (error) {
    return { out, error: kindOf(error) };
  }
}

function kindOf(error: unknown): Answer['error'] {
  if (!(error instanceof FairleadError)) throw error;
  if (error.code === 'LimitExceeded') return 'limit';
  return error.code === 'InvalidSpec' ? 'compile' : 'run';
}

/** Text in which equal values look equal: keys in order. */
function canonical(value: unknown): string {
  const ordered = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(ordered);
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(
      Object.entries(item)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([key, field]) => [key, ordered(field)]),
    );
  };
  return printJson(ordered(value));
}

function disagreements(
  cases: [input: JsonValue, expression: string, out: JsonValue[], error?: Answer['error']][],
) {
  return cases.flatMap(([input, expression, out, error]) => {
    const ours = ourAnswer(expression, input);
    const same = canonical(ours.out) === canonical(out) && ours.error === error;
    return same ? [] : [{ expression, input, ours, theirs: { out, error } }];
  });
}

for (const { input, cases } of read('gojq.json').groups) {
  test(`D-12: gojq's answers to ${cases.length} expressions on ${printJson(input).slice(0, 40)} are ours`, () => {
    expect(disagreements(cases.map((one: [string, JsonValue[]]) => [input, ...one]))).toEqual([]);
  });
}

test("D-12: gojq's answers to random path expressions are ours", () => {
  const { cases } = read('gojq-random.json');
  expect(cases.length).toBeGreaterThan(1_000);
  expect(disagreements(cases)).toEqual([]);
});
