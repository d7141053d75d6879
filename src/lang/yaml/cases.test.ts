import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseJson, printJson } from '#base/std';
import { type Dialect, parse } from './index.ts';

/** What both Go libraries made of a text, as JSON; `refused` where they, or their JSON step, reported an error. */
type Case = { readonly text: string; readonly v2: string; readonly v3: string };

const dialects: readonly Dialect[] = ['v2', 'v3'];
const folder = new URL('./testdata/', import.meta.url);
const read = (path: string): unknown => parse(readFileSync(new URL(path, folder)), { name: path });
const files = (path: string): string[] => readdirSync(new URL(path, folder)).sort();

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, field]) => [key, sorted(field)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};

function outcome(run: () => unknown): string {
  try {
    return printJson(sorted(run()));
  } catch (error) {
    expect(error).toMatchObject({
      code: 'RenderFailed',
      message: expect.stringMatching(/line \d+, column \d+: /),
    });
    return 'refused';
  }
}
const wanted = (json: string): string => (json === 'refused' ? json : printJson(sorted(parseJson(json))));

describe.each(files('scalars'))('scalars: %s', (file) => {
  test.each(read(`scalars/${file}`) as Case[])('$text', (row) => {
    for (const dialect of dialects) {
      const value = () => (parse(`a: ${row.text}\n`, { dialect }) as { a: unknown }).a;
      expect(outcome(value), dialect).toBe(wanted(row[dialect]));
    }
  });
});

test.each(read('keys.yaml') as Case[])('the key $text', (row) => {
  for (const dialect of dialects) {
    const key = () => Object.keys(parse(`${row.text}: a\n`, { dialect }) as object)[0];
    const want = row[dialect] === 'refused' ? 'refused' : printJson(row[dialect]);
    expect(outcome(key), dialect).toBe(want);
  }
});

describe.each(files('documents'))('documents: %s', (file) => {
  const { text, ...wants } = read(`documents/${file}`) as Case;
  test.each(dialects)('%s', (dialect) => {
    expect(outcome(() => parse(text, { dialect }))).toBe(wanted(wants[dialect]));
  });
});
