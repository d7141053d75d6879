import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Application } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { type Fairlead, forget, startFairlead } from '../../test/e2e/fairlead.ts';
import { type BenchCluster, benchCluster } from '../loop/cluster.ts';
import { anonymousOf, childrenOf, residentOf } from '../loop/processes.ts';
import { collectGarbage, inspectable } from './collect-garbage.ts';
import { HookWatch } from './hooks.ts';
import { nameOf, type SoakRepository, soakRepository } from './repository.ts';
import type { Sample } from './trend.ts';

export type SoakOptions = {
  readonly minutes: number;
  readonly applications: number;
  /** Minutes between two kill -9, in the first quarter; 0: never. From then on one life has time to fill what is bounded. */
  readonly killEvery: number;
  /** Another cluster than the embedded one. */
  readonly kubeconfig?: string | undefined;
  readonly report: (line: string) => void;
};

export type SoakResult = {
  readonly samples: readonly Sample[];
  readonly hooks: number;
  readonly twice: readonly string[];
};

type Soak = SoakOptions & {
  readonly ctx: Ctx;
  readonly repository: SoakRepository;
  readonly cluster: BenchCluster;
  readonly hooks: HookWatch;
};

const apps = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd' };
/** One of these every two seconds, in this order. */
const stepMs = 2_000;
const steps = ['commit', 'drift', 'drift', 'sync', 'drift'] as const;

/** Runs the program under steady work and samples it once a minute. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-soak-'));
  const { kubeconfig, applications } = options;
  const repository = await soakRepository(folder, applications, kubeconfig !== undefined);
  process.env.NODE_OPTIONS = inspectable;
  const fairlead = await startFairlead(...(kubeconfig ? ['--kubeconfig', kubeconfig] : ['--no-demo']));
  const cluster = await benchCluster(ctx, kubeconfig ?? join(fairlead.dataDir, 'kubeconfig'));
  const hooks = new HookWatch();
  try {
    return await run({ ...options, ctx, repository, cluster, hooks }, fairlead);
  } finally {
    stop.abort();
    cluster.close();
    await repository.close();
    forget(fairlead);
    delete process.env.NODE_OPTIONS;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(soaking: Soak, first: Fairlead): Promise<SoakResult> {
  const { ctx, cluster, hooks, report, minutes, killEvery } = soaking;
  let fairlead = first;
  const samples: Sample[] = [];
  try {
    await createAll(soaking);
    report(`${soaking.applications} applications are Synced and Healthy`);
    const watching = hooks.follow(ctx, cluster.kube).catch((error: unknown) => {
      if (!ctx.signal.aborted) report(`the watch of hooks ended: ${String(error)}`);
    });
    let [life, steps] = [0, 0];
    for (let minute = 1; minute <= minutes; minute++) {
      steps += await work(soaking, minute);
      samples.push({ minute, life, steps, ...(await sampleOf(fairlead)) });
      report(line(samples.at(-1) as Sample, hooks));
      if (killEvery > 0 && minute % killEvery === 0 && minute <= minutes / 4) {
        report('kill -9, and start again');
        await fairlead.kill();
        fairlead = await fairlead.restart();
        life += 1;
      }
    }
    await Promise.race([watching, sleep(0)]);
    return { samples, hooks: hooks.count, twice: hooks.twice };
  } finally {
    await fairlead.stop();
  }
}

const line = (sample: Sample, hooks: HookWatch): string => {
  const { minute, steps, foundMb, rssMb, anonMb, heapMb, descriptors, children } = sample;
  const mb = (value: number): string => `${value.toFixed(0)} MB`;
  return [
    `minute ${String(minute).padStart(3)}: rss ${mb(foundMb)}`,
    `without garbage ${mb(rssMb)} (anonymous ${mb(anonMb)}, heap ${mb(heapMb)})`,
    `${descriptors} descriptors, ${children} child processes`,
    `${steps} steps, ${hooks.count} hooks, ${hooks.twice.length} run twice`,
  ].join(', ');
};

async function createAll({ ctx, cluster, repository, applications }: Soak): Promise<void> {
  for (let index = 0; index < applications; index++) {
    await cluster.kube.apply(ctx, application(nameOf(index), repository.url), {
      fieldManager: 'soak',
      force: true,
    });
  }
  await cluster.until(apps, (held) =>
    Array.from({ length: applications }, (_one, index) => held.get(nameOf(index))).every((object) => {
      const { status } = (object ?? {}) as Application;
      return status?.sync?.status === 'Synced' && status.health?.status === 'Healthy';
    }),
  );
}

function application(name: string, repoURL: string): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL, path: name, targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'soak' },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
    },
  };
}

/** A minute of steady work: how many steps it had. A step that fails because the program is busy is left out: the next one follows. */
async function work(soaking: Soak, minute: number): Promise<number> {
  const end = performance.now() + 60_000;
  let done = 0;
  for (let at = minute * 1000; performance.now() < end; at++) {
    const began = performance.now();
    await step(soaking, at).then(
      () => {
        done += 1;
      },
      (error: unknown) => soaking.report(`a step failed: ${String(error)}`),
    );
    await sleep(Math.max(0, stepMs - (performance.now() - began)));
  }
  return done;
}

async function step({ ctx, cluster, repository, applications }: Soak, at: number): Promise<void> {
  const index = (at * 7) % applications;
  const name = nameOf(index);
  const what = steps[at % steps.length];
  if (what === 'commit') await repository.change(name, `value-${at}`);
  if (what === 'drift') {
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'soak', name: `${name}-routes` };
    await cluster.kube.patch(ctx, ref, { type: 'merge', body: { data: { routes: `drift-${at}` } } });
  }
  if (what === 'sync') {
    const hooked = nameOf(index - (index % 10));
    const operation = { initiatedBy: { username: 'soak' }, sync: { syncStrategy: { hook: {} } } };
    await cluster.kube.patch(ctx, { ...apps, name: hooked }, { type: 'merge', body: { operation } });
  }
}

/** Memory is measured after a collection: before it, most of what rises and falls is garbage that Node collects when it likes. */
async function sampleOf(fairlead: Fairlead): Promise<Omit<Sample, 'minute' | 'life' | 'steps'>> {
  const { pid } = fairlead;
  const foundMb = residentOf(pid) / 1024;
  const heapMb = (await collectGarbage(fairlead)) / 1024 / 1024;
  return {
    ...{ foundMb, heapMb, rssMb: residentOf(pid) / 1024, anonMb: anonymousOf(pid) / 1024 },
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    children: childrenOf(pid),
  };
}
