import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { manifest, manifests } from './documents.ts';
import { application, done, Installation, run } from './installation.ts';

// "Complete Hook Lifecycle Example": migration, seed data, the application itself, smoke test, and the call for help
const migrate = manifest('002/hook-migrate.yaml');
const smokeTest = manifest('002/hook-smoke-test.yaml');
const notify = manifest('002/hook-notify.yaml');
const seedData: KubeObject = {
  ...migrate,
  metadata: { name: 'seed-data', annotations: { 'argocd.argoproj.io/hook': 'PreSync' } },
};
const config: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } };
const everything = [notify, smokeTest, ...manifests('002/hello-world.yaml'), config, seedData, migrate];

const sync = () => new Installation(application(), everything);
const failed = { conditions: [{ type: 'Failed', status: 'True', message: 'exit code 1' }] };

test('a sync with hooks goes in the order of the document, and lets go of each hook as it ends (S-9)', () => {
  expect(run(sync())).toEqual([
    'PreSync -1: db-migrate',
    'release db-migrate',
    'PreSync 0: seed-data',
    'release seed-data',
    'Sync 0: settings hello-world-service hello-world',
    'PostSync 0: smoke-test',
    'delete smoke-test',
    'Succeeded',
  ]);
});

test('the smoke test waits for the Deployment to be healthy', () => {
  const world = sync();
  const slow = (): void => {
    done(world);
    world.report('hello-world', { replicas: 0 });
  };
  expect(() => run(world, slow)).toThrow(/Sync 0: .*; wait for hello-world;/);
  done(world);
  expect(run(world)[0]).toBe('PostSync 0: smoke-test');
});

test('a failing migration stops everything behind it, and calls for help', () => {
  const world = sync();
  const steps = run(world, (w) => {
    done(w);
    w.report('db-migrate', failed);
  });
  expect(steps.slice(0, 2)).toEqual(['PreSync -1: db-migrate', 'SyncFail 0: notify-sync-failure']);
  expect(steps.at(-1)).toBe('Failed');
  expect([...world.live.values()].some(({ kind }) => kind === 'Deployment')).toBe(false);
});

test('a failing smoke test fails the operation and calls for help; the application itself stays well (X-32)', () => {
  const world = sync();
  const steps = run(world, (w) => {
    done(w);
    w.report('smoke-test', failed);
  });
  expect(steps).toContain('SyncFail 0: notify-sync-failure');
  expect(steps.at(-1)).toBe('Failed');
  expect(world.compare().health.status).toBe('Healthy');
});

test('the next sync removes what is left of the migration before it runs it again', () => {
  const world = sync();
  run(world);
  expect([...world.live.values()].map(({ metadata }) => metadata.name)).toContain('db-migrate');
  world.begin({ sync: {} });
  world.state = { ...world.state, startedAt: '2026-06-03T11:00:00Z' };
  const steps = run(world);
  expect(steps.slice(0, 2)).toEqual(['delete db-migrate', 'PreSync -1: db-migrate']);
});

test('phases and waves; HookSucceeded deletes the migration after the whole sync, not after the hook (X-33)', () => {
  const world = new Installation(application(), manifests('002/phases-and-waves.yaml'));
  expect(run(world)).toEqual([
    'PreSync 0: db-migrate',
    'release db-migrate',
    'Sync -1: app-config',
    'Sync 0: my-app',
    'delete db-migrate',
    'Succeeded',
  ]);
});

test('a hook of the kind Skip is never applied', () => {
  const skipped = {
    ...notify,
    metadata: { ...notify.metadata, annotations: { 'argocd.argoproj.io/hook': 'Skip' } },
  };
  const world = new Installation(application(), [skipped]);
  expect(run(world)).toEqual(['Succeeded']);
  expect(world.compare().status).toBe('Synced');
});
