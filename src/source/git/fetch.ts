import { createHash } from 'node:crypto';
import { type Backoff, type Ctx, delayOf, FairleadError } from '#std';
import type { Route } from './access.ts';
import { type GitProgram, runGit } from './command.ts';
import { gitFailure, isDamage, isUnadvertised } from './failure.ts';
import type { Mirror } from './mirror.ts';

export type FetchLimits = {
  /** How long one fetch may take (GIT-12). */
  readonly fetchMs: number;
  /** How often a fault of the network is answered with another try. */
  readonly attempts: number;
};

/** What to bring: a commit, with the name it is advertised under when that is known. */
export type Wanted = {
  readonly commit: string;
  readonly ref?: string | undefined;
  readonly depth?: number | undefined;
};

const backoff: Backoff = { initialMs: 250, factor: 2, maxMs: 5_000 }; // compat GIT-7

/** Brings things from one repository into its mirror. */
export class Fetcher {
  readonly #program: GitProgram;
  readonly #limits: FetchLimits;
  readonly #shown: string;
  readonly #mirror: Mirror;

  constructor(program: GitProgram, limits: FetchLimits, shown: string, mirror: Mirror) {
    this.#program = program;
    this.#limits = limits;
    this.#shown = shown;
    this.#mirror = mirror;
  }

  /**
   * Brings one commit with all it needs, and nothing else. Servers that give no commit by its hash are asked for
   * the ref, then for everything (GIT-8). Throws NotFound when the repository does not have it.
   */
  async fetchCommit(ctx: Ctx, route: Route, wanted: Wanted): Promise<void> {
    await this.#mirror.alone(async () => {
      const asks = [[`+${wanted.commit}:${keptAs(wanted.ref ?? wanted.commit)}`]];
      if (wanted.ref) asks.push([`+${wanted.ref}:${keptAs(wanted.ref)}`]);
      asks.push(everything);
      for (const refspecs of asks) {
        if (await this.#mirror.contents.read(wanted.commit)) return; // brought by whoever was before us
        await this.#fetch(ctx, route, refspecs, wanted.depth);
      }
      if (await this.#mirror.contents.read(wanted.commit)) return;
      throw new FairleadError(
        'NotFound',
        `commit ${wanted.commit} is not in repository ${this.#shown}: it was never pushed, or a force-push removed it`,
      );
    });
  }

  /** Brings all branches and tags. */
  async fetchAll(ctx: Ctx, route: Route): Promise<void> {
    await this.#mirror.alone(() => this.#fetch(ctx, route, everything, 0));
  }

  async #fetch(ctx: Ctx, route: Route, refspecs: readonly string[], depth = 0): Promise<void> {
    const stderr = await this.#attempt(ctx, route, refspecs, depth);
    if (stderr === undefined || isUnadvertised(stderr)) return;
    if (!isDamage(stderr)) throw gitFailure(this.#shown, stderr);
    ctx.log.warn('mirror damaged, fetching anew', { repository: this.#shown });
    await this.#mirror.rebuild(ctx);
    const again = await this.#attempt(ctx, route, refspecs, depth);
    if (again !== undefined && !isUnadvertised(again)) throw gitFailure(this.#shown, again);
  }

  /** Undefined when it went well, else what git said. */
  async #attempt(
    ctx: Ctx,
    { location, access }: Route,
    refspecs: readonly string[],
    depth: number,
  ): Promise<string | undefined> {
    const shallow = depth > 0 ? [`--depth=${depth}`] : [];
    const args = ['fetch', ...fetchFlags, ...shallow, '--end-of-options', location, ...refspecs];
    return retried(ctx, this.#limits.attempts, async () => {
      const call = { gitDir: this.#mirror.dir, args, access, ms: this.#limits.fetchMs };
      const { code, stderr } = await runGit(ctx, this.#program, call);
      if (code === 0) {
        await this.#mirror.tidy(ctx);
        return undefined;
      }
      const failure = gitFailure(this.#shown, stderr);
      if (failure.code === 'Unavailable' && !isDamage(stderr) && !isUnadvertised(stderr)) throw failure;
      return stderr;
    });
  }
}

const fetchFlags = [
  '--quiet',
  '--force',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--update-shallow',
];

/** Kept aside from our other refs, because a branch `a` may make way for a branch `a/b`. */
const everything = ['+refs/heads/*:refs/all/heads/*', '+refs/tags/*:refs/all/tags/*'];

/** Under which name we keep what we fetched, so that the next fetch brings only what is new. */
function keptAs(name: string): string {
  return `refs/kept/${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}

/** Tries again, with growing pauses, while the failure is one that may pass. */
export async function retried<Value>(ctx: Ctx, attempts: number, work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const passing = error instanceof FairleadError && error.code === 'Unavailable';
      if (!passing || attempt + 1 >= attempts || ctx.signal.aborted) throw error;
      await ctx.clock.sleep(delayOf(backoff, attempt, 0), ctx.signal);
    }
  }
}
