import { expect, test } from 'vitest';
import { type Application, defaultSettings } from '#base/model';
import { virtualClock } from '#base/std';
import { refreshPushed } from './push.ts';
import { RefreshQueue } from './refresh-queue.ts';

const source = { repoURL: 'https://h/org/repo.git', targetRevision: 'main', path: 'a' };
const app = (name: string, targetRevision = 'main'): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: { destination: {}, source: { ...source, targetRevision } },
});

test('R-11: a push refreshes the applications that it touches, and those beyond the threshold after a delay', async () => {
  const clock = virtualClock();
  const refreshes = new RefreshQueue({ clock, intervals: () => defaultSettings.refresh });
  const { server } = defaultSettings;
  const webhook = { ...server.webhook, jitterMs: 60_000, threshold: 2 };
  const apps = [app('one'), app('two'), app('three'), app('elsewhere', 'v1')];
  await refreshPushed(
    {
      context: { settings: () => ({ ...defaultSettings, server: { ...server, webhook } }) },
      apps: { all: () => apps },
      refreshes,
    },
    [{ webUrl: 'https://h/org/repo', revision: 'main', touchedHead: true, changedFiles: ['a/x.yaml'] }],
  );
  expect(refreshes.keys.length).toBe(2);
  expect(refreshes.take('argocd/one')).toMatchObject({ level: 'resolved', isPush: true });
  await clock.advance(60_000);
  expect(refreshes.keys.length).toBe(3);
  expect(refreshes.take('argocd/elsewhere')).toBeUndefined();
});
