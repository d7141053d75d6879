import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#model';
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

beforeAll(async () => {
  folder = await temporaryFolder();
  repo = await gitRepository(join(folder.path, 'srv/repo'));
  await repo.commit({ 'a.yaml': manifest('1') });
  https = await gitHttpServer({ root: join(folder.path, 'srv') });
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

async function following(name: string, targetRevision: string): Promise<void> {
  const app: Application = appOf(plane, name, {
    source: { repoURL: `${https.url}/repo`, path: '.', targetRevision },
    syncPolicy: { automated: { prune: true }, syncOptions: ['CreateNamespace=true'] },
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
