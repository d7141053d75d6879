import { expect, test } from 'vitest';
import { tallyIn, withTally } from './tally.ts';

test('what a message says of how far a sync is can be read from it', () => {
  expect(tallyIn(withTally('applying wave 0 of Sync', { done: 3, total: 12 }))).toEqual({
    done: 3,
    total: 12,
  });
});

test('a message that says nothing of it is only a message', () => {
  expect(tallyIn(undefined)).toBeUndefined();
  expect(tallyIn('waiting for Job d/m (3 of 12 done)')).toBeUndefined();
});
