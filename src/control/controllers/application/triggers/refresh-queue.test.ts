import { expect, test } from 'vitest';
import { defaultSettings } from '#base/model';
import { virtualClock } from '#base/std';
import { RefreshQueue } from './refresh-queue.ts';

const start = () => {
  const clock = virtualClock();
  return { clock, queue: new RefreshQueue({ clock, intervals: () => defaultSettings.refresh }) };
};

test('several requests of one application are one refresh, as deep as the deepest of them', async () => {
  const { clock, queue } = start();
  queue.requestAfter('argocd/app', 'tree', { ms: 1_000 });
  queue.request('argocd/app', 'resolved');
  queue.request('argocd/app', 'recorded');
  expect(queue.keys.length).toBe(1);
  expect(queue.take('argocd/app')?.level).toBe('resolved');
  expect(queue.take('argocd/app')).toBeUndefined();
  await clock.advance(1_000);
  expect(queue.keys.length).toBe(1);
});

test('a refresh that was requested for a push only says so, and no longer once something else requests it', () => {
  const { queue } = start();
  queue.requestForPush('argocd/app');
  queue.requestForPush('argocd/other');
  queue.request('argocd/other', 'tree');
  expect(queue.take('argocd/app')?.isPush).toBe(true);
  expect(queue.take('argocd/other')?.isPush).toBe(false);
});

test('what a failed refresh was to do is pending again', () => {
  const { queue } = start();
  queue.request('argocd/app', 'resolved');
  const taken = queue.take('argocd/app');
  if (taken) queue.restore('argocd/app', taken);
  expect(queue.take('argocd/app')).toEqual(taken);
});
