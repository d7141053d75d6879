import { type Collection, type KubeClient, listWatch } from '#kube';
import { type KubeObject, keyFrom } from '#model';
import type { Ctx } from '#std';
import { Feed } from './feed.ts';
import { Gate } from './gate.ts';
import { type Change, Held } from './held.ts';

export type InformerOptions = Collection & {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
};

/** One collection of a cluster, mirrored in memory for as long as `run` runs. */
export class Informer<T extends KubeObject = KubeObject> {
  readonly #kube: Pick<KubeClient, 'list' | 'watch'>;
  readonly #from: InformerOptions;
  readonly #synced = new Gate();
  readonly #feed = new Feed<Change>();
  readonly #held: Held;
  readonly #keys = new Set<ReturnType<typeof keyFrom>>();

  constructor(kube: Pick<KubeClient, 'list' | 'watch'>, from: InformerOptions) {
    this.#kube = kube;
    this.#from = from;
    this.#held = new Held((key, change) => {
      if (change.after) this.#keys.add(key);
      else this.#keys.delete(key);
      this.#feed.publish(change);
    });
  }

  async run(ctx: Ctx): Promise<void> {
    const { labelSelector, fieldSelector } = this.#from;
    for await (const event of listWatch(ctx, this.#kube, this.#from, { labelSelector, fieldSelector })) {
      if (event.type === 'SYNCED') {
        this.#held.replace(this.#keys, event.objects, event.resourceVersion);
        this.#synced.open();
      } else if (event.type === 'FAILED') {
        ctx.log.warn('watch failed', { kind: this.#from.kind, error: event.error });
      } else if (event.type === 'DELETED') this.#held.drop(event.object);
      else if (event.type !== 'RESUMED') this.#held.put(event.object);
    }
  }

  /** Resolves when the first list is in. */
  whenSynced(ctx: Ctx): Promise<void> {
    return this.#synced.pass(ctx);
  }

  get(namespace: string, name: string): T | undefined {
    const { apiVersion, kind } = this.#from;
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    return this.#held.get(keyFrom({ group, kind, namespace, name })) as T | undefined;
  }

  list(): T[] {
    return [...this.#held.values()] as T[];
  }

  /** compat R-2: a write of ours is seen by our next read, before the watch brings it back. */
  put(object: T): void {
    this.#held.put(object);
  }

  /** Every change from this call on, until `ctx` stops; throws LimitExceeded when the reader is too slow. */
  changes(ctx: Ctx): AsyncGenerator<Change> {
    return this.#feed.follow(ctx);
  }
}
