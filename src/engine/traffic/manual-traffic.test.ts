import { expect, test } from 'vitest';
import {
  describeManualTraffic,
  manualTrafficAnnotation,
  manualTrafficOf,
  printManualTraffic,
} from './index.ts';

const record = { revision: 'cart-00001', by: 'ann', at: '2026-01-01T00:00:00Z', reason: 'errors' };
const annotated = (text: string) => ({
  metadata: { name: 'cart', namespace: 'shop', annotations: { [manualTrafficAnnotation]: text } },
});

test('RK-14: a record is read as it was written', () => {
  const rollout = annotated(printManualTraffic(record));
  expect(manualTrafficOf(rollout)).toEqual({ record });
  expect(manualTrafficOf({ metadata: { name: 'cart' } })).toEqual({});
  expect(describeManualTraffic(rollout, record)).toBe(
    'ann overrode the traffic of Rollout cart at 2026-01-01T00:00:00Z (errors): all of it goes to cart-00001; no update is brought out until fairlead rollouts undo cart -n shop --clear',
  );
});

const hostile: readonly (readonly [what: string, text: string, why: string])[] = [
  ['nothing', '', 'invalid'],
  ['no JSON', '{', 'invalid'],
  ['a list', '[]', 'it is no object'],
  [
    'nothing but a prototype',
    '{"__proto__":{"revision":"a","by":"a","at":"a","reason":"a"}}',
    'revision is no name',
  ],
  ['too large a text', JSON.stringify({ ...record, more: 'x'.repeat(5000) }), 'larger than 4096 bytes'],
  [
    'a Revision of another kind of name',
    JSON.stringify({ ...record, revision: '../cart' }),
    'revision is no name',
  ],
  ['a number for a Revision', JSON.stringify({ ...record, revision: 1 }), 'revision is no name'],
  ['no author', JSON.stringify({ ...record, by: ' ' }), 'by is missing'],
  ['a long author', JSON.stringify({ ...record, by: 'x'.repeat(201) }), 'by is longer than 200'],
  [
    'an author of two lines',
    JSON.stringify({ ...record, by: 'ann\nall is well' }),
    'by has control characters',
  ],
  [
    'colours of a terminal',
    JSON.stringify({ ...record, reason: '\u001b[2J' }),
    'reason has control characters',
  ],
  [
    'a text that is written backwards',
    JSON.stringify({ ...record, by: 'ann\u202enimda' }),
    'by has control characters',
  ],
  ['no time', JSON.stringify({ ...record, at: 'now' }), 'at is no time'],
];
test.each(hostile)('RK-14: %s has no effect and says why', (_what, text, why) => {
  const { record: read, problem } = manualTrafficOf(annotated(text));
  expect(read).toBeUndefined();
  expect(problem).toMatch(/^annotation fairlead.io\/manual-traffic has no effect: .*; remove it$/);
  if (why !== 'invalid') expect(problem).toContain(why);
});

test('RK-14: what would not be read again is not written', () => {
  expect(() => printManualTraffic({ ...record, reason: 'a\nb' })).toThrow('reason has control characters');
});
