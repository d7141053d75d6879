import { expect, test } from 'vitest';
import type { Application, ResourceResult, ResourceStatus } from '#base/model';
import type { Io } from '../io.ts';
import { paintDiff, paintFor } from './colour.ts';
import { LiveRegion } from './live-region.ts';
import { progressLines } from './progress.ts';

const esc = '\u001b';
const terminal = { isTerminal: true, env: {} };
const elsewhere = paintFor({ isTerminal: false, env: {} });

const resource = (name: string, syncWave: number, rest: Partial<ResourceStatus>): ResourceStatus => ({
  ...{ group: 'apps', kind: 'Deployment', namespace: 'shop', name, syncWave, ...rest },
});
const hook = (name: string, rest: Partial<ResourceResult>): ResourceResult => ({
  ...{ group: 'batch', kind: 'Job', namespace: 'shop', name, version: 'v1', ...rest },
});
const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: { destination: { server: 'https://kubernetes.default.svc' }, source: { repoURL: 'x', path: '.' } },
  status: {
    sync: { status: 'OutOfSync' },
    health: { status: 'Progressing' },
    resources: [
      resource('late', 5, { status: 'OutOfSync', health: { status: 'Missing' } }),
      resource('web', 0, {
        status: 'Synced',
        health: { status: 'Progressing', message: '1 of 3 are ready' },
      }),
      resource('first', -2, { status: 'Synced', health: { status: 'Healthy' } }),
      resource('api', 0, { status: 'Synced', health: { status: 'Healthy' } }),
    ],
    operationState: {
      operation: {},
      phase: 'Running',
      startedAt: '2026-01-02T03:04:00Z',
      message: 'waiting for Deployment shop/web to be healthy',
      syncResult: {
        revision: '1',
        resources: [
          hook('announce', {
            hookType: 'PostSync',
            syncPhase: 'PostSync',
            hookPhase: 'Running',
            message: 'runs',
          }),
          hook('both', { hookType: 'PostSync', syncPhase: 'PostSync', hookPhase: 'Failed' }),
          hook('smoke', { hookType: 'Sync', syncPhase: 'Sync', hookPhase: 'Succeeded' }),
          hook('migrate', { hookType: 'PreSync', hookPhase: 'Succeeded' }),
          hook('both', { hookType: 'PreSync', syncPhase: 'PreSync', hookPhase: 'Succeeded' }),
        ],
      },
    },
  } as Application['status'] & object,
};

test('the hooks of a phase stand before or after the waves, a finished line is one, and last what blocks the operation', () => {
  expect(progressLines(app, elsewhere)).toEqual([
    'shop: OutOfSync Progressing operation Running',
    '  ✓ PreSync hooks: 2 of 2 done',
    '  ✓ wave -2: 1 of 1 done',
    '  ● wave 0: 1 of 2 done',
    '      Deployment web  Progressing  1 of 3 are ready',
    '  ● wave 5: 0 of 1 done',
    '      Deployment late  OutOfSync',
    '  ✓ Sync hooks: 1 of 1 done',
    '  ● PostSync hooks: 0 of 2 done',
    '      hook Job announce  Running  runs',
    '      hook Job both  Failed',
    '  Waiting: waiting for Deployment shop/web to be healthy',
  ]);
});

test('colours only on a terminal, and there not with NO_COLOR or a dumb one', () => {
  const diff = '===== apps/Deployment shop/web ======\n@@ -1 +1 @@\n-replicas: 1\n+replicas: 2\n same';
  expect(paintDiff(diff, paintFor(terminal))).toBe(
    [
      `${esc}[1m===== apps/Deployment shop/web ======${esc}[0m`,
      `${esc}[36m@@ -1 +1 @@${esc}[0m`,
      `${esc}[31m-replicas: 1${esc}[0m`,
      `${esc}[32m+replicas: 2${esc}[0m`,
      ' same',
    ].join('\n'),
  );
  expect(progressLines(app, paintFor(terminal)).join()).toContain(`${esc}[32m✓${esc}[0m wave -2`);
  for (const io of [
    { isTerminal: false, env: {} },
    { isTerminal: true, env: { NO_COLOR: '1' } },
    { isTerminal: true, env: { TERM: 'dumb' } },
  ]) {
    expect(paintDiff(diff, paintFor(io))).toBe(diff);
    expect(progressLines(app, paintFor(io)).join()).not.toContain(esc);
  }
});

function regionOn(io: Pick<Io, 'isTerminal' | 'env'>, rows = 24, columns = 20) {
  const written: string[] = [];
  const size = () => ({ columns, rows });
  const region = new LiveRegion({ ...io, size, out: (text) => void written.push(text) } as Io);
  return { region, written };
}

test('lines that are live replace those before them, are cut to the terminal and leave nothing behind', () => {
  const { region, written } = regionOn(terminal, 5);
  region.show(['one', 'two']);
  region.show([`${esc}[31m${'x'.repeat(40)}${esc}[0m`, 'b', 'c', 'd']);
  region.clear();
  region.clear();
  expect(written).toEqual([
    'one\ntwo\n',
    `${esc}[2A${esc}[0J${esc}[31m${'x'.repeat(19)}${esc}[0m\nb\n… and 2 more\n`,
    `${esc}[3A${esc}[0J`,
  ]);
});

test('a terminal that has no size shows 80 columns and 24 rows', () => {
  const { region, written } = regionOn(terminal, 0, 0);
  region.show(['waiting for Deployment shop/web', 'b', 'c', 'd']);
  expect(written).toEqual(['waiting for Deployment shop/web\nb\nc\nd\n']);
});

test('nothing is live where no terminal can move its cursor', () => {
  for (const io of [
    { isTerminal: false, env: {} },
    { isTerminal: true, env: { TERM: 'dumb' } },
  ]) {
    const { region, written } = regionOn(io);
    region.show(['one']);
    region.clear();
    expect(written).toEqual([]);
  }
});
