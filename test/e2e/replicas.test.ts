import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import { createKubeClient, type KubeClient, loadKubeconfig, networkTransport } from '#kubernetes/client';
import { gitHttpServer } from '../git-http-server.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../git-repository.ts';

// The roles as separate processes on a cluster that is another program's: two controllers, of which one acts, and a server.

const program = join(import.meta.dirname, '../../dist/main/fairlead.js');
const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const ends: (() => Promise<unknown> | unknown)[] = [];
const patience = { timeout: 60_000, interval: 200 };

type Part = { child: ChildProcess; lines: string[]; stop(signal?: NodeJS.Signals): Promise<number | null> };

let dir: string;
let kube: KubeClient;
let repository: GitRepositoryFixture;
let repoURL: string;
let first: Part;
let second: Part;
let server: Part;

/** Starts a part and waits until it says that it runs. */
async function start(...args: string[]): Promise<Part> {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', HOME: dir, XDG_CACHE_HOME: join(dir, 'cache') },
  });
  const lines: string[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      if (/ready|started/.test(line)) resolve();
    });
    child.on('exit', (code) => reject(new Error(`${args[0]} ended with ${code}: ${lines.join('\n')}`)));
  });
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const part: Part = {
    child,
    lines,
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, 'exit');
      }
      return child.exitCode;
    },
  };
  ends.push(() => part.stop('SIGKILL'));
  await ready;
  return part;
}

const role = (name: string, folder: string, ...more: string[]) =>
  start(
    name,
    ...['--kubeconfig', join(dir, 'cluster/kubeconfig'), '--data-dir', join(dir, folder)],
    ...['--allow-hosts', '127.0.0.1'],
    ...more,
  );
const isLeading = ({ lines }: Part): boolean => lines.some((line) => line.includes('"msg":"leading"'));

beforeAll(async () => {
  const folder = await temporaryFolder();
  ends.push(folder.remove);
  dir = folder.path;
  repository = await gitRepository(join(dir, 'repositories/shop'));
  await repository.commit({ 'shop/colour.yaml': colour('red') });
  const git = await gitHttpServer({ root: join(dir, 'repositories') });
  ends.push(git.close);
  repoURL = `${git.url}/shop`;
  await start('up', '--cluster-only', '--data-dir', join(dir, 'cluster'));
  const access = await loadKubeconfig(ctx, { files: [join(dir, 'cluster/kubeconfig')] });
  const transport = networkTransport(access);
  ends.push(() => transport.close());
  kube = createKubeClient({ transport });
  first = await role('controller', 'first', '--metrics-port', '0');
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

const colour = (value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: colour }\ndata: { colour: ${value} }\n`;
const seen = async () => {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'colour' };
  return ((await kube.find(ctx, ref)) as { data?: { colour?: string } } | undefined)?.data?.colour;
};
const holder = async () => {
  const ref = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    namespace: 'argocd',
    name: 'fairlead-controller',
  };
  const lease = (await kube.get(ctx, ref)) as { spec?: { holderIdentity?: string } };
  return lease.spec?.holderIdentity;
};

/** What a Git host says after a push; only the server hears it. */
async function push(): Promise<void> {
  const url = /ready at (\S+)/.exec(server.lines.join('\n'))?.[1] ?? '';
  const told = {
    ref: 'refs/heads/main',
    repository: { html_url: repoURL, default_branch: 'main' },
    commits: [{ added: [], removed: [], modified: ['shop/colour.yaml'] }],
  };
  const { status } = await fetch(`${url}/api/webhook`, {
    method: 'POST',
    headers: { 'x-github-event': 'push', 'content-type': 'application/json' },
    body: JSON.stringify(told),
  });
  expect(status).toBe(200);
}

test('one controller acts, the other stands by, and a push that the server hears reaches the one that acts', async () => {
  await expect.poll(() => isLeading(first), patience).toBe(true);
  [second, server] = await Promise.all([
    role('controller', 'second'),
    role('server', 'server', '--port', '0'),
  ]);
  await kube.create(ctx, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL, path: 'shop', targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      syncPolicy: { automated: {} },
    },
  } as Parameters<KubeClient['create']>[1]);
  await expect.poll(seen, patience).toBe('red');
  await repository.commit({ 'shop/colour.yaml': colour('green') });
  await push();
  await expect.poll(seen, patience).toBe('green');
  expect(isLeading(second)).toBe(false);
});

test('when the one that acts is killed the other takes over, and what happens meanwhile is done', async () => {
  const before = await holder();
  await first.stop('SIGKILL');
  expect(isLeading(second)).toBe(false);
  await repository.commit({ 'shop/colour.yaml': colour('blue') });
  await push();
  await expect.poll(() => isLeading(second), patience).toBe(true);
  await expect.poll(seen, patience).toBe('blue');
  expect(await holder()).not.toBe(before);
});

test('one that is asked to stop leaves the lease, and its successor begins at once', async () => {
  first = await role('controller', 'first');
  expect(await second.stop()).toBe(0);
  await expect.poll(() => isLeading(first), { timeout: 12_000 }).toBe(true);
  expect(await first.stop()).toBe(0);
  expect(await holder()).toBe('');
  expect(await server.stop()).toBe(0);
});

test('a cluster that cannot be used is told of in words', async () => {
  await expect(start('controller', '--kubeconfig', join(dir, 'none'))).rejects.toThrow(
    'no kubeconfig file exists',
  );
  await expect(role('controller', 'third', '--loglevel', 'loud')).rejects.toThrow(
    '--loglevel loud is not known',
  );
});
