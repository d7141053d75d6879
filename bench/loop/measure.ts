import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Application, KubeObject } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { type Fairlead, forget, onCluster, startFairlead } from '../../test/e2e/fairlead.ts';
import { type BenchCluster, benchCluster, countedKubeconfig, type Held } from './cluster.ts';
import { type Monorepo, monorepo, nameOf } from './monorepo.ts';
import { cpuSeconds, residentMb } from './processes.ts';

export type LoopOptions = {
  readonly applications: number;
  readonly idleMs: number;
  /** Another cluster than the embedded one. */
  readonly kubeconfig?: string | undefined;
  /** Told as it goes; nobody waits ten minutes for a silent program. */
  readonly tell?: (line: string) => void;
};

/** Times in seconds, memory in megabytes, requests as the API server counts them. */
export type LoopFigures = {
  readonly cold: number;
  readonly coldCpu: number;
  /** For each application. */
  readonly coldRequests: number | undefined;
  /** After the rest: what a burst of work left behind is collected by then. */
  readonly memory: number;
  /** Milliseconds of processor for each application that is looked at again and has not changed. */
  readonly warmCpu: number;
  readonly idleCpu: number;
  readonly idleRequests: number | undefined;
  readonly commit: number;
  readonly commitCpu: number;
  readonly drift: number;
  /** Left out on the embedded cluster, which stops with us. */
  readonly afterStart?: number;
};

type Bench = LoopOptions & {
  readonly ctx: Ctx;
  readonly fairlead: Fairlead;
  readonly cluster: BenchCluster;
  readonly repository: Monorepo;
};

const rounds = 5;
/** The first looks pay for what a burst of work left behind, and for code that ran too seldom to be compiled. */
const firstRounds = 2;
const warmRounds = 3;
/** What a push or a start leaves to do behind the scenes is done by then. */
const aftermathMs = 5_000;
const apps = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd' };
const maps = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'bench' };

/** The life of a control plane in an hour: many applications come, rest, are changed in Git and by hand, and survive it. */
export async function measureLoop(options: LoopOptions): Promise<LoopFigures> {
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-bench-'));
  const repository = await monorepo(folder, options.applications);
  const counted = options.kubeconfig ? await countedKubeconfig(ctx, options.kubeconfig) : undefined;
  const file = join(folder, 'kubeconfig');
  if (counted) writeFileSync(file, counted.text, { mode: 0o600 });
  const fairlead = await startFairlead(...(counted ? onCluster(file) : ['--no-demo']));
  const admin = options.kubeconfig ?? join(fairlead.dataDir, 'kubeconfig');
  const cluster = await benchCluster(ctx, admin, counted?.schema);
  try {
    return await figures({ ...options, ctx, fairlead, cluster, repository });
  } finally {
    cluster.close();
    stop.abort();
    await repository.close();
    forget(fairlead);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function figures(bench: Bench): Promise<LoopFigures> {
  const { tell = () => {} } = bench;
  let { fairlead } = bench;
  try {
    await sleep(aftermathMs); // the start is not what is measured
    const made = await createAll(bench);
    tell(`cold: ${JSON.stringify(made)}`);
    await sleep(aftermathMs);
    const idle = await rest(bench);
    const memory = residentMb(fairlead.pid);
    tell(`idle: ${JSON.stringify({ memory, ...idle })}`);
    const resting = idle.idleCpu / (bench.idleMs / 1000);
    for (let round = 0; round < firstRounds; round++) await lookAgain(bench, resting);
    const looks: number[] = [];
    for (let round = 0; round < warmRounds; round++) looks.push(await lookAgain(bench, resting));
    const warmCpu = median(looks);
    tell(`warm: ${warmCpu}`);
    const cold = { ...made, warmCpu };
    const pushed = await commits(bench);
    tell(`commit: ${JSON.stringify(pushed)}`);
    const drift = await drifts(bench);
    tell(`drift: ${drift}`);
    if (!bench.kubeconfig) return { ...cold, memory, ...idle, ...pushed, drift }; // the cluster would be down too
    await fairlead.stop();
    await disturb(bench, nameOf(1), 'made while nobody looked');
    const began = performance.now();
    const [next] = await Promise.all([fairlead.restart(), healed(bench, nameOf(1))]);
    const afterStart = seconds(began);
    fairlead = next;
    return { ...cold, memory, ...idle, ...pushed, drift, afterStart };
  } finally {
    await fairlead.stop();
  }
}

const seconds = (began: number): number => (performance.now() - began) / 1000;

async function createAll({ ctx, cluster, fairlead, repository, applications }: Bench) {
  const requests = (await cluster.requests()) ?? Number.NaN;
  const cpu = cpuSeconds(fairlead.pid);
  const began = performance.now();
  const left = Array.from({ length: applications }, (_one, index) => nameOf(index)).values();
  const worker = async (): Promise<void> => {
    for (const name of left) await cluster.kube.create(ctx, application(name, repository.url));
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  await cluster.until(apps, (held) => held.size >= applications && [...held.values()].every(isSettled));
  return {
    cold: seconds(began),
    coldCpu: cpuSeconds(fairlead.pid) - cpu,
    coldRequests: (((await cluster.requests()) ?? Number.NaN) - requests) / applications,
  };
}

const isSettled = (object: KubeObject): boolean => {
  const { status, operation } = object as Application;
  return status?.sync?.status === 'Synced' && status.health?.status === 'Healthy' && !operation;
};

function application(name: string, repoURL: string): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL, path: `apps/${name}`, targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'bench' },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
    },
  };
}

async function rest({ cluster, fairlead, idleMs }: Bench) {
  const [requests, cpu] = [(await cluster.requests()) ?? Number.NaN, cpuSeconds(fairlead.pid)];
  await sleep(idleMs);
  return {
    idleCpu: cpuSeconds(fairlead.pid) - cpu,
    idleRequests: ((await cluster.requests()) ?? Number.NaN) - requests,
  };
}

/**
 * Every application is asked to compare itself once more; nothing has changed. What a second costs in which nobody asks for
 * anything is not counted.
 */
async function lookAgain({ ctx, cluster, fairlead, applications }: Bench, resting: number): Promise<number> {
  const [cpu, began] = [cpuSeconds(fairlead.pid), performance.now()];
  const annotations = { 'argocd.argoproj.io/refresh': 'normal' };
  for (let index = 0; index < applications; index++) {
    const ref = { ...apps, name: nameOf(index) };
    await cluster.kube.patch(ctx, ref, { type: 'merge', body: { metadata: { annotations } } });
  }
  await cluster.until(apps, (held) => [...held.values()].every(isLookedAt));
  await sleep(aftermathMs);
  return ((cpuSeconds(fairlead.pid) - cpu - resting * seconds(began)) * 1000) / applications;
}

const isLookedAt = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined;

/** One file of one application, and what a Git host tells of it. */
async function commits({ fairlead, repository, cluster }: Bench) {
  const times: number[] = [];
  const cpus: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const value = `round-${round}`;
    const { commit, file } = await repository.change(nameOf(0), value);
    const cpu = cpuSeconds(fairlead.pid);
    const live = cluster.until(maps, (held) => settingOf(held, nameOf(0)) === value);
    await sleep(200); // the watch stands
    const began = performance.now();
    await push(fairlead.url, { repository: repository.url, commit, file });
    await live;
    times.push(seconds(began));
    await sleep(aftermathMs);
    cpus.push(cpuSeconds(fairlead.pid) - cpu);
  }
  return { commit: median(times), commitCpu: median(cpus) };
}

const settingOf = (held: Held, name: string): string | undefined =>
  (held.get(`${name}-settings`) as (KubeObject & { data?: Record<string, string> }) | undefined)?.data?.value;

async function push(
  url: string,
  pushed: { repository: string; commit: string; file: string },
): Promise<void> {
  const body = {
    ref: 'refs/heads/main',
    after: pushed.commit,
    repository: { html_url: pushed.repository, default_branch: 'main' },
    commits: [{ id: pushed.commit, added: [], removed: [], modified: [pushed.file] }],
  };
  const answer = await fetch(new URL('/api/webhook', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-github-event': 'push' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`the webhook answered ${answer.status}: ${await answer.text()}`);
}

async function drifts(bench: Bench): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = nameOf(2 + round); // each heals at once; the same one again would be told to wait
    await disturb(bench, name, `drifted-${round}`);
    const began = performance.now();
    await healed(bench, name);
    times.push(seconds(began));
    await sleep(1_000);
  }
  return median(times);
}

async function disturb({ ctx, cluster }: Bench, name: string, value: string): Promise<void> {
  const ref = { ...maps, name: `${name}-settings` };
  await cluster.kube.patch(ctx, ref, { type: 'merge', body: { data: { value } } });
}

const healed = ({ cluster }: Bench, name: string): Promise<void> =>
  cluster.until(maps, (held) => settingOf(held, name) === 'first');

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
