import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Application } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { type Fairlead, forget, startFairlead } from '../test/e2e/fairlead.ts';
import { gitHttpServer } from '../test/git-http-server.ts';
import { gitRepository } from '../test/git-repository.ts';
import { hangingGitHosts } from '../test/hanging-git-hosts.ts';
import type { Figure } from './harness.ts';
import { application } from './isolation/large.ts';
import { type BenchCluster, benchCluster } from './loop/cluster.ts';

// Decision 30: how much longer a new application of a host that answers takes to be Synced while the repositories of hundreds of
// applications hang: half of them at the list of refs, half at the fetch. Needs `npm run build`.

const hangingCounts = [100, 350];
/** New applications that are measured, one after the other: the first of them together with the hanging ones. */
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
  const commits = await repositories(join(folder, 'srv'));
  const innocent = await gitHttpServer({ root: join(folder, 'srv') });
  const hanging = await hangingGitHosts(way === 'hosts' ? count : 1, commits);
  const fairlead = await startFairlead('--no-demo');
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
  const cluster = await benchCluster(ctx, join(fairlead.dataDir, 'kubeconfig'));
  try {
    const undisturbed = await synced(ctx, cluster, innocent.url, 'before');
    const urls = Array.from({ length: count }, (_one, at) => {
      const base = hanging.urls[at % hanging.urls.length];
      return `${base}/${at % 2 === 0 ? 'refs' : 'fetch'}/hung-${at}`;
    });
    const creating = created(ctx, cluster, urls);
    const disturbed = await synced(ctx, cluster, innocent.url, 'during');
    await creating;
    const longest = Math.max(...disturbed) - Math.max(...undisturbed);
    console.error(`${count} ${way}: before ${rounded(undisturbed)}, during ${rounded(disturbed)}`);
    return [
      { name: `${count} ${way} hang: a new application`, value: longest, unit: 'ms more', target: 2000 },
    ];
  } finally {
    stop.abort();
    await closed(fairlead, cluster);
    await hanging.close();
    await innocent.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const rounded = (all: readonly number[]): string => all.map((one) => Math.round(one)).join(' ');

async function closed(fairlead: Fairlead, cluster: BenchCluster): Promise<void> {
  cluster.close();
  await fairlead.stop();
  forget(fairlead);
}

/** One repository for each new application; answers the commit of the first. */
async function repositories(root: string): Promise<string> {
  let commit = '';
  for (const when of ['before', 'during']) {
    for (let at = 0; at < newcomers; at++) {
      const repository = await gitRepository(join(root, `${when}-${at}`));
      const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${when}-${at}\n`;
      commit = await repository.commit({ 'settings.yaml': text });
    }
  }
  return commit;
}

async function created(ctx: Ctx, cluster: BenchCluster, urls: readonly string[]): Promise<void> {
  for (const [at, repoURL] of urls.entries()) {
    await cluster.kube.create(ctx, application(`hung-${at}`, { repoURL, path: '.', namespace: 'default' }));
  }
}

/** How long each of the new applications took from its creation until it was Synced. */
async function synced(ctx: Ctx, cluster: BenchCluster, host: string, when: string): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < newcomers; at++) {
    const name = `${when}-${at}`;
    const began = performance.now();
    const source = { repoURL: `${host}/${name}/.git`, path: '.', namespace: 'default' };
    await cluster.kube.create(ctx, application(name, source));
    await cluster.until(apps, (held) => {
      const { status } = (held.get(name) ?? {}) as Partial<Application>;
      return status?.sync?.status === 'Synced';
    });
    times.push(performance.now() - began);
    await sleep(pauseMs);
  }
  return times;
}
