import { afterEach, beforeEach, expect, test } from 'vitest';
import { finalizer, type KubeObject } from '#base/model';
import type { Transport } from '#kubernetes/client';
import { Commits, Life, type LifeOptions } from './control-plane.ts';
import { SecondCluster } from './second-cluster.ts';
import { config, deployment, shop } from './shop.ts';
import { furnished, home, Stage } from './stage.ts';

// Attack 33, A-28 … A-37: how applications go, with everything that may stand in their way.

let stage: Stage;
let repo: Commits;
let life: Life | undefined;
let second: SecondCluster;

beforeEach(async () => {
  stage = await Stage.open(await furnished());
  second = await SecondCluster.open(stage);
  repo = new Commits();
});
afterEach(async () => {
  await life?.end();
  await stage.close();
  await second.cluster.close();
});

const by = { manager: 'jane' };
const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: home, name: 'shop' };
const begin = (more: Partial<LifeOptions> = {}): void => {
  life = new Life(stage, { generate: repo.generate, open: second.open, ...more });
};
const isSynced = (): boolean => stage.app('shop')?.status?.sync?.status === 'Synced';
const isGone = (): boolean => stage.app('shop') === undefined;
const remove = () => stage.cluster.objects.remove(ref, {}, by);

async function deployed(
  how: string = finalizer.resources,
  spec: Partial<ReturnType<typeof shop>['spec']> = {},
): Promise<void> {
  const app = shop(spec);
  await stage.cluster.objects.create({ ...app, metadata: { ...app.metadata, finalizers: [how] } }, by);
  await stage.until('synced', isSynced);
}

/** The order in which objects of a kind leave, from here on. */
function leaving(...kinds: (readonly [apiVersion: string, kind: string])[]): string[] {
  const left: string[] = [];
  for (const [apiVersion, kind] of kinds) {
    void (async () => {
      const { signal } = stage.ctx;
      for await (const { type, object } of stage.cluster.objects.watch({ apiVersion, kind }, { signal }))
        if (type === 'DELETED') left.push(object.kind);
    })().catch(() => {});
  }
  return left;
}

test('foreground: what hangs below an object goes before it, and the application last of all (A-28, A-32)', async () => {
  repo.commit([deployment('web', 'web:1')]);
  begin();
  await deployed();
  const left = leaving(['apps/v1', 'Deployment'], ['apps/v1', 'ReplicaSet'], ['v1', 'Pod']);
  await remove();
  await stage.until('gone', isGone, 120_000);
  expect(left).toEqual(['Pod', 'Pod', 'ReplicaSet', 'Deployment']);
});

test('background: the object goes at once and the application with it; what hangs below is left to the cluster (A-28)', async () => {
  repo.commit([deployment('web', 'web:1')]);
  begin();
  await deployed(finalizer.resourcesBackground);
  const left = leaving(['apps/v1', 'Deployment'], ['apps/v1', 'ReplicaSet'], ['v1', 'Pod']);
  await remove();
  await stage.until('gone', isGone, 120_000);
  expect(left[0]).toBe('Deployment');
  await stage.clock.advance(120_000);
  expect(left).toHaveLength(4);
});

test('a deletion costs one request for each object and one to let go, however long it takes (A-30)', async () => {
  const waved = (name: string, wave: number): KubeObject => config(name, '1', wave);
  repo.commit([waved('a', 0), waved('b', 0), waved('c', 3), waved('d', 3)]);
  const requests: string[] = [];
  const transport: Transport = (request) => {
    const { method, path } = request;
    const [plain = ''] = path.split('?');
    if (!/^GET$/.test(method) || !path.includes('watch='))
      requests.push(`${method} ${plain.split('/').slice(-2).join('/')}`);
    return stage.transport(request);
  };
  begin({ transport });
  await deployed();
  await stage.clock.advance(10_000);
  requests.length = 0;
  await remove();
  await stage.until('gone', isGone, 120_000);
  await stage.clock.advance(60_000);
  const told = requests.filter((line) => !line.includes('/events'));
  expect([...told.slice(0, 2).sort(), ...told.slice(2, 4).sort(), ...told.slice(4)]).toEqual([
    'DELETE configmaps/c',
    'DELETE configmaps/d',
    'DELETE configmaps/a',
    'DELETE configmaps/b',
    'PATCH applications/shop',
  ]);
});

test('an object whose watch event is late is not deleted a second time (A-30)', async () => {
  repo.commit([config('a', '1'), config('b', '1'), config('c', '1')]);
  const deletions: string[] = [];
  /** The end of everything but `a` is reported two seconds late. */
  async function* late(body: AsyncIterable<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
    for await (const chunk of body) {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      if (text.includes('"DELETED"') && !text.includes('"name":"a"'))
        await stage.clock.sleep(2_000, stage.ctx.signal).catch(() => {});
      yield chunk;
    }
  }
  const transport: Transport = async (request) => {
    if (request.method === 'DELETE') deletions.push(request.path.split('?')[0]?.split('/').at(-1) ?? '');
    const response = await stage.transport(request);
    const isWatch = request.path.includes('/configmaps?') && request.path.includes('watch=');
    const { body } = response;
    if (!isWatch || typeof body === 'string' || body instanceof Uint8Array) return response;
    return { ...response, body: late(body) };
  };
  begin({ transport });
  await deployed();
  await stage.clock.advance(10_000);
  deletions.length = 0;
  await remove();
  await stage.until('gone', isGone, 120_000);
  expect(deletions.sort()).toEqual(['a', 'b', 'c']);
});

test('what asks to be kept is kept: by its own option, by the application and by Helm (A-31)', async () => {
  const wishing = (name: string, annotations: Record<string, string>): KubeObject => {
    const one = config(name, '1');
    return { ...one, metadata: { ...one.metadata, annotations } };
  };
  repo.commit([
    config('plain', '1'),
    wishing('kept', { 'argocd.argoproj.io/sync-options': 'Delete=false' }),
    wishing('kept-by-helm', { 'helm.sh/resource-policy': 'keep' }),
    wishing('goes', { 'argocd.argoproj.io/sync-options': 'Delete=true' }),
  ]);
  begin();
  await deployed();
  await remove();
  await stage.until('gone', isGone, 60_000);
  const names = () => stage.list('v1', 'ConfigMap', 'shop').map(({ metadata }) => metadata.name);
  expect(names()).toEqual(['kept', 'kept-by-helm', 'kube-root-ca.crt']);

  const syncPolicy = { automated: {}, syncOptions: ['Delete=false'] };
  await deployed(finalizer.resources, { syncPolicy });
  await remove();
  await stage.until('gone', isGone, 60_000);
  expect(names()).toEqual(['kept', 'kept-by-helm', 'kube-root-ca.crt', 'plain']);
});

test('a cluster that is registered and out of reach keeps its applications, which say why, until it is back', async () => {
  repo.commit([config('a', '1')]);
  begin();
  await stage.cluster.objects.create(second.secret(), by);
  await deployed(finalizer.resources, { destination: { name: 'second', namespace: 'shop' } });
  expect(second.names()).toEqual(['a']);
  second.cut();
  await remove();
  await stage.clock.advance(3_600_000);
  expect(stage.app('shop')?.status?.conditions).toMatchObject([
    { type: 'DeletionError', message: expect.stringContaining('connection refused') },
  ]);
  second.mend();
  // what watches it tries every half minute at most, and then nobody waits any longer
  await stage.until('gone', isGone, 60_000);
  expect(second.names()).toEqual([]);
});

test('one that is registered in a way that cannot be used keeps them too, until it is repaired (A-34)', async () => {
  repo.commit([config('a', '1')]);
  begin();
  await stage.cluster.objects.create(second.secret(), by);
  await deployed(finalizer.resources, { destination: { name: 'second', namespace: 'shop' } });
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: home, name: 'second' };
  const configured = (text: string) =>
    stage.cluster.objects.patch(
      secret,
      { type: 'merge', body: { data: { config: Buffer.from(text).toString('base64') } } },
      by,
    );
  await configured('{ not json');
  await stage.quiet();
  await remove();
  await stage.clock.advance(600_000);
  const message = expect.stringContaining('cluster second cannot be used');
  expect(stage.app('shop')?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'DeletionError', message }),
  );
  expect(second.names()).toEqual(['a']);
  await configured('{}');
  await stage.until('gone', isGone, 60_000);
  expect(second.names()).toEqual([]);
});

test('one that is not registered any more lets its applications go, and they say what stays behind (A-34, A-37)', async () => {
  repo.commit([config('a', '1')]);
  begin();
  await stage.cluster.objects.create(second.secret(), by);
  await deployed(finalizer.resources, { destination: { name: 'second', namespace: 'shop' } });
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: home, name: 'second' };
  await stage.cluster.objects.remove(secret, {}, by);
  await stage.quiet();
  expect(isGone()).toBe(false);
  await remove();
  await stage.until('gone', isGone, 60_000);
  expect(second.names()).toEqual(['a']);
  const told = stage
    .list('v1', 'Event', home)
    .map((event) => String((event as { message?: string }).message));
  expect(told.filter((message) => message.includes('what it deployed there stays'))).toHaveLength(1);
});
