import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { appOf, configMap, isSettled, type Plane, startPlane } from '../e2e/in-process.ts';
import { Commits, Life } from '../fault/control-plane.ts';
import { HookCount } from '../fault/outcome.ts';
import { chapters, shop } from '../fault/shop.ts';
import { furnished, Stage } from '../fault/stage.ts';
import { type GitHttpServer, gitHttpServer } from '../git-http-server.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../git-repository.ts';

// Git that goes away in the middle, history that is rewritten, branches that vanish and tags that move. An hour without Git
// is in test/fault/outages.test.ts.

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let https: GitHttpServer;
let repo: GitRepositoryFixture;
let plane: Plane;
/** The Git host drops every connection. */
let isDown = false;

beforeAll(async () => {
  folder = await temporaryFolder();
  repo = await gitRepository(join(folder.path, 'srv/repo'));
  await repo.commit({ 'a.yaml': manifest('1') });
  https = await gitHttpServer({
    root: join(folder.path, 'srv'),
    first: ({ socket }) => isDown && socket.destroy() !== undefined,
  });
  plane = await startPlane();
});
afterAll(async () => {
  await plane.stop();
  await https.close();
  await folder.remove();
});

const manifest = (value: string, name = 'a'): string => JSON.stringify(configMap(name, { value }));
const ref = (namespace: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
const valueIn = async (namespace: string, name = 'a'): Promise<string | undefined> =>
  ((await plane.find(ref(namespace, name))) as { data?: { value?: string } } | undefined)?.data?.value;
const refresh = (name: string) =>
  plane.edit(name, { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } });

async function following(name: string, targetRevision: string, selfHeal = false): Promise<void> {
  const app: Application = appOf(plane, name, {
    source: { repoURL: `${https.url}/repo`, path: '.', targetRevision },
    syncPolicy: { automated: { prune: true, selfHeal }, syncOptions: ['CreateNamespace=true'] },
  });
  await plane.apply(app);
  await plane.untilApp(name, 'settled', isSettled);
}

test('a branch that is rewritten is followed to where it is now', async () => {
  await repo.git('checkout', '--quiet', '-b', 'rewritten');
  await repo.commit({ 'a.yaml': manifest('2'), 'b.yaml': manifest('2', 'b') });
  await following('rewritten', 'rewritten');
  expect(await valueIn('rewritten', 'b')).toBe('2');
  await repo.git('reset', '--quiet', '--hard', 'main');
  const head = await repo.commit({ 'a.yaml': manifest('3') });
  await refresh('rewritten');
  await plane.untilApp(
    'rewritten',
    'at the new head',
    (app) => isSettled(app) && app.status?.sync?.revision === head,
  );
  expect([await valueIn('rewritten'), await valueIn('rewritten', 'b')]).toEqual(['3', undefined]);
});

test('a branch that is gone is told of, nothing is pruned, and it is found when it is there again', async () => {
  await repo.git('checkout', '--quiet', '-B', 'fleeting', 'main');
  await following('fleeting', 'fleeting');
  await repo.git('checkout', '--quiet', 'main');
  await repo.git('branch', '--quiet', '-D', 'fleeting');
  await refresh('fleeting');
  const { status } = await plane.untilApp(
    'fleeting',
    'unknown',
    (app) => app.status?.sync?.status === 'Unknown',
  );
  expect(status?.conditions).toMatchObject([
    { type: 'ComparisonError', message: expect.stringMatching(/^source failure: .*fleeting/) },
  ]);
  expect(status?.resources?.map(({ name }) => name)).toContain('a');
  expect(await valueIn('fleeting')).toBe('1');
  await repo.git('branch', '--quiet', 'fleeting');
  await refresh('fleeting');
  await plane.untilApp('fleeting', 'settled', isSettled);
});

test('a tag that moved is followed by the next look, and not by a sync that is under way', async () => {
  await repo.git('checkout', '--quiet', 'main');
  await repo.git('tag', 'v1');
  await following('tagged', 'v1');
  expect(await valueIn('tagged')).toBe('1');
  await repo.git('checkout', '--quiet', '-B', 'moved', 'main');
  const moved = await repo.commit({ 'a.yaml': manifest('moved') });
  await repo.git('tag', '--force', 'v1');
  await refresh('tagged');
  const app = await plane.untilApp(
    'tagged',
    'at where the tag is now',
    (one) => isSettled(one) && one.status?.sync?.revision === moved,
  );
  expect(app.status?.operationState?.syncResult?.revision).toBe(moved);
  expect(await valueIn('tagged')).toBe('moved');
});

test('Git that goes away while a hook runs is waited for, and the hook is not run again (R-37)', async () => {
  const stage = await Stage.open(await furnished());
  const commits = new Commits();
  const life = new Life(stage, { generate: commits.generate });
  const count = new HookCount(stage, () => commits.head);
  try {
    commits.commit(chapters[0]?.objects ?? []);
    await stage.cluster.objects.create(shop(), { manager: 'jane' });
    const jobs = () => stage.list('batch/v1', 'Job', 'shop');
    await stage.until('a hook runs', () => jobs().length > 0);
    commits.away = 'repository https://git.example/shop cannot be reached: connection refused';
    await stage.clock.advance(3_600_000);
    const { operationState } = stage.app('shop')?.status ?? {};
    expect(operationState?.phase).toBe('Running');
    expect(operationState?.message).toContain('connection refused');
    commits.away = undefined;
    const isDone = () => stage.app('shop')?.status?.operationState?.phase === 'Succeeded';
    await stage.until('done', isDone, 120_000);
    expect(new Set(Object.values(await count.end()))).toEqual(new Set([1]));
    expect(count.repeated).toEqual([]);
  } finally {
    await life.end();
    await stage.close();
  }
});

/** Changes a live object as a user would, and waits until the controller has changed it back. */
async function isHealed(namespace: string, wanted: string, drifted: string): Promise<void> {
  await plane.kube.patch(plane.ctx, ref(namespace, 'a'), {
    type: 'merge',
    body: { data: { value: drifted } },
  });
  await plane.until(
    'the drift is healed',
    () => valueIn(namespace),
    (value) => value === wanted,
  );
}

const isRequested = ({ metadata }: Application): boolean =>
  metadata.annotations?.['argocd.argoproj.io/refresh'] !== undefined;
const isUnknown = ({ status }: Application): boolean =>
  status?.sync?.status === 'Unknown' && (status.conditions?.length ?? 0) > 0;

test('drift is healed with the recorded revision while the Git host is down, before and after the application is Unknown', async () => {
  await repo.git('checkout', '--quiet', '-B', 'healing', 'main');
  await following('healing', 'healing', true);
  const revision = (await plane.app('healing')).status?.sync?.revision;
  isDown = true;
  try {
    // a refresh that a user requests reports the failure at once, and is retried as deep as it was requested
    await refresh('healing');
    await plane.untilApp('healing', 'unknown', isUnknown);
    await isHealed('healing', '1', 'drifted');
    // the backoff of self-heal counts as it does at any other time
    await isHealed('healing', '1', 'drifted again');
    const { status } = await plane.untilApp('healing', 'still unknown', isUnknown);
    expect(status?.sync?.revision).toBe(revision);
    expect(status?.operationState?.operation.sync?.revision).toBe(revision);
    expect(status?.conditions).toMatchObject([
      {
        type: 'ComparisonError',
        message: expect.stringMatching(/^source failure: .*, and nothing newer is applied or pruned/),
      },
    ]);
    // a timer that is due while the failure is still excused does not keep drift from being healed either
    await plane.edit('healing', { status: { reconciledAt: '2026-01-01T00:00:00Z' } });
    await isHealed('healing', '1', 'drifted once more');
  } finally {
    isDown = false;
  }
  await plane.untilApp('healing', 'settled', (app) => isSettled(app) && !app.status?.conditions?.length);
});

/** Session key of the installation, under which a process records what the next one may use. */
const sessionKey = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'argocd-secret', namespace: 'argocd' },
  stringData: { 'server.secretkey': 'signs-sessions' },
} as KubeObject;

test('drift is healed with the recorded revision by a process that starts while the Git host is down', async () => {
  await plane.apply(sessionKey);
  await repo.git('checkout', '--quiet', '-B', 'restarted', 'main');
  await following('restarted', 'restarted', true);
  const revision = (await plane.app('restarted')).status?.sync?.revision;
  await refresh('restarted');
  await plane.untilApp('restarted', 'settled', (app) => isSettled(app) && !isRequested(app));
  try {
    await plane.restart(async () => {
      isDown = true;
    });
    await isHealed('restarted', '1', 'drifted before it is unknown');
    await refresh('restarted');
    await plane.untilApp('restarted', 'unknown', isUnknown);
    await isHealed('restarted', '1', 'drifted');
    // once more, from the status of an application that was unknown all along
    await plane.restart();
    await isHealed('restarted', '1', 'drifted again');
    // a sync under way is carried out by the next process, whatever the spec says then
    const isDone = (app: Application) => isUnknown(app) && !app.operation;
    const { status } = await plane.untilApp('restarted', 'still unknown, its sync ended', isDone);
    expect(status?.sync?.revision).toBe(revision);
    // another path since: the revision on record says nothing about it
    await plane.restart(() => plane.edit('restarted', { spec: { source: { path: 'elsewhere' } } }));
    await plane.kube.patch(plane.ctx, ref('restarted', 'a'), {
      type: 'merge',
      body: { data: { value: 'drifted for good' } },
    });
    await plane.pass(30_000);
    expect(await valueIn('restarted')).toBe('drifted for good');
  } finally {
    isDown = false;
  }
});

test('a repository on this machine that is missing at a start heals drift, and is followed again when it is back', async () => {
  await plane.apply(sessionKey);
  const local = await gitRepository(join(folder.path, 'local'));
  await local.commit({ 'a.yaml': manifest('1') });
  const app = appOf(plane, 'local', {
    source: { repoURL: `file://${local.dir}`, path: '.', targetRevision: 'HEAD' },
    syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
  });
  await plane.apply(app);
  await plane.untilApp('local', 'settled', isSettled);
  const aside = join(folder.path, 'aside');
  await plane.restart(() => rename(local.dir, aside));
  await refresh('local');
  const { status } = await plane.untilApp('local', 'unknown', isUnknown);
  expect(status?.conditions?.[0]?.message).toContain('restore or mount the folder, or change repoURL');
  await isHealed('local', '1', 'drifted');
  await rename(aside, local.dir);
  const head = await local.commit({ 'a.yaml': manifest('2') });
  await plane.untilApp('local', 'settled', (one) => isSettled(one) && one.status?.sync?.revision === head);
});

test('nothing is healed while the Git host is down if the source, the destination or the project is another one now', async () => {
  const project = (name: string) => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: 'argocd' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  });
  await plane.apply(project('other') as KubeObject);
  await repo.git('checkout', '--quiet', '-B', 'moving', 'main');
  const changes: Record<string, object> = {
    'moved-source': { source: { path: 'elsewhere' } },
    'moved-rules': { ignoreDifferences: [{ kind: 'Secret', jsonPointers: ['/data'] }] },
    'moved-project': { project: 'other' },
  };
  for (const name of Object.keys(changes)) await following(name, 'moving', true);
  isDown = true;
  try {
    for (const [name, spec] of Object.entries(changes)) {
      await plane.edit(name, { spec });
      await refresh(name);
      await plane.untilApp(name, 'unknown', isUnknown);
      const operation = (await plane.app(name)).status?.operationState?.startedAt;
      await plane.kube.patch(plane.ctx, ref(name, 'a'), {
        type: 'merge',
        body: { data: { value: 'drifted' } },
      });
      await plane.pass(30_000);
      expect([name, await valueIn(name)]).toEqual([name, 'drifted']);
      expect((await plane.app(name)).status?.operationState?.startedAt).toBe(operation);
    }
  } finally {
    isDown = false;
  }
});

test('a sync that a user starts while the Git host is down says that nothing was applied and how to apply the last known revision', async () => {
  await repo.git('checkout', '--quiet', '-B', 'by-hand', 'main');
  await following('by-hand', 'by-hand');
  const revision = (await plane.app('by-hand')).status?.sync?.revision ?? '';
  const begun = (app: Application) => app.status?.operationState?.operation.initiatedBy?.username === 'jane';
  isDown = true;
  try {
    await plane.request('by-hand', { sync: {}, initiatedBy: { username: 'jane' } });
    const failed = await plane.untilApp('by-hand', 'failed', (app) => begun(app) && !app.operation);
    expect(failed.status?.operationState).toMatchObject({ phase: 'Error' });
    const message = String(failed.status?.operationState?.message);
    expect(message).toContain('source failure: ');
    expect(message).toContain(
      `nothing was applied; sync to revision ${revision} to apply the last known one`,
    );
    await plane.kube.patch(plane.ctx, ref('by-hand', 'a'), {
      type: 'merge',
      body: { data: { value: 'drifted' } },
    });
    await plane.request('by-hand', { sync: { revision }, initiatedBy: { username: 'jane' } });
    await plane.until(
      'the known revision is applied',
      () => valueIn('by-hand'),
      (value) => value === '1',
    );
  } finally {
    isDown = false;
  }
});
