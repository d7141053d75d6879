import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { realClock } from '#base/std';
import { createCluster } from '#embedded';
import { openStore } from '#platform/store';
import { talkTo } from '../talk.ts';
import { shell } from './kubectl.ts';

/** What was acknowledged is there after `kill -9`, and what had begun goes on (room invariants 1 and 2). */
const folders: string[] = [];
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  for (const dir of folders.splice(0)) await rm(dir, { recursive: true, force: true });
});

const source = (path: string): string =>
  JSON.stringify(fileURLToPath(new URL(`../../src/${path}`, import.meta.url)));
const imports = `
  import { createCluster, listen } from ${source('embedded/index.ts')};
  import { realClock, silent } from ${source('base/std/index.ts')};
  import { openStore } from ${source('platform/store/index.ts')};`;

/** Runs a script in a process of its own; `line()` waits for what it prints next. */
function start(script: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', imports + script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = linesOf(child.stdout);
  const line = async (): Promise<string> => String((await lines.next()).value);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    if (child.signalCode === null) await once(child, 'exit');
  };
  return { line, kill };
}

async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'fairlead-crash-'));
  folders.push(dir);
  return dir;
}

test('every acknowledged object survives, and no resourceVersion is given twice', async () => {
  const dir = await folder();
  const writer = start(`
    const cluster = await createCluster({ store: await openStore(${JSON.stringify(join(dir, 'store'))}), clock: realClock });
    const make = async (i) => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' + i, namespace: 'default' }, data: { i: String(i) } };
      const made = await cluster.objects.create(object, { manager: 'test' });
      console.log(i + ' ' + made.metadata.resourceVersion);
    };
    for (let i = 0; ; i += 8) await Promise.all(Array.from({ length: 8 }, (_, k) => make(i + k)));`);
  const acknowledged: [name: number, rv: number][] = [];
  while (acknowledged.length < 300) {
    const [name, rv] = (await writer.line()).split(' ').map(Number) as [number, number];
    acknowledged.push([name, rv]);
  }
  await writer.kill();

  const store = await openStore(join(dir, 'store'));
  const speak = talkTo(await createCluster({ store, clock: realClock }));
  const path = '/api/v1/namespaces/default/configmaps';
  for (const [name, rv] of acknowledged) {
    const { body } = await speak.get(`${path}/c${name}`);
    expect([body.data, body.metadata.resourceVersion]).toEqual([{ i: String(name) }, String(rv)]);
  }
  const newest = Math.max(...acknowledged.map(([, rv]) => rv));
  const { body } = await speak.post(path, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'after' },
  });
  expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(newest);
  const watching = await speak.watch(`${path}?watch=true&resourceVersion=${newest - 100}`);
  expect(await watching.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  await speak.cluster.close();
  await store.close();
});

test('killed in the middle of large transactions, each is there whole or not at all', async () => {
  const dir = await folder();
  const size = 150;
  const writer = start(`
    const cluster = await createCluster({ store: await openStore(${JSON.stringify(join(dir, 'store'))}), clock: realClock });
    const make = (round, i) => cluster.objects.create(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'r' + round + '-' + i, namespace: 'default' }, data: { pad: 'x'.repeat(2000) } },
      { manager: 'test' });
    for (let round = 0; ; round++) {
      console.log('begin ' + round);
      await Promise.all(Array.from({ length: ${size} }, (_, i) => make(round, i)));
      console.log('done ' + round);
    }`);
  let done = -1;
  while (done < 5) {
    const [word, round] = (await writer.line()).split(' ');
    if (word === 'done') done = Number(round);
  }
  await writer.line(); // the next round has begun
  await writer.kill();

  const store = await openStore(join(dir, 'store'));
  const speak = talkTo(await createCluster({ store, clock: realClock }));
  const { items, metadata } = (await speak.get('/api/v1/namespaces/default/configmaps')).body;
  const rounds = new Map<string, number>();
  for (const { metadata: own } of items) {
    const round = /^r(\d+)-/.exec(own.name)?.[1];
    if (round !== undefined) rounds.set(round, (rounds.get(round) ?? 0) + 1);
    expect(Number(own.resourceVersion)).toBeLessThanOrEqual(Number(metadata.resourceVersion));
  }
  for (let round = 0; round <= done; round++) expect(rounds.get(String(round))).toBe(size);
  expect([...new Set(rounds.values())]).toEqual([size]);
  await speak.cluster.close();
  await store.close();
});

test('kubectl finds the same cluster behind the same kubeconfig, and what had begun is finished', async () => {
  const dir = await folder();
  const server = `
    const dir = ${JSON.stringify(dir)};
    const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
    const cluster = await createCluster({ store: await openStore(dir + '/store'), clock: realClock });
    const { url, kubeconfigPath } = await listen(ctx, cluster, { port: PORT, dir });
    console.log(url + ' ' + kubeconfigPath);`;
  const first = start(server.replace('PORT', '0'));
  const [url = '', kubeconfig = ''] = (await first.line()).split(' ');
  const kubectl = await shell('kubectl', kubeconfig);
  await kubectl.run('create namespace kept');
  await kubectl.run('create configmap cm --from-literal=a=b -n kept');
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  };
  await kubectl.run('apply -f -', definition);
  await kubectl.run('wait --for=condition=Established crd/widgets.example.com --timeout=10s');
  await kubectl.run('apply -f -', { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } });
  await first.kill();

  const second = start(server.replace('PORT', new URL(url).port));
  expect((await second.line()).split(' ')[0]).toBe(url);
  expect(await kubectl.run('get cm cm -n kept -o jsonpath={.data.a}')).toBe('b');
  expect(await kubectl.run('get widgets -o name')).toBe('widget.example.com/w\n');
  await kubectl.run('delete namespace kept');
  await kubectl.close();
});
