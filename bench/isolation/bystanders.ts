import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import { type ListWatchEvent, listWatch } from '#kubernetes/client';
import { gitRepository } from '../../test/git-repository.ts';
import type { BenchCluster } from '../loop/cluster.ts';
import { application } from './large.ts';

/** More than drift while one program runs: one that drifts again at once is told to wait. */
const count = 150;
const namespace = 'bystanders';
const maps = { apiVersion: 'v1', kind: 'ConfigMap', namespace };
const probeMs = 20;
const restMs = 300;

const names = Array.from({ length: count }, (_one, index) => `bystander-${index}`);

/** Makes the repository that all of them are in. */
export async function smallRepository(folder: string): Promise<void> {
  const repository = await gitRepository(join(folder, 'bystanders'));
  const files = names.map((name) => [`${name}/settings.yaml`, settings(name)] as const);
  await repository.commit(Object.fromEntries(files));
}

/** Small applications that have nothing to do with the large one, and what they notice of it. */
export type Bystanders = {
  readonly names: readonly string[];
  /** Resolves when all of them are there. */
  whenThere(): Promise<void>;
  create(repoURL: string): Promise<void>;
  /** How long anybody waited at most, in milliseconds, while something went on. */
  during(work: () => Promise<void>, url: string): Promise<Waits>;
  close(): void;
};

export type Waits = {
  readonly answer: number;
  readonly healed: number;
  /** Until the cluster itself had taken one change and told a watch of it, without any doing of the program. */
  readonly told: number;
  readonly rounds: number;
};

type Held = Map<string, { value: string; heard(): void }>;

export function bystanders(outer: Ctx, cluster: BenchCluster): Bystanders {
  const stop = new AbortController();
  const ctx: Ctx = { ...outer, signal: AbortSignal.any([outer.signal, stop.signal]) };
  const held: Held = new Map();
  let next = 0;
  void follow(ctx, cluster, held);
  return {
    names,
    whenThere: async () => {
      await cluster.until(maps, (seen) => names.every((name) => seen.has(name)));
      while (!names.every((name) => held.has(name))) await sleep(probeMs); // our own watch may be the slower one
    },
    create: (repoURL) => create(ctx, cluster, repoURL),
    during: (work, url) => {
      const drift = () => drifted(ctx, cluster, held, names[next++ % count] ?? '');
      return waits(work, { url, drift });
    },
    close: () => stop.abort(),
  };
}

async function create(ctx: Ctx, cluster: BenchCluster, repoURL: string): Promise<void> {
  for (const name of names) {
    await cluster.kube.create(ctx, application(name, { repoURL, path: name, namespace }));
  }
}

const settings = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: first\n`;

/** What the cluster has, as its watch tells. */
async function follow(ctx: Ctx, { kube }: BenchCluster, held: Held): Promise<void> {
  for await (const event of listWatch(ctx, kube, maps)) {
    for (const object of objectsOf(event)) {
      const entry = held.get(object.metadata.name) ?? { value: '', heard: () => {} };
      entry.value = (object as KubeObject & { data?: Record<string, string> }).data?.value ?? '';
      held.set(object.metadata.name, entry);
      entry.heard();
    }
  }
}

const objectsOf = (event: ListWatchEvent): readonly KubeObject[] =>
  event.type === 'SYNCED' ? event.objects : 'object' in event ? [event.object] : [];

type Drift = { readonly healed: number; readonly told: number };

/** From the moment the cluster was told of a change by hand to the moment it tells of it, and to the moment it is gone. */
async function drifted(ctx: Ctx, { kube }: BenchCluster, held: Held, name: string): Promise<Drift> {
  const entry = held.get(name);
  if (!entry) throw new Error(`${name} is not there`);
  const began = performance.now();
  let told = 0;
  const healed = new Promise<void>((resolve) => {
    entry.heard = () => {
      if (entry.value !== 'first') told ||= performance.now() - began;
      else if (told > 0) resolve();
    };
  });
  const body = { data: { value: `drifted-${began}` } };
  await kube.patch(ctx, { ...maps, name }, { type: 'merge', body });
  await healed;
  return { healed: performance.now() - began, told };
}

async function waits(
  work: () => Promise<void>,
  { url, drift }: { readonly url: string; readonly drift: () => Promise<Drift> },
): Promise<Waits> {
  let isOver = false;
  const again = async <Round>(ask: () => Promise<Round>, pauseMs: number) => {
    const rounds: Round[] = [];
    while (!isOver) {
      rounds.push(await ask());
      await sleep(pauseMs);
    }
    return rounds;
  };
  const healing = again(drift, restMs);
  const answering = again(() => answered(url), probeMs);
  await work().finally(() => {
    isOver = true;
  });
  const [drifts, answers] = await Promise.all([healing, answering]);
  const longest = (all: readonly number[]) => Math.max(0, ...all);
  return {
    answer: longest(answers),
    healed: longest(drifts.map(({ healed }) => healed)),
    told: longest(drifts.map(({ told }) => told)),
    rounds: drifts.length,
  };
}

/** An answer that takes no work tells how long the program did not come to it. */
async function answered(url: string): Promise<number> {
  const began = performance.now();
  await (await fetch(new URL('/healthz', url))).text();
  return performance.now() - began;
}
