import { expect, test } from 'vitest';
import { cases } from '../../../test/cases.ts';
import { applyJsonPatch } from './json-patch.ts';

type Outcome = { result?: unknown; error?: string };

function outcome(work: () => unknown): Outcome {
  try {
    return { result: work() };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

test.each(cases<Outcome>(new URL('./testdata/json-patch/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const [document, { patch }] = input;
    const before = structuredClone(document);
    expect(outcome(() => applyJsonPatch(document, patch))).toEqual(wanted);
    expect(document).toEqual(before);
  },
);

test('copies that would build a huge document are refused', () => {
  const document = { a: 'x'.repeat(1024 * 1024), list: [] };
  const copy = { op: 'copy', from: '/a', path: '/list/-' };
  expect(() => applyJsonPatch(document, [copy, copy])).not.toThrow();
  expect(() => applyJsonPatch(document, [copy, copy, copy, copy])).toThrow(/exceeding the limit/);
});

test('a key named __proto__ is a key like any other', () => {
  const patched = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]);
  expect(Object.keys(patched as object)).toEqual(['__proto__']);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('an operation without a path is refused', () => {
  expect(() => applyJsonPatch({}, [{ op: 'remove' } as never])).toThrow(/failed to decode path/);
});

test('integers beyond 2^53 pass through untouched', () => {
  const big = 2n ** 63n - 1n;
  const patch = [
    { op: 'test', path: '/n', value: big },
    { op: 'copy', from: '/n', path: '/m' },
  ];
  expect(applyJsonPatch({ n: big }, patch)).toEqual({ n: big, m: big });
});
