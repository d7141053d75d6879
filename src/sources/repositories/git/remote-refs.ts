import { decodeText } from '#base/model';
import { type Ctx, SingleFlight } from '#base/std';
import { type SourceObserver, told } from '../observe.ts';
import { type GitProgram, runGit } from './command.ts';
import { gitFailure } from './failure.ts';
import { HostLimit } from './host-limit.ts';
import { QuickRefs } from './quick-refs.ts';
import { parseRefs, type Refs } from './refs.ts';
import { retried } from './retry.ts';
import type { GitRoute, WebWay } from './route.ts';

/**
 * How old a list of refs may be. `fresh` wants one that is asked for after the call, whatever is known; `since` one that was
 * asked for at that time or later, so that however many hear of the same push, one of them asks.
 */
export type RefAge = { readonly maxAgeMs?: number; readonly fresh?: boolean; readonly since?: number };

export type RefLimits = { readonly listMs: number; readonly attempts: number };

/** Whom to ask: git by its route, or the host itself where it is one of the web. `shown` is its URL for errors. */
type Asked = {
  readonly shown: string;
  /** Undefined: a folder of this machine, which does not hang. */
  readonly host: string | undefined;
  readonly route: (ctx: Ctx) => Promise<GitRoute>;
  readonly web: (ctx: Ctx) => Promise<WebWay | undefined>;
};

/** compat 1.15: what Argo CD keeps them for when nobody says otherwise. */
const defaultAgeMs = 180_000;
const mostBytes = 256 * 1024 * 1024;
/** Without git it is held whole until it is understood. A quarter of a million refs; what is longer, or slow, is git's. */
const mostQuickBytes = 16 * 1024 * 1024;

/** The advertised refs of repositories, asked for once however many applications want to know. */
export class RemoteRefs {
  readonly #program: GitProgram;
  readonly #limits: RefLimits;
  readonly #observe: SourceObserver | undefined;
  readonly #quick: QuickRefs;
  readonly #limit = new HostLimit();
  readonly #flights = new SingleFlight<Refs>();
  readonly #known = new Map<string, { readonly at: number; readonly refs: Refs }>();

  constructor(program: GitProgram, limits: RefLimits, observe?: SourceObserver) {
    this.#program = program;
    this.#limits = limits;
    this.#observe = observe;
    this.#quick = new QuickRefs({ ms: limits.listMs / 3, most: mostQuickBytes }, observe);
  }

  /** `key` names the repository and who asks: an answer is never shown to somebody with other credentials. */
  async list(ctx: Ctx, key: string, ask: Asked & RefAge): Promise<Refs> {
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
      const refs = (await this.#quick.list(shared, key, ask)) ?? (await this.#askGit(shared, key, ask));
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

  /** Keeps no more connections. */
  close(): void {
    this.#quick.close();
  }

  async #askGit(ctx: Ctx, key: string, { shown, host, route }: Asked): Promise<Refs> {
    try {
      const list = async (inner: Ctx): Promise<Refs> => this.#list(inner, shown, await route(inner));
      const refs = await (host === undefined ? list(ctx) : this.#limit.run(ctx, host, list));
      this.#quick.vouch(key);
      return refs;
    } catch (error) {
      this.#quick.doubt(key);
      throw error;
    }
  }

  async #list(ctx: Ctx, shown: string, { location, use }: GitRoute): Promise<Refs> {
    const args = ['ls-remote', '--quiet', '--symref', '--end-of-options', location];
    return retried(ctx, this.#limits.attempts, async () => {
      const call = { args, ms: this.#limits.listMs, stdoutBytes: mostBytes };
      const asked = { repo: shown, type: 'ls-remote' } as const;
      const { code, stdout, stderr } = await use((access) =>
        told(this.#observe, asked, () => runGit(ctx, this.#program, { ...call, access })),
      );
      if (code !== 0) throw gitFailure(shown, stderr);
      return parseRefs(decodeText(stdout), shown);
    });
  }
}
