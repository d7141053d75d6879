import { expect, test } from 'vitest';
import { keyFrom } from '#base/model';
import { groupBars } from './bar-groups.ts';
import type { Bar } from './operation-timeline.ts';

const barsOf = (count: number, state: Bar['state']): Bar[] =>
  Array.from({ length: count }, (_one, at) => ({
    key: keyFrom({ group: '', kind: 'ConfigMap', namespace: 'shop', name: `${state}-${at}` }),
    kind: 'ConfigMap',
    name: `${state}-${at}`,
    isHook: false,
    state,
    word: state,
  }));

test('while there is room every resource has a bar of its own', () => {
  const stretches = groupBars([...barsOf(2, 'done'), ...barsOf(1, 'running')]);
  expect(stretches.map(({ count, title }) => [count, title])).toEqual([
    [1, 'ConfigMap done-0: done'],
    [1, 'ConfigMap done-1: done'],
    [1, 'ConfigMap running-0: running'],
  ]);
});

test('of five hundred those that stand alike are one bar, as wide as they are many', () => {
  const bars = [...barsOf(300, 'done'), ...barsOf(1, 'failed'), ...barsOf(200, 'waiting')];
  expect(groupBars(bars).map(({ state, count, title }) => [state, count, title])).toEqual([
    ['done', 300, '300 done'],
    ['failed', 1, '1 failed'],
    ['waiting', 200, '200 waiting'],
  ]);
});
