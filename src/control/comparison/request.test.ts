import { expect, test } from 'vitest';
import { type Application, defaultSettings } from '#base/model';
import type { LiveCluster } from '#control/live';
import type { ComparisonDeps } from './comparison-deps.ts';
import type { AppDestination } from './destination.ts';
import { type ComparisonOptions, requestFor } from './request.ts';

const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app', namespace: 'argocd' },
  spec: { source: { repoURL: 'https://git.example/apps', path: 'a' }, destination: { name: 'c' } },
};

function refsOf(resolve: ComparisonOptions['resolve'], intervalMs = defaultSettings.refresh.intervalMs) {
  const settings = { ...defaultSettings, refresh: { ...defaultSettings.refresh, intervalMs } };
  const context = { settings: () => settings, namespace: 'argocd' } as ComparisonDeps;
  const cluster = { cache: { capabilities: { version: '1.36', apiVersions: [] } } } as unknown as LiveCluster;
  return requestFor(context, { app, destination: { cluster } as AppDestination }, { resolve, hard: false })
    .refs;
}

test('a poll does not make do with branches that were listed long before it (1.15)', () => {
  expect(refsOf('cached')).toEqual({ maxAgeMs: 30_000 });
  expect(refsOf('cached', 20_000)).toEqual({ maxAgeMs: 5_000 });
});

test('however seldom an application is looked at, what is known of its branches is at most three minutes old (1.15)', () => {
  expect(refsOf('cached', 3_600_000)).toEqual({ maxAgeMs: 180_000 });
  expect(refsOf('cached', 0)).toEqual({ maxAgeMs: 180_000 });
});

test('whoever asks for a look gets what the repository says after that', () => {
  expect(refsOf('fresh')).toEqual({ fresh: true });
  expect(refsOf({ since: 7 })).toEqual({ since: 7 });
});
