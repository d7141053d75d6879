import { expect, test } from 'vitest';
import { chosenOperation, pastOperations } from './past-operations.ts';
import { sampleApplication, sampleOperation } from './sample-application.ts';

const entry = (id: number, revision: string, deployedAt: string) => ({ id, revision, deployedAt });
const history = [
  entry(4, 'a', '2026-03-18T12:00:00Z'),
  entry(5, 'b', '2026-03-18T13:00:00Z'),
  entry(6, 'c', '2026-03-18T14:01:30Z'),
];
const listed = (...args: Parameters<typeof sampleApplication>) =>
  pastOperations(sampleApplication(...args)).map(({ id, revision, before }) => [id, revision, before]);

test('syncs of the past can be chosen, each with what ran before it; the last operation is not one of them', () => {
  expect(listed({ history })).toEqual([
    [5, 'b', 'a'],
    [4, 'a', undefined],
  ]);
  const failed = sampleOperation({ phase: 'Failed', finishedAt: '2026-03-18T15:00:00Z' });
  expect(listed({ history, operationState: failed })).toHaveLength(3);
  expect(listed({})).toEqual([]);
});

test('the address names the chosen one', () => {
  const past = pastOperations(sampleApplication({ history }));
  expect(chosenOperation(past, new URLSearchParams('op=4'))?.revision).toBe('a');
  expect(chosenOperation(past, new URLSearchParams('op=6'))).toBeUndefined();
  expect(chosenOperation(past, new URLSearchParams())).toBeUndefined();
});
