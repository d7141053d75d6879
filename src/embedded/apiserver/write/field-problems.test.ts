import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findType } from '#kubernetes/schema';
import { fieldProblems, isPlainly } from './field-problems.ts';

const service = findType({ group: '', version: 'v1', kind: 'Service' });
if (!service) throw new Error('there is no type Service');

const name = fc.constantFrom(
  'kind',
  'metadata',
  'labels',
  'spec',
  'ports',
  'port',
  'foo',
  '":',
  '" :',
  'a"b',
);
const { text } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('1', 'null', '"a"', '"\\":"', '" :"'),
    fc.array(tie('text'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(name, fc.constantFrom(':', ': ', ' :', '\n:'), tie('text')), { maxLength: 4 })
      .map(
        (fields) =>
          `{${fields.map(([key, colon, value]) => `${JSON.stringify(key)}${colon}${value}`).join(',')}}`,
      ),
  ),
}));

test('what counting finds plain, reading finds nothing to complain of', () => {
  fc.assert(
    fc.property(text, (json) => {
      if (isPlainly(JSON.parse(json), json, service)) expect(fieldProblems(json, service)).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['compact', true, '{"kind":"Service","spec":{"ports":[{"port":80},{"port":81}]}}'],
  ['with spaces', true, '{ "kind": "Service", "metadata": { "labels": { "a": "b" } } }'],
  ['a key given twice', false, '{"kind":"Service","kind":"Service"}'],
  ['a key given twice, apart from its colon', false, '{"kind" :"Service","kind":"Service"}'],
  ['an unknown field', false, '{"kind":"Service","spec":{"foo":1}}'],
])('counting knows %s', (_what, isPlain, json) => {
  expect(isPlainly(JSON.parse(json), json, service)).toBe(isPlain);
});
