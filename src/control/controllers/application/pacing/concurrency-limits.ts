import { printTime } from '#base/model';
import type { Ctx } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import type { Requeue } from '#control/runtime';
import { KeyedSemaphore } from './keyed-semaphore.ts';

/** The cluster and the repositories a pass may have to wait for. */
export type PassDependencies = { readonly cluster: string; readonly repositories: readonly string[] };

type Pass = {
  readonly key: string;
  readonly needs: PassDependencies;
  readonly context: ComparisonDeps;
  run(context: ComparisonDeps): Promise<Requeue | undefined>;
};

type LimitOptions = {
  readonly clock: Ctx['clock'];
  /** The concurrency limit of one cluster, repository, host or project. */
  most?(thing: string): number;
  requeue(key: string): void;
  /** Reports on an application why it has to wait. */
  reportWaiting(ctx: Ctx, key: string, why: string): Promise<void>;
};

/**
 * By the first word of the key. The limits of one host and of one project are below the number of workers
 * (main/control-plane.ts).
 */
const mostOf: Readonly<Record<string, number>> = { cluster: 40, host: 32, project: 500 };
const atOnce = (thing: string): number => mostOf[thing.slice(0, thing.indexOf(' '))] ?? 8;

/** Manifests that take longer than this wait for a repository: the pass releases its cluster meanwhile. */
const slowMs = 250;

/** A cluster without a finished pass for this long counts as unresponsive. */
const stillMs = 30_000;

/**
 * Runs passes within the concurrency limits; a pass over a limit is requeued when there is capacity. A pass holds its cluster
 * to the end, except while it waits for repositories, and its repositories until its manifests are generated: otherwise a
 * cluster that hangs would block all applications from the same repository, and a repository that hangs all applications on
 * the same cluster. An application that waits for an unresponsive cluster gets one report of it.
 */
export class ConcurrencyLimits {
  readonly #semaphore: KeyedSemaphore;
  readonly #options: LimitOptions;
  readonly #reported = new Set<string>();

  constructor(options: LimitOptions) {
    const { most = atOnce, requeue, clock } = options;
    this.#options = options;
    this.#semaphore = new KeyedSemaphore({ most, requeue, now: () => clock.now().getTime() });
  }

  async run(ctx: Ctx, { key, needs, context, run }: Pass): Promise<Requeue | undefined> {
    const { cluster, repositories } = needs;
    if (!this.#semaphore.enter(key, [cluster, ...repositories])) return this.#wait(ctx, key, cluster);
    this.#reported.delete(key);
    let isHeldByPass = true;
    const releaseRepositories = (): void => {
      if (isHeldByPass) this.#semaphore.leave(repositories);
      isHeldByPass = false;
    };
    const generate: ComparisonDeps['manifests']['generate'] = (inner, request) =>
      this.#withoutCluster(cluster, () => context.manifests.generate(inner, request)).finally(
        releaseRepositories,
      );
    try {
      return await run({ ...context, manifests: { ...context.manifests, generate } });
    } finally {
      releaseRepositories();
      this.#semaphore.leave([cluster]);
    }
  }

  /**
   * Releases the cluster during slow generation: repositories that hang would otherwise block all applications on that
   * cluster.
   */
  async #withoutCluster<Value>(cluster: string, work: () => Promise<Value>): Promise<Value> {
    const done = new AbortController();
    let isHeld = true;
    const release = (): void => {
      isHeld = false;
      this.#semaphore.leave([cluster]);
    };
    this.#options.clock.sleep(slowMs, done.signal).then(release, () => {});
    try {
      return await work();
    } finally {
      done.abort();
      if (!isHeld) this.#semaphore.retake(cluster);
    }
  }

  async #wait(ctx: Ctx, key: string, cluster: string): Promise<Requeue | undefined> {
    const since = this.#semaphore.stillSince(cluster);
    if (since === undefined) return undefined; // a repository: Outages reports those
    const left = since + stillMs - this.#options.clock.now().getTime();
    if (left > 0) return { requeueAfter: left };
    if (!this.#reported.has(key)) {
      this.#reported.add(key);
      const at = printTime(new Date(since));
      const why = `blocked by the concurrency limit of ${cluster}, which has been unresponsive since ${at}`;
      await this.#options.reportWaiting(ctx, key, why);
    }
    return { requeueAfter: stillMs };
  }
}
