import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';

// Any process may die at any line: what was asked for is done after the next start, and nothing is done twice.
const job = (name: string, hook: string) => `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
  annotations:
    argocd.argoproj.io/hook: ${hook}
    simulate.fairlead.io/run-for: 3s
spec:
  template:
    metadata:
      annotations:
        simulate.fairlead.io/run-for: 3s
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: example/task:1.0
`;
const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settled\ndata:\n  a: b\n';

let fairlead: Fairlead;

beforeAll(async () => {
  fairlead = await startFairlead();
  await fairlead.until('demo', 'there', () => true);
  mkdirSync(join(fairlead.demo, 'steps'));
  await fairlead.commit({
    'steps/before.yaml': job('before', 'PreSync'),
    'steps/config.yaml': config,
    'steps/after.yaml': job('after', 'PostSync'),
  });
});

afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const uid = async (name: string): Promise<string> =>
  (await fairlead.kubectl('get', 'job', name, '-n', 'steps', '-o', 'jsonpath={.metadata.uid}')).stdout;
const pods = async (name: string): Promise<string[]> =>
  (await fairlead.kubectl('get', 'pods', '-n', 'steps', '-l', `job-name=${name}`, '-o', 'name')).stdout
    .trim()
    .split('\n')
    .filter(Boolean);

test('killed in the middle of a hook, the sync goes on where it was and runs no hook twice', async () => {
  await fairlead.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'steps', namespace: 'argocd' },
    spec: {
      source: { repoURL: `file://${fairlead.demo}`, path: 'steps' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'steps' },
      syncPolicy: { automated: {}, syncOptions: ['CreateNamespace=true'] },
    },
  });
  const isRunning =
    (name: string) =>
    ({ status }: { status?: any }) =>
      status?.operationState?.syncResult?.resources?.some(
        (r: any) => r.name === name && r.hookPhase === 'Running',
      );

  await fairlead.until('steps', 'running its first hook', isRunning('before'));
  const before = await uid('before');
  await fairlead.kill();
  fairlead = await fairlead.restart();

  await fairlead.until('steps', 'running its last hook', isRunning('after'));
  expect(await uid('before')).toBe(before);
  const after = await uid('after');
  await fairlead.kill();
  fairlead = await fairlead.restart();

  const app = await fairlead.until('steps', 'synced and healthy', isSettled);
  expect(app.status?.operationState).toMatchObject({ phase: 'Succeeded' });
  expect(app.status?.operationState?.retryCount ?? 0).toBe(0);
  expect([await uid('before'), await uid('after')]).toEqual([before, after]);
  expect([await pods('before'), await pods('after')].map((list) => list.length)).toEqual([1, 1]);
  expect(app.status?.history).toHaveLength(1);
});

test('Ctrl-C stops cleanly, and the next start has everything', async () => {
  expect(await fairlead.stop()).toBe(0);
  fairlead = await fairlead.restart();
  await fairlead.until('guestbook', 'settled', isSettled);
  const { stdout } = await fairlead.kubectl(
    'get',
    'configmap',
    'settled',
    '-n',
    'steps',
    '-o',
    'jsonpath={.data.a}',
  );
  expect(stdout).toBe('b');
});
