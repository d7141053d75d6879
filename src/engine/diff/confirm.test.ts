import { expect, test } from 'vitest';
import { confirm, isDoubtful } from './confirm.ts';
import type { ObjectDiff } from './diff.ts';

const found = (...fields: ObjectDiff['fields']): ObjectDiff => ({ modified: fields.length > 0, fields });
const extra = { path: '/spec/containers/0/ports/0/protocol', live: 'TCP' };
const changed = { path: '/spec/containers/0/image', target: 'shop:2', live: 'shop:1' };

test.each([
  { name: 'nothing differs', diff: found(), doubtful: false },
  { name: 'a value that Git changes', diff: found(changed), doubtful: false },
  { name: 'a value that only the live object has', diff: found(extra), doubtful: true },
  { name: 'both', diff: found(changed, extra), doubtful: true },
  { name: 'the server has been asked', diff: { ...found(extra), confirmed: true as const }, doubtful: false },
])('a prediction is doubtful only where the server may put a value back: $name', ({ diff, doubtful }) => {
  expect(isDoubtful(diff)).toBe(doubtful);
});

test.each([
  { name: 'the server puts it back', predicted: found(extra), answered: found(), left: [] },
  { name: 'the server takes it out', predicted: found(extra), answered: found(extra), left: [extra] },
  {
    name: 'the server takes out what it lies in',
    predicted: found(extra),
    answered: found({ path: '/spec/containers/0/ports', live: [{ protocol: 'TCP' }] }),
    left: [extra],
  },
  {
    name: 'a webhook changes something else each time',
    predicted: found(extra),
    answered: found({ path: '/metadata/annotations/stamp', target: '2', live: '1' }),
    left: [],
  },
  { name: 'a change stays', predicted: found(changed, extra), answered: found(changed), left: [changed] },
])('a doubtful prediction after the dry run: $name', ({ predicted, answered, left }) => {
  const settled = confirm(predicted, answered);
  expect(settled).toMatchObject({ modified: left.length > 0, fields: left });
  expect(isDoubtful(settled)).toBe(false);
});
