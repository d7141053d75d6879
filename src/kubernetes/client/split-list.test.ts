import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '#base/std';
import { splitList } from './split-list.ts';

/** What a reader of a split list holds in the end; `whole` where it cannot be split. */
function read(text: string): unknown {
  const split = splitList(text);
  if (!split) return parseJson(text);
  const items = [...split.items].map((item) => parseJson(item));
  return { ...(parseJson(split.rest) as object), items };
}

/** The value, or that it is broken: both ways must agree. */
function outcome(parse: (text: string) => unknown, text: string): unknown {
  try {
    return { value: parse(text) };
  } catch (error) {
    return error instanceof SyntaxError ? 'broken' : error;
  }
}

const text = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '{', '}', '[', ']', ',', ':', 'ü', '\n', '1'),
});
const json = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, tie('leaf'), fc.array(tie('any')), fc.dictionary(text, tie('any'))),
  leaf: fc.oneof(text, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
})).any;

test('reading a list item by item gives what parsing it whole gives', () => {
  const list = fc.record({
    before: fc.dictionary(text, json),
    items: fc.array(json),
    after: fc.dictionary(text, json),
    indent: fc.constantFrom(0, 2),
  });
  fc.assert(
    fc.property(list, ({ before, items, after, indent }) => {
      const printed = JSON.stringify({ ...before, items, ...after }, null, indent);
      expect(read(printed)).toEqual(parseJson(printed));
    }),
  );
});

test('a text that is damaged anywhere is as broken, or as whole, either way', () => {
  const damaged = fc.tuple(
    fc.array(json, { maxLength: 4 }),
    fc.nat(),
    fc.constantFrom('', ',', '}', ']', '{', '"', '\\'),
  );
  fc.assert(
    fc.property(damaged, ([items, at, put]) => {
      const printed = JSON.stringify({ kind: 'List', items, metadata: { continue: 'x' } });
      const place = at % (printed.length + 1);
      const broken = printed.slice(0, place) + put + printed.slice(place + 1);
      expect(outcome(read, broken)).toEqual(outcome(parseJson, broken));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['', undefined],
  ['[]', undefined],
  ['null', undefined],
  ['{}', undefined],
  ['{"items":null}', undefined],
  ['{"items":{"items":[1]}}', undefined],
  ['{"items":[1],"items":[2]}', undefined],
  ['{"it\\u0065ms":[1],"items":[2]}', undefined],
  ['{"items":[]}', []],
  [' { "a" : [ { "items" : [ 3 ] } ] , "items" : [ 1 , "]" , { } ] } ', ['1', '"]"', '{ }']],
])('%s is split into %j', (given, items) => {
  const split = splitList(given);
  expect(split && [...split.items]).toEqual(items);
});

test('an integer beyond 2^53 keeps its digits', () => {
  expect(read('{"items":[{"a":9007199254740993}]}')).toEqual({ items: [{ a: 9007199254740993n }] });
});

test('hostile bodies are walked once: neither depth nor backslashes make it slow or overflow the stack', () => {
  const deep = `{"items":[${'['.repeat(1_000_000)}`;
  const slashes = `{"items":["${'\\'.repeat(2_000_000)}`;
  const quotes = `{"items":["${'\\"'.repeat(1_000_000)}`;
  for (const body of [deep, slashes, quotes, '{"items":[', '{"items"', '{"'])
    expect(outcome(read, body)).toBe('broken');
});
