import { decodeText } from '#base/model';
import { type Ctx, SingleFlight } from '#base/std';
import { reportRequest, type SourceObserver } from '../observe.ts';
import { type GitProgram, runGit } from './command.ts';
import { gitFailure } from './failure.ts';
import { HostLimit } from './host-limit.ts';
import { QuickRefs } from './quick-refs.ts';
import { parseRefs, type Refs } from './refs.ts';
import { retried } from './retry.ts';
import type { GitRoute, WebWay } from './route.ts';

/**
 * How old a list of refs may be. `fresh` requires one that is requested after the call, whatever is cached; `since` one
 * that was requested at that time or later, so that any number of notifications of the same push cause one request.
 */
export type RefAge = { readonly maxAgeMs?: number; readonly fresh?: boolean; readonly since?: number };

export type RefLimits = { readonly listMs: number; readonly attempts: number };

/**
 * The repository to query: with git by its route, or over HTTP where that is possible. `shown` is its URL for errors.
 */
type RefsRequest = {
  readonly shown: string;
  /** Undefined: a folder of this machine, which does not hang. */
  readonly host: string | undefined;
  /** The project for which the refs are listed. */
  readonly project: string;
  /** Whether these credentials were accepted before, by this process or an earlier one. */
  readonly isProven: () => boolean;
  readonly route: (ctx: Ctx) => Promise<GitRoute>;
  readonly web: (ctx: Ctx) => Promise<WebWay | undefined>;
};

/** compat sources 1.15: how long Argo CD keeps them by default. */
const defaultAgeMs = 180_000;
const mostBytes = 256 * 1024 * 1024;
/**
 * Without git the list is kept in memory until it is parsed. A quarter of a million refs; git lists longer or slower
 * ones.
 */
const mostQuickBytes = 16 * 1024 * 1024;

/** The advertised refs of repositories, requested once for any number of applications. */
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
    const quick = {
      most: mostQuickBytes,
      get ms() {
        return limits.listMs / 3;
      },
    };
    this.#quick = new QuickRefs(quick, observe);
  }

  /** `key` identifies the repository and the credentials: a list is never shared with other credentials. */
  async list(ctx: Ctx, key: string, request: RefsRequest & RefAge): Promise<Refs> {
    const known = this.#youngEnough(ctx, key, request);
    if (known) return known;
    if (request.fresh || request.since !== undefined) {
      // a list in flight may have been requested before the event for which the caller needs a fresh one
      await this.#flights.settled(ctx, key);
      const meanwhile = this.#youngEnough(ctx, key, request);
      if (meanwhile) return meanwhile;
    }
    return this.#flights.run(ctx, key, async (shared) => {
      const at = shared.clock.now().getTime();
      const refs =
        (await this.#quick.list(shared, key, request)) ?? (await this.#requestRefs(shared, key, request));
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

  /** The last list, of any age; undefined when there was none. */
  known(key: string): Refs | undefined {
    return this.#known.get(key)?.refs;
  }

  /** Closes the kept connections. */
  close(): void {
    this.#quick.close();
  }

  async #requestRefs(
    ctx: Ctx,
    key: string,
    { shown, host, project, isProven, route }: RefsRequest,
  ): Promise<Refs> {
    try {
      const list = async (inner: Ctx): Promise<Refs> => this.#list(inner, shown, await route(inner));
      const refs = await (host === undefined
        ? list(ctx)
        : this.#limit.run(ctx, { host, project, isProven: isProven() }, list));
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
      const requested = { repo: shown, type: 'ls-remote' } as const;
      const { code, stdout, stderr } = await use((access) =>
        reportRequest(this.#observe, requested, () => runGit(ctx, this.#program, { ...call, access })),
      );
      if (code !== 0) throw gitFailure(shown, stderr);
      return parseRefs(decodeText(stdout), shown);
    });
  }
}
