import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Application } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { type Fairlead, forget, startFairlead } from '../test/e2e/fairlead.ts';
import { type GitHttpServer, gitHttpServer } from '../test/git-http-server.ts';
import { gitRepository } from '../test/git-repository.ts';
import { hangingGitHosts } from '../test/hanging-git-hosts.ts';
import type { Figure } from './harness.ts';
import { application } from './isolation/large.ts';
import { type BenchCluster, benchCluster } from './loop/cluster.ts';

// Decision 30: how much longer a new application takes to be Synced while the repositories of hundreds of applications hang: half of
// them at the list of refs, half at the fetch. Its host answers, and the control plane does not know it yet. Needs `npm run build`.

const hangingCounts = [100, 350];
/** New applications that are measured, one after the other: the first of them together with the hanging ones, or with the start. */
const newcomers = 8;
const pauseMs = 1_500;
const apps = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd' };

export async function figures(): Promise<Figure[]> {
  const found: Figure[] = [];
  for (const way of ['hosts', 'repositories of one host'] as const) {
    for (const count of hangingCounts) found.push(...(await measured(count, way)));
  }
  return found;
}

type Way = 'hosts' | 'repositories of one host';

async function measured(count: number, way: Way): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-bench-'));
  const innocent = await innocentHosts(join(folder, 'srv'));
  const hanging = await hangingGitHosts(way === 'hosts' ? count : 1, innocent.commit);
  const first = await startFairlead('--no-demo');
  let fairlead = first;
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
  let cluster = await benchCluster(ctx, join(fairlead.dataDir, 'kubeconfig'));
  try {
    const undisturbed = await synced(ctx, cluster, innocent.urls('before'), 'before');
    const urls = Array.from({ length: count }, (_one, at) => {
      const base = hanging.urls[at % hanging.urls.length];
      return `${base}/${at % 2 === 0 ? 'refs' : 'fetch'}/hung-${at}`;
    });
    const creating = created(ctx, cluster, urls);
    const disturbed = await synced(ctx, cluster, innocent.urls('during'), 'during');
    await creating;
    await stopped(fairlead, cluster);
    fairlead = await first.restart();
    cluster = await benchCluster(ctx, join(fairlead.dataDir, 'kubeconfig'));
    const restarted = await synced(ctx, cluster, innocent.urls('after'), 'after');
    console.error(
      `${count} ${way}: before ${rounded(undisturbed)}, during ${rounded(disturbed)}, after ${rounded(restarted)}`,
    );
    const more = (times: readonly number[]): number => Math.max(...times) - Math.max(...undisturbed);
    const figure = { unit: 'ms more', target: 2000 };
    return [
      { name: `${count} ${way} hang: a new application`, value: more(disturbed), ...figure },
      { name: `${count} ${way} hang: the same after a restart`, value: more(restarted), ...figure },
    ];
  } finally {
    stop.abort();
    await stopped(fairlead, cluster);
    forget(fairlead);
    await hanging.close();
    await innocent.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const rounded = (all: readonly number[]): string => all.map((one) => Math.round(one)).join(' ');

async function stopped(fairlead: Fairlead, cluster: BenchCluster): Promise<void> {
  cluster.close();
  await fairlead.stop();
}

type Innocent = { readonly commit: string; urls(when: string): readonly string[]; close(): Promise<void> };

/** A repository for each new application, each on a host of its own; `commit` is the last one. */
async function innocentHosts(root: string): Promise<Innocent> {
  const hosts = new Map<string, GitHttpServer>();
  let commit = '';
  for (const [index, when] of ['before', 'during', 'after'].entries()) {
    for (let at = 0; at < newcomers; at++) {
      const name = `${when}-${at}`;
      const repository = await gitRepository(join(root, name));
      const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
      commit = await repository.commit({ 'settings.yaml': text });
      hosts.set(name, await gitHttpServer({ root, address: `127.2.${index}.${at + 1}` }));
    }
  }
  const urlOf = (name: string): string => `${hosts.get(name)?.url}/${name}/.git`;
  return {
    commit,
    urls: (when) => Array.from({ length: newcomers }, (_one, at) => urlOf(`${when}-${at}`)),
    close: async () => {
      await Promise.all([...hosts.values()].map((host) => host.close()));
    },
  };
}

async function created(ctx: Ctx, cluster: BenchCluster, urls: readonly string[]): Promise<void> {
  for (const [at, repoURL] of urls.entries()) {
    await cluster.kube.create(ctx, application(`hung-${at}`, { repoURL, path: '.', namespace: 'default' }));
  }
}

/** How long each of the new applications took from its creation until it was Synced. */
async function synced(
  ctx: Ctx,
  cluster: BenchCluster,
  urls: readonly string[],
  when: string,
): Promise<number[]> {
  const times: number[] = [];
  for (const [at, repoURL] of urls.entries()) {
    const name = `${when}-${at}`;
    const began = performance.now();
    await cluster.kube.create(ctx, application(name, { repoURL, path: '.', namespace: 'default' }));
    await cluster.until(apps, (held) => {
      const { status } = (held.get(name) ?? {}) as Partial<Application>;
      return status?.sync?.status === 'Synced';
    });
    times.push(performance.now() - began);
    await sleep(pauseMs);
  }
  return times;
}
