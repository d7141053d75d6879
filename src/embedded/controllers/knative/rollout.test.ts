import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type GradualRollout,
  goalOf,
  isDone,
  nextStepAt,
  observeReady,
  parseRollout,
  printRollout,
  step,
} from './rollout.ts';

const goal = (revisionName: string, percent = 100): GradualRollout =>
  goalOf([{ configurationName: 'c', latestRevision: true, percent, revisionName }]);
const shares = ({ configurations = [] }: GradualRollout) =>
  configurations[0]?.revisions?.map(({ revisionName, percent }) => [revisionName, percent]);

test('twenty seconds are nineteen steps of five percent, as Knative counts', () => {
  const start = 1_794_785_826_509;
  const begun = step(goal('r2'), goal('r1'), start);
  expect(shares(begun)).toEqual([
    ['r1', 99],
    ['r2', 1],
  ]);
  const timed = observeReady(begun, start + 255, 20);
  expect(printRollout(timed)).toBe(
    '{"configurations":[{"configurationName":"c","percent":100,"revisions":[{"revisionName":"r1","percent":99},' +
      '{"revisionName":"r2","percent":1}],"stepParams":{"starttime":1794785826509000000,"nextStepTime":1794785827764000000,' +
      '"stepDuration":1000000000,"stepSize":5}}]}',
  );
  const again = parseRollout(printRollout(timed)) as GradualRollout;
  expect(shares(step(goal('r2'), again, start + 1254))).toEqual([
    ['r1', 99],
    ['r2', 1],
  ]);
  expect(shares(step(goal('r2'), again, start + 1255))).toEqual([
    ['r1', 94],
    ['r2', 6],
  ]);
});

test('a third revision in the middle begins at one percent, taken from the newest', () => {
  const halfway = step(goal('r2'), goal('r1'), 0);
  expect(shares(step(goal('r3'), halfway, 5000))).toEqual([
    ['r1', 99],
    ['r3', 1],
  ]);
});

test('every rollout ends at its goal, its shares always add up, and the newest never loses', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 100 }), fc.integer({ min: 2, max: 600 }), (percent, seconds) => {
      let now = 1_700_000_000_000;
      let rollout = observeReady(step(goal('r2', percent), goal('r1', percent), now), now + 20, seconds);
      let newest = 1;
      for (let steps = 0; !isDone(rollout); steps++) {
        expect(steps).toBeLessThan(200);
        now = nextStepAt(rollout) ?? now;
        rollout = step(goal('r2', percent), rollout, now);
        const found = shares(rollout) ?? [];
        expect(found.reduce((sum, [, share]) => sum + Number(share), 0)).toBe(percent);
        expect(Number(found.at(-1)?.[1])).toBeGreaterThan(newest);
        newest = Number(found.at(-1)?.[1]);
      }
      expect(shares(rollout)).toEqual([['r2', percent]]);
    }),
  );
});

test('a state that does not add up is forgotten', () => {
  expect(
    parseRollout(
      '{"configurations":[{"configurationName":"c","percent":100,"revisions":[{"revisionName":"r","percent":9}],"stepParams":{}}]}',
    ),
  ).toBeUndefined();
  expect(parseRollout('nonsense')).toBeUndefined();
});
