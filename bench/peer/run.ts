import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ctx, realClock, silent } from '#base/std';
import { forget, onCluster, startFairlead } from '../../test/e2e/fairlead.ts';
import { grpcClient, requestBody, statusIn } from '../../test/grpc-client.ts';
import { applicationOf, policyCsv } from '../listed-applications.ts';
import { benchCluster } from '../loop/cluster.ts';
import { endedCpuMs, threadCpuMs } from '../loop/processes.ts';
import { type ListingServer, type Login, signedIn, startPeer } from './servers.ts';

/**
 * `npm run bench:argocd`: the same 500 Applications on one real Kubernetes, listed by the unmodified `argocd` from fairlead and from
 * the peer's own API server, and as gzip over REST from both, one after the other in every round. On the cluster of KUBECONFIG, or on
 * one of its own. Needs `npm run build`, Go where no `argocd` was built before, and redis-server, without which the peer does not start.
 */
const count = 500;
const rounds = 21;
const warmUp = 200;

/** Milliseconds: wall time, and processor time of the server. */
type Taken = { readonly wall: number; readonly server: number };
type Way = (server: ListingServer) => Promise<unknown>;
type Pair = readonly [ours: ListingServer, peers: ListingServer];

const jane = { username: 'jane', password: 'jane-of-the-bench' };

async function measureHere(kubeconfig: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-bench-'));
  const argocd = execFileSync(process.execPath, ['tools/real-clients/argocd.js'], {
    encoding: 'utf8',
  }).trim();
  const fairlead = await startFairlead(...onCluster(kubeconfig));
  try {
    await createApplications(kubeconfig);
    const peer = await startPeer({ argocd, folder, kubeconfig });
    const both = async (login: Login): Promise<Pair> => [
      await signedIn(fairlead, { argocd, folder, ...login }),
      await signedIn(peer, { argocd, folder, ...login }),
    ];
    try {
      const admins = await both({ username: 'admin', password: fairlead.password });
      await compareAll('as admin', admins);
      await createUser(kubeconfig, admins[0], fairlead.password);
      await compareAll('with 1,000 policy lines', await both(jane));
      print(['load', ...loadavg().map((one) => one.toFixed(1))]);
    } finally {
      await peer.stop();
    }
  } finally {
    await fairlead.stop();
    forget(fairlead);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As a controller leaves them; no controller works on them. */
async function createApplications(kubeconfig: string): Promise<void> {
  const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  const cluster = await benchCluster(ctx, kubeconfig);
  const left = Array.from({ length: count }, (_, index) => index).values();
  const worker = async (): Promise<void> => {
    for (const index of left) {
      const { metadata, spec, ...rest } = applicationOf(index);
      const annotations = { 'argocd.argoproj.io/skip-reconcile': 'true' };
      const made = {
        ...rest,
        metadata: { name: metadata.name, namespace: 'argocd', annotations },
        spec: { ...spec, project: 'default' },
      };
      await cluster.kube.create(ctx, made);
    }
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  cluster.close();
}

/** A user whose permission stands among a thousand lines of policy, in the settings that both servers read. */
async function createUser(kubeconfig: string, { type }: ListingServer, adminPassword: string): Promise<void> {
  const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  const cluster = await benchCluster(ctx, kubeconfig);
  const data = { 'argocd-cm': { 'accounts.jane': 'login' }, 'argocd-rbac-cm': { 'policy.csv': policyCsv } };
  for (const [name, fields] of Object.entries(data)) {
    const metadata = { name, namespace: 'argocd' };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: fields };
    await cluster.kube.apply(ctx, object, { fieldManager: 'bench', force: true });
  }
  cluster.close();
  await type(
    ...['account', 'update-password', '--account', jane.username],
    ...['--current-password', adminPassword, '--new-password', jane.password],
  );
}

async function compareAll(name: string, servers: Pair): Promise<void> {
  await requireSameList(servers);
  // servers run for days: the code of both is compiled, and what both cache is cached
  for (let round = 0; round < warmUp; round++) for (const server of servers) await called(server);
  print([`${count} applications, ${name}`, 'fairlead', 'argocd-server', 'ratio', 'goal']);
  await compare('argocd app list', servers, { goal: 0.5, way: (server) => server.list() });
  print(['  processor of argocd itself', ...(await clientCpu(servers))]);
  await compare('the same call by itself', servers, { goal: 0.5, way: called });
  await compare('GET as gzip', servers, { goal: 1 / 3, way: fetched });
}

/** A server that is quick because it lists less proves nothing. Also lets both servers read everything. */
async function requireSameList([ours, peers]: Pair): Promise<void> {
  const texts = await Promise.all([ours.list(), peers.list()]);
  const [a = [], b = []] = texts.map((text) => text.trim().split('\n').map(columnsOf));
  if (a.length !== count + 1) throw new Error(`fairlead lists ${a.length - 1} applications, not ${count}`);
  const at = a.findIndex((line, i) => line !== b[i]);
  if (at >= 0 || a.length !== b.length)
    throw new Error(`the lists differ in line ${at}: ${a[at]} is ${b[at]}`);
}

const columnsOf = (line: string): string => line.trim().split(/\s+/).join(' ');

async function compare(
  name: string,
  servers: Pair,
  { way, goal }: { readonly way: Way; readonly goal: number },
): Promise<void> {
  for (const server of servers) await way(server);
  const [ours, peers]: [Taken[], Taken[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ours.push(await taken(servers[0], way));
    peers.push(await taken(servers[1], way));
  }
  const rows = [
    [`${name}, best of ${rounds}`, (all: Taken[]) => Math.min(...all.map(({ wall }) => wall))],
    ['  the median', (all: Taken[]) => median(all.map(({ wall }) => wall))],
    ['  processor of the server, mean', (all: Taken[]) => mean(all.map(({ server }) => server))],
  ] as const;
  for (const [words, of] of rows) {
    const [a, b] = [of(ours), of(peers)];
    const ratio = a / b;
    const cells = [
      `${a.toFixed(1)} ms`,
      `${b.toFixed(1)} ms`,
      `${ratio.toFixed(2)} ×`,
      `${goal.toFixed(2)} ×`,
    ];
    print([words, ...cells, ratio <= goal ? 'ok' : 'MISSED']);
  }
}

async function taken(server: ListingServer, way: Way): Promise<Taken> {
  const [cpu, began] = [threadCpuMs(server.pid), performance.now()];
  await way(server);
  const wall = performance.now() - began;
  return { wall, server: threadCpuMs(server.pid) - cpu };
}

/** What a list costs the client, whatever the server takes: its program is large, and decodes every message. */
async function clientCpu(servers: Pair): Promise<string[]> {
  const cells: string[] = [];
  for (const server of servers) {
    const before = endedCpuMs(process.pid);
    for (let round = 0; round < rounds; round++) await server.list();
    cells.push(`${((endedCpuMs(process.pid) - before) / rounds).toFixed(1)} ms`);
  }
  return cells;
}

const listMethod = 'application.ApplicationService/List';

/** The call of `argocd app list` without that program: a new connection, the request, and all bytes of the response. */
const called: Way = async ({ url, token }) => {
  const client = grpcClient(url);
  const body = requestBody(listMethod, {});
  const answer = await client.send(`/${listMethod}`, { headers: { authorization: `Bearer ${token}` }, body });
  client.close();
  if (statusIn(answer)[0] !== 0) throw new Error(`${url} answered ${statusIn(answer)}`);
};

/** All bytes, still compressed. */
const fetched: Way = ({ url, token }) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' };
    const request = get(new URL('/api/v1/applications', url), { headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.on('end', resolve).resume();
    });
    request.on('error', reject);
  });

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

function print(cells: readonly string[]): void {
  console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(40) : cell.padStart(14))).join(''));
}

/** tools/kubernetes starts a control plane and runs this again with it. */
function onItsOwnCluster(): Promise<number> {
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const args = ['tools/kubernetes/cluster.js', 'run', '--', ...again];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

const { KUBECONFIG } = process.env;
if (KUBECONFIG) await measureHere(KUBECONFIG);
else process.exitCode = await onItsOwnCluster();
