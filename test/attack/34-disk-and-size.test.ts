import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import { createKubeClient } from '#kubernetes/client';
import { createSources } from '#sources/repositories';
import { type Fairlead, forget, startFairlead } from '../e2e/fairlead.ts';
import { gitRepository, temporaryFolder } from '../git-repository.ts';
import { gitCommand } from '../manifests.ts';
import { configMap, talk } from '../talk.ts';

// Attack 34: a disk that fills up and gets room again, repositories with very many refs, very many objects.

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const run = promisify(execFile);
let fairlead: Fairlead;
let metricsPort: number;
beforeAll(async () => {
  // a limit on the size of files is as full as a disk can be made without root; its signal would end the program
  process.env.NODE_OPTIONS = `--import=data:text/javascript,process.on('SIGXFSZ',()=>{})`;
  metricsPort = await freePort();
  fairlead = await startFairlead('--no-demo', '--metrics-port', String(metricsPort)).finally(
    () => delete process.env.NODE_OPTIONS,
  );
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const limit = (bytes: string) => run('prlimit', ['--pid', String(fairlead.pid), `--fsize=${bytes}:`]);
const health = async (path: string, base = fairlead.url): Promise<number> =>
  (await fetch(new URL(path, base))).status;
const metricsHealth = (): Promise<number[]> =>
  Promise.all(['/healthz', '/readyz'].map((path) => health(path, `http://127.0.0.1:${metricsPort}`)));
const create = (name: string) =>
  fairlead.apply({
    ...configMap(name, { text: 'x'.repeat(200_000) }),
    metadata: { name, namespace: 'default' },
  });

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await isSo()) return;
    await sleep(100);
  }
  throw new Error(`it was never so that ${what}`);
}

test('on a full disk reads go on and health is refused; with room again writes go on, and nothing is lost', async () => {
  expect(await Promise.all(['/healthz', '/readyz'].map((path) => health(path)))).toEqual([200, 200]);
  expect(await metricsHealth()).toEqual([200, 200]);
  await limit(String(statSync(join(fairlead.dataDir, 'store/data.mdb')).size));
  const stored: string[] = [];
  let refusal = '';
  for (let i = 0; i < 40 && refusal === ''; i++) {
    const { code, stderr } = await create(`c${i}`);
    if (code === 0) stored.push(`configmap/c${i}`);
    else refusal = stderr;
  }
  expect(refusal).toContain('check that the disk of the data directory has room');
  const names = async () =>
    (await fairlead.kubectl('get', 'configmaps', '-n', 'default', '-o', 'name')).stdout;
  for (const name of stored) expect(await names()).toContain(name);
  expect(await Promise.all(['/healthz', '/readyz'].map((path) => health(path)))).toEqual([503, 503]);
  expect(await metricsHealth()).toEqual([503, 503]);
  for (const path of ['/healthz', '/livez', '/readyz']) {
    expect((await fairlead.kubectl('get', '--raw', path)).stderr).toContain('etcd failed');
  }
  await limit('unlimited');
  await until('the program is healthy', async () => (await health('/readyz')) === 200);
  expect((await create('later')).code).toBe(0);
  expect(await health('/healthz')).toBe(200);
  expect(await metricsHealth()).toEqual([200, 200]);
  await fairlead.kill();
  fairlead = await fairlead.restart();
  for (const name of [...stored, 'configmap/later']) expect(await names()).toContain(name);
});

test('a repository with 100,000 refs is resolved', async () => {
  const folder = await temporaryFolder();
  const repository = await gitRepository(join(folder.path, 'repo'));
  const commit = await repository.commit({ a: 'b' });
  // packed, as a server keeps them: a hundred thousand small files would take most of a minute to write
  const names = Array.from({ length: 100_000 }, (_one, i) => `refs/heads/many/b${i}`).sort();
  const packed = names.map((name) => `${commit} ${name}\n`).join('');
  await writeFile(
    join(repository.dir, '.git/packed-refs'),
    `# pack-refs with: peeled fully-peeled sorted\n${packed}`,
  );
  const sources = createSources({
    cacheDir: join(folder.path, 'cache'),
    git: gitCommand(),
    reach: { local: [folder.path], loopback: false },
  });
  const found = await sources.resolveRevision(ctx, { url: repository.dir }, 'many/b77777');
  expect(found).toMatchObject({ commit });
  await folder.remove();
});

/** `FAIRLEAD_TEST_OBJECTS=1000000` is the size that the attack names; it takes minutes and gigabytes (docs/testing.md). */
const objects = Number(process.env.FAIRLEAD_TEST_OBJECTS ?? 5_000);

test('a list of very many objects comes in pages, all of the same moment', {
  timeout: 60_000 + objects,
}, async () => {
  const { cluster } = await talk();
  for (let i = 0; i < objects; i++) {
    const object = { ...configMap(`c${i}`), metadata: { name: `c${i}`, namespace: 'default' } };
    await cluster.objects.create(object, { manager: 'test' });
  }
  let [pages, largest] = [0, 0];
  const kube = createKubeClient({
    transport: async (request) => {
      const answer = await cluster.handle(request);
      pages += 1;
      largest = Math.max(largest, typeof answer.body === 'string' ? answer.body.length : 0);
      return answer;
    },
  });
  const { items } = await kube.list(ctx, { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' });
  expect(items.length).toBe(objects + 1); // with kube-root-ca.crt
  expect(pages).toBeGreaterThan(5);
  expect(largest).toBeLessThan(1024 * 1024);
});
