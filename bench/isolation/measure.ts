import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Application, KubeObject } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { type Fairlead, forget, onCluster, startFairlead } from '../../test/e2e/fairlead.ts';
import { gitHttpServer } from '../../test/git-http-server.ts';
import type { GitRepositoryFixture } from '../../test/git-repository.ts';
import { type BenchCluster, benchCluster } from '../loop/cluster.ts';
import { peakMb } from '../loop/processes.ts';
import { type Bystanders, bystanders, smallRepository, type Waits } from './bystanders.ts';
import { application, largeRepository, type Way } from './large.ts';

export type IsolationOptions = {
  readonly way: Way;
  /** Another cluster than the embedded one. */
  readonly kubeconfig?: string | undefined;
  readonly tell?: (line: string) => void;
};

export type IsolationFigures = {
  readonly phases: readonly ({ readonly name: string } & Waits)[];
  /** Of the program and everything it started. */
  readonly memory: number;
};

type Bench = IsolationOptions & {
  readonly ctx: Ctx;
  readonly repository: GitRepositoryFixture;
  /** Where both repositories are served. */
  readonly host: string;
};

const apps = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd' };
const large = { ...apps, name: 'large' };
/** What a start or a phase leaves to do behind the scenes is done by then. */
const aftermathMs = 3_000;

/** The life of an application of fifty megabytes, and what others notice of each part of it. */
export async function measureIsolation(options: IsolationOptions): Promise<IsolationFigures> {
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-bench-'));
  try {
    const repository = await largeRepository(folder, options.way);
    await smallRepository(folder);
    const server = await gitHttpServer({ root: folder });
    try {
      return await life({ ...options, ctx, repository, host: server.url });
    } finally {
      await server.close();
    }
  } finally {
    stop.abort();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function life(bench: Bench): Promise<IsolationFigures> {
  const args = bench.kubeconfig ? onCluster(bench.kubeconfig) : ['--no-demo'];
  const first = await startFairlead(...args);
  const phases: IsolationFigures['phases'][number][] = [];
  let memory = 0;
  const run = async (fairlead: Fairlead, names: readonly (keyof typeof work)[], isNew: boolean) => {
    const stage = await stageOf(bench, fairlead);
    try {
      if (isNew) await furnished(stage);
      await stage.others.whenThere();
      for (const name of names) {
        const waits = await stage.others.during(() => work[name](stage), fairlead.url);
        bench.tell?.(`${name}: ${JSON.stringify(waits)}, ${Math.round(peakMb(fairlead.pid))} MB`);
        phases.push({ name, ...waits });
      }
      memory = Math.max(memory, peakMb(fairlead.pid));
    } finally {
      stage.others.close();
      stage.cluster.close();
      await fairlead.stop();
    }
  };
  try {
    await run(first, [], true);
    const all = ['restarted without it', 'created', 'looked at again', 'rendered again', 'changed', 'shown'];
    await run(await first.restart(), all as readonly (keyof typeof work)[], false);
    await run(await first.restart(), ['restarted', 'deleted'], false);
  } finally {
    forget(first);
  }
  return { phases, memory };
}

type Stage = Bench & {
  readonly fairlead: Fairlead;
  readonly cluster: BenchCluster;
  readonly others: Bystanders;
};

async function stageOf(bench: Bench, fairlead: Fairlead): Promise<Stage> {
  const admin = bench.kubeconfig ?? join(fairlead.dataDir, 'kubeconfig');
  const cluster = await benchCluster(bench.ctx, admin);
  const others = bystanders(bench.ctx, cluster);
  return { ...bench, fairlead, cluster, others };
}

/** What a folder may hold is ten megabytes unless somebody says otherwise. */
const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'argocd-cmd-params-cm', namespace: 'argocd' },
  data: { 'reposerver.max.combined.directory.manifests.size': '300M' },
};

async function furnished({ ctx, cluster, others, host }: Stage): Promise<void> {
  await cluster.kube.apply(ctx, settings, { fieldManager: 'bench', force: true });
  await others.create(`${host}/bystanders`);
  const isThere = (held: ReadonlyMap<string, KubeObject>) =>
    others.names.every((name) => isSettled(held.get(name)));
  await cluster.until(apps, isThere);
  await sleep(aftermathMs);
}

const work = {
  created: async ({ ctx, cluster, host }: Stage) => {
    const source = { repoURL: `${host}/large`, path: '.', namespace: 'large' };
    await cluster.kube.create(ctx, application('large', source));
    await cluster.until(apps, (held) => isSettled(mustWork(held.get('large'))));
    await sleep(aftermathMs);
  },
  'looked at again': (stage: Stage) => refreshed(stage, 'normal'),
  'rendered again': (stage: Stage) => refreshed(stage, 'hard'),
  changed: async (stage: Stage) => {
    const { cluster, repository } = stage;
    const more = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one-more\n';
    const prefix = (await repository.git('ls-files', 'templates')) === '' ? '' : 'templates/';
    const extra = { [`${prefix}part-0.yaml`]: more };
    const commit = await repository.commit(extra);
    await refreshed(stage, 'normal');
    await cluster.until(apps, (held) => {
      const app = held.get('large') as Application | undefined;
      return isSettled(app) && app?.status?.sync?.revision === commit;
    });
    await sleep(aftermathMs);
  },
  shown: async (stage: Stage) => {
    await shown(stage);
    await sleep(aftermathMs);
  },
  'restarted without it': () => sleep(aftermathMs),
  restarted: async ({ cluster }: Stage) => {
    await cluster.until(apps, (held) => isSettled(held.get('large')));
    await sleep(aftermathMs);
  },
  deleted: async ({ ctx, cluster }: Stage) => {
    await cluster.kube.delete(ctx, large);
    await cluster.until(apps, (held) => !held.has('large'));
    await sleep(aftermathMs);
  },
};

const isSettled = (object: KubeObject | undefined): boolean => {
  const { status, operation } = (object ?? {}) as Partial<Application>;
  return status?.sync?.status === 'Synced' && status.health?.status === 'Healthy' && !operation;
};

function mustWork(object: KubeObject | undefined): KubeObject | undefined {
  const { status } = (object ?? {}) as Partial<Application>;
  const failed = status?.conditions?.find(({ type }) => type.endsWith('Error'));
  if (failed) throw new Error(failed.message);
  return object;
}

async function refreshed({ ctx, cluster }: Stage, level: 'normal' | 'hard'): Promise<void> {
  const annotation = 'argocd.argoproj.io/refresh';
  const body = { metadata: { annotations: { [annotation]: level } } };
  await cluster.kube.patch(ctx, large, { type: 'merge', body });
  const isLookedAt = (object: KubeObject | undefined) =>
    object?.metadata.annotations?.[annotation] === undefined;
  await cluster.until(apps, (held) => isLookedAt(held.get('large')));
  await sleep(aftermathMs);
}

/** What a page about it asks for. */
async function shown({ fairlead }: Stage): Promise<void> {
  const { url, password } = fairlead;
  const signIn = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  };
  const { token } = (await (await fetch(new URL('/api/v1/session', url), signIn)).json()) as {
    token: string;
  };
  const headers = { authorization: `Bearer ${token}` };
  for (const what of ['', '/resource-tree', '/managed-resources']) {
    const answer = await fetch(new URL(`/api/v1/applications/large${what}`, url), { headers });
    if (!answer.ok) throw new Error(`${what} was answered ${answer.status}`);
    for await (const _chunk of answer.body ?? []); // read to the end, and not kept
  }
}
