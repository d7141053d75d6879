import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';

// The path of a commit, from a file edited in the demo repository to a healthy application, as a newcomer walks it.
const names = ['demo', 'guestbook', 'storefront', 'catalog', 'hello', 'product-import-staging'];
let fairlead: Fairlead;

beforeAll(async () => {
  fairlead = await startFairlead();
  for (const name of names) await fairlead.until(name, 'synced and healthy', isSettled);
});

afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const read = (path: string): string => readFileSync(join(fairlead.demo, path), 'utf8');
const field = async (kind: string, name: string, namespace: string, path: string): Promise<string> =>
  (await fairlead.kubectl('get', kind, name, '-n', namespace, '-o', `jsonpath=${path}`)).stdout;

test('the app of apps brought the others in waves, after its PreSync job', async () => {
  const demo = await fairlead.until('demo', 'synced', isSettled);
  const results = demo.status?.operationState?.syncResult?.resources ?? [];
  expect(results[0]).toMatchObject({
    kind: 'Job',
    name: 'prepare',
    hookType: 'PreSync',
    hookPhase: 'Succeeded',
  });
  expect(results.slice(1).map(({ name }) => name)).toEqual([
    'guestbook',
    'catalog',
    'storefront',
    'hello',
    'product-import-staging',
  ]);
});

test('a commit to plain YAML rolls out, and kubectl sees it', async () => {
  const text = read('guestbook/web.yaml').replace('replicas: 2', 'replicas: 3');
  const commit = await fairlead.commit({ 'guestbook/web.yaml': text }, 'three of them');
  await fairlead.until(
    'guestbook',
    `synced to ${commit}`,
    (app) => isSettled(app) && app.status?.sync?.revision === commit,
  );
  const rollout = await fairlead.kubectl(
    'rollout',
    'status',
    'deployment/web',
    '-n',
    'guestbook',
    '--timeout=30s',
  );
  expect(rollout).toMatchObject({ code: 0, stdout: expect.stringContaining('successfully rolled out') });
  expect(await field('deployment', 'web', 'guestbook', '{.status.readyReplicas}')).toBe('3');
});

test('the kustomize overlay and the second value file decide what runs', async () => {
  expect(await field('deployment', 'storefront', 'storefront', '{.spec.replicas}')).toBe('3');
  expect(
    await field('deployment', 'storefront', 'storefront', '{.spec.template.spec.containers[0].image}'),
  ).toBe('example/storefront:1.2.0');
  expect(await field('deployment', 'catalog', 'catalog', '{.spec.replicas}')).toBe('2');
  expect(
    await field('deployment', 'catalog', 'catalog', '{.spec.template.spec.containers[0].env[0].value}'),
  ).toBe('50');
});

test('the overlay of the Knative example runs, and a commit to it makes a Revision', async () => {
  const overlay = 'knative/product-import/overlays/staging';
  const app = 'product-import-staging';
  const note = '{.spec.template.metadata.annotations.autoscaling\\.knative\\.dev/max-scale}';
  const before = await field('ksvc', 'product-import', app, note);
  const commit = await fairlead.commit({
    [`${overlay}/patches/scale.yaml`]: read(`${overlay}/patches/scale.yaml`).replace(
      /max-scale: .*/,
      'max-scale: "7"',
    ),
  });
  await fairlead.until(
    app,
    `synced to ${commit}`,
    (one) => isSettled(one) && one.status?.sync?.revision === commit,
  );
  expect(before).toBe('2');
  expect(await field('ksvc', 'product-import', app, note)).toBe('7');
  expect(await field('ksvc', 'product-import', app, '{.status.latestReadyRevisionName}')).toBe(
    'product-import-00002',
  );
});

test('a new Knative revision takes the traffic', async () => {
  expect(await field('ksvc', 'hello', 'hello', '{.status.latestReadyRevisionName}')).toBe('hello-00001');
  const commit = await fairlead.commit({
    'hello/service.yaml': read('hello/service.yaml').replace('World', 'Fairlead'),
  });
  await fairlead.until(
    'hello',
    `synced to ${commit}`,
    (app) => isSettled(app) && app.status?.sync?.revision === commit,
  );
  expect(await field('ksvc', 'hello', 'hello', '{.status.latestReadyRevisionName}')).toBe('hello-00002');
  expect(
    await field('ksvc', 'hello', 'hello', '{.status.traffic[0].revisionName}:{.status.traffic[0].percent}'),
  ).toBe('hello-00002:100');
});

test('drift is healed', async () => {
  await fairlead.kubectl('scale', 'deployment/worker', '-n', 'guestbook', '--replicas=4');
  const healed = [
    '--for=jsonpath={.spec.replicas}=1',
    'deployment/worker',
    '-n',
    'guestbook',
    '--timeout=30s',
  ];
  expect(await fairlead.kubectl('wait', ...healed)).toMatchObject({ code: 0 });
  await fairlead.until('guestbook', 'settled', isSettled);
});

test('what Git no longer declares is pruned', async () => {
  const commit = await fairlead.commit({ 'guestbook/worker.yaml': null }, 'no worker');
  await fairlead.until(
    'guestbook',
    `synced to ${commit}`,
    (app) => isSettled(app) && app.status?.sync?.revision === commit,
  );
  const gone = await fairlead.kubectl(
    'wait',
    '--for=delete',
    'deployment/worker',
    '-n',
    'guestbook',
    '--timeout=30s',
  );
  expect(gone.code).toBe(0);
});

test('a hook that fails ends the sync with its name, and leaves the rest alone', async () => {
  const text = read('apps/prepare.yaml').replace('example/prepare:1.0', 'example/job-fail:1.0');
  const commit = await fairlead.commit({ 'apps/prepare.yaml': text }, 'break the hook');
  await fairlead.until('demo', `compared with ${commit}`, ({ status }) => status?.sync?.revision === commit);
  await fairlead.cli(
    'login',
    new URL(fairlead.url).host,
    '--username',
    'admin',
    '--password',
    fairlead.password,
  );
  const sync = await fairlead.cli('app', 'sync', 'demo', '--timeout', '60');
  expect(sync).toMatchObject({ code: 1, stderr: expect.stringContaining('Failed') });
  const demo = await fairlead.until(
    'demo',
    'failed',
    ({ status }) => status?.operationState?.phase === 'Failed',
  );
  expect(demo.status?.operationState?.message).toContain('Job argocd/prepare');
  expect(demo.status?.operationState?.syncResult?.resources).toMatchObject([
    { name: 'prepare', hookPhase: 'Failed' },
  ]);
  for (const name of names.slice(1)) {
    expect(isSettled(await fairlead.until(name, 'there', () => true))).toBe(true);
  }
});

test('a Knative revision that cannot start degrades its application and keeps the traffic where it was', async () => {
  const text = read('hello/service.yaml').replace('example/helloworld:1.0', 'example/image-pull-error:1.0');
  await fairlead.commit({ 'hello/service.yaml': text }, 'break the image');
  const hello = await fairlead.until(
    'hello',
    'degraded',
    ({ status }) => status?.health?.status === 'Degraded',
  );
  expect(hello.status?.resources?.find(({ kind }) => kind === 'Service')?.health?.message).toMatch(
    /hello-00003/,
  );
  expect(await field('ksvc', 'hello', 'hello', '{.status.traffic[0].revisionName}')).toBe('hello-00002');
});
