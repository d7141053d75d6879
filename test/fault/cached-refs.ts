import { FairleadError, sha256 } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import { config } from './shop.ts';

type Generate = ComparisonDeps['manifests']['generate'];

const listMs = 20;

/** A repository whose list of refs is cached and shared by all applications, as #source caches it. */
export class CachedRefs {
  head = '';
  readonly commits: string[] = [];
  #known: { readonly at: number; readonly head: string } | undefined;
  #listing: Promise<void> | undefined;

  commit(): string {
    this.head = sha256(`${this.commits.length}`).slice(0, 40);
    this.commits.push(this.head);
    return this.head;
  }

  readonly generate: Generate = async (ctx, { app, revisions, refs = {} }) => {
    const revision = revisions?.[0] ?? (await this.#resolve(ctx, refs));
    const at = this.commits.indexOf(revision);
    if (at < 0) throw new FairleadError('NotFound', `no revision ${revision}`);
    return {
      objects: [config(app.name, String(at))],
      revisions: [revision],
      sourceTypes: ['Directory'],
      commands: [],
      mayHaveChanges: true,
      cached: false,
      why: '',
      warnings: [],
      inputs: [],
    };
  };

  async #resolve(ctx: Parameters<Generate>[0], refs: NonNullable<Parameters<Generate>[1]['refs']>) {
    const now = () => ctx.clock.now().getTime();
    const youngEnough = (): string | undefined => {
      if (!this.#known || refs.fresh) return undefined;
      const isYoung =
        refs.since === undefined
          ? now() - this.#known.at <= (refs.maxAgeMs ?? 180_000)
          : this.#known.at >= refs.since;
      return isYoung ? this.#known.head : undefined;
    };
    const cached = youngEnough();
    if (cached) return cached;
    await this.#listing;
    const meanwhile = youngEnough();
    if (meanwhile) return meanwhile;
    this.#listing ??= this.#list(ctx).finally(() => {
      this.#listing = undefined;
    });
    await this.#listing;
    return this.#known?.head ?? '';
  }

  /** The host answers with what it held when the request arrived. */
  async #list({ clock, signal }: Parameters<Generate>[0]): Promise<void> {
    const found = { at: clock.now().getTime(), head: this.head };
    await clock.sleep(listMs, signal);
    this.#known = found;
  }
}

/** Numbers in [0, 1) that are the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
