import { decodeText } from '#model';
import { type Ctx, SingleFlight } from '#std';
import { type GitProgram, runGit } from './command.ts';
import { gitFailure } from './failure.ts';
import { parseRefs, type Refs } from './refs.ts';
import { retried } from './retry.ts';
import type { Route } from './route.ts';

/**
 * How old a list of refs may be. `fresh` wants one that is asked for after the call, whatever is known; `since` one that was
 * asked for at that time or later, so that however many hear of the same push, one of them asks.
 */
export type RefAge = { readonly maxAgeMs?: number; readonly fresh?: boolean; readonly since?: number };

export type RefLimits = { readonly listMs: number; readonly attempts: number };

/** compat 1.15: what Argo CD keeps them for when nobody says otherwise. */
const defaultAgeMs = 180_000;
const mostBytes = 256 * 1024 * 1024;

/** The advertised refs of repositories, asked for once however many applications want to know. */
export class RemoteRefs {
  readonly #program: GitProgram;
  readonly #limits: RefLimits;
  readonly #flights = new SingleFlight<Refs>();
  readonly #known = new Map<string, { readonly at: number; readonly refs: Refs }>();

  constructor(program: GitProgram, limits: RefLimits) {
    this.#program = program;
    this.#limits = limits;
  }

  /** `key` names the repository and who asks: an answer is never shown to somebody with other credentials. */
  async list(
    ctx: Ctx,
    key: string,
    ask: { shown: string; route: (ctx: Ctx) => Promise<Route> } & RefAge,
  ): Promise<Refs> {
    const known = this.#youngEnough(ctx, key, ask);
    if (known) return known;
    if (ask.fresh || ask.since !== undefined) {
      // a list that is under way may have been asked for before whatever makes the caller want a fresh one
      await this.#flights.settled(ctx, key);
      const meanwhile = this.#youngEnough(ctx, key, ask);
      if (meanwhile) return meanwhile;
    }
    return this.#flights.run(ctx, key, async (shared) => {
      const at = shared.clock.now().getTime();
      const refs = await this.#ask(shared, ask.shown, await ask.route(shared));
      this.#known.set(key, { at, refs });
      return refs;
    });
  }

  #youngEnough(
    { clock }: Ctx,
    key: string,
    { fresh, since, maxAgeMs = defaultAgeMs }: RefAge,
  ): Refs | undefined {
    const known = this.#known.get(key);
    if (!known || fresh) return undefined;
    if (since !== undefined) return known.at >= since ? known.refs : undefined;
    const age = clock.now().getTime() - known.at;
    return age >= 0 && age <= maxAgeMs ? known.refs : undefined;
  }

  /** What was last seen, of any age; undefined when nothing was. */
  known(key: string): Refs | undefined {
    return this.#known.get(key)?.refs;
  }

  async #ask(ctx: Ctx, shown: string, { location, use }: Route): Promise<Refs> {
    const args = ['ls-remote', '--quiet', '--symref', '--end-of-options', location];
    return retried(ctx, this.#limits.attempts, async () => {
      const call = { args, ms: this.#limits.listMs, stdoutBytes: mostBytes };
      const { code, stdout, stderr } = await use((access) => runGit(ctx, this.#program, { ...call, access }));
      if (code !== 0) throw gitFailure(shown, stderr);
      return parseRefs(decodeText(stdout), shown);
    });
  }
}
