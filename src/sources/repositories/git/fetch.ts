import { createHash } from 'node:crypto';
import { type Ctx, FairleadError } from '#base/std';
import { reportRequest, type SourceObserver } from '../observe.ts';
import { type GitProgram, runGit } from './command.ts';
import { gitFailure, isDamage, isPassing, isUnadvertised } from './failure.ts';
import type { HostLimit } from './host-limit.ts';
import type { Mirror } from './mirror.ts';
import { retried } from './retry.ts';
import type { GitRoute } from './route.ts';

export type FetchLimits = {
  /** Timeout of one fetch (sources GIT-12). */
  readonly fetchMs: number;
  /** Attempts per fetch in case of a network error. */
  readonly attempts: number;
  /** Size limit of one fetch, in bytes. */
  readonly packBytes: number;
};

/** The commit to fetch, with the name it is advertised under when that is known. */
export type Wanted = {
  readonly commit: string;
  readonly ref?: string | undefined;
  readonly depth?: number | undefined;
};

export type FetcherDeps = {
  readonly program: GitProgram;
  readonly limits: FetchLimits;
  /** The URL of the repository, safe to show. */
  readonly shown: string;
  readonly mirror: Mirror;
  /** Undefined: a folder of this machine, which does not hang. */
  readonly host: string | undefined;
  /** The project for which it is fetched. */
  readonly project: string;
  /** Limits the fetches of all repositories. */
  readonly limit: HostLimit;
  readonly observe: SourceObserver | undefined;
};

/** Fetches from one repository into its mirror. */
export class Fetcher {
  readonly #program: GitProgram;
  readonly #limits: FetchLimits;
  readonly #shown: string;
  readonly #mirror: Mirror;
  readonly #host: string | undefined;
  readonly #project: string;
  readonly #limit: HostLimit;
  readonly #observe: SourceObserver | undefined;

  constructor({ program, limits, shown, mirror, host, project, limit, observe }: FetcherDeps) {
    this.#program = program;
    this.#limits = limits;
    this.#shown = shown;
    this.#mirror = mirror;
    this.#host = host;
    this.#project = project;
    this.#limit = limit;
    this.#observe = observe;
  }

  /**
   * Fetches one commit with all its objects, and nothing else. From servers that serve no commit by its hash it fetches
   * the ref, then everything (sources GIT-8). Throws NotFound when the repository does not have it.
   */
  async fetchCommit(ctx: Ctx, route: GitRoute, wanted: Wanted): Promise<void> {
    await this.#mirror.alone(async () => {
      const requests = [[`+${wanted.commit}:${keptAs(wanted.ref ?? wanted.commit)}`]];
      if (wanted.ref) requests.push([`+${wanted.ref}:${keptAs(wanted.ref)}`]);
      if (!wanted.depth) requests.push(everything); // compat sources GIT-9: a shallow one fetches only the revision
      for (const refspecs of requests) {
        if (await this.#mirror.contents.read(wanted.commit)) return; // an earlier caller fetched it
        await this.#fetch(ctx, route, refspecs, wanted.depth);
      }
      if (await this.#mirror.contents.read(wanted.commit)) return;
      throw new FairleadError(
        'NotFound',
        `commit ${wanted.commit} is not in repository ${this.#shown}: it was never pushed, or a force-push removed it`,
      );
    });
  }

  /** Fetches all branches and tags. */
  async fetchAll(ctx: Ctx, route: GitRoute): Promise<void> {
    await this.#mirror.alone(() => this.#fetch(ctx, route, everything, 0));
  }

  async #fetch(ctx: Ctx, route: GitRoute, refspecs: readonly string[], depth = 0): Promise<void> {
    const stderr = await this.#attempt(ctx, route, refspecs, depth);
    if (stderr === undefined || isUnadvertised(stderr)) return;
    if (!isDamage(stderr)) throw gitFailure(this.#shown, stderr);
    ctx.log.warn('mirror damaged, cloning again', { repository: this.#shown });
    await this.#mirror.rebuild(ctx);
    const again = await this.#attempt(ctx, route, refspecs, depth);
    if (again !== undefined && !isUnadvertised(again)) throw gitFailure(this.#shown, again);
  }

  /** Undefined on success, else git's error output. */
  async #attempt(
    ctx: Ctx,
    { location, use }: GitRoute,
    refspecs: readonly string[],
    depth: number,
  ): Promise<string | undefined> {
    const shallow = depth > 0 ? [`--depth=${depth}`] : [];
    const args = ['fetch', ...fetchFlags, ...shallow, '--end-of-options', location, ...refspecs];
    return retried(ctx, this.#limits.attempts, async () => {
      const call = { gitDir: this.#mirror.dir, args, ms: this.#limits.fetchMs };
      const requested = { repo: this.#shown, type: 'fetch' } as const;
      const { code, stderr } = await this.#limited(ctx, (inner, heard) =>
        this.#mirror.watched(inner, { most: this.#limits.packBytes, heard }, (bounded) =>
          use((access) =>
            reportRequest(this.#observe, requested, () =>
              runGit(bounded, this.#program, { ...call, access }),
            ),
          ),
        ),
      );
      if (code === 0) {
        await this.#mirror.tidy(ctx);
        return undefined;
      }
      if (isPassing(stderr) && !isDamage(stderr) && !isUnadvertised(stderr))
        throw gitFailure(this.#shown, stderr);
      return stderr;
    });
  }

  #limited<Value>(ctx: Ctx, work: (ctx: Ctx, heard: () => void) => Promise<Value>): Promise<Value> {
    const [host, project] = [this.#host, this.#project];
    return host === undefined ? work(ctx, () => {}) : this.#limit.run(ctx, { host, project }, work);
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

/** Kept apart from our other refs, because a branch `a` may be replaced by a branch `a/b`. */
const everything = ['+refs/heads/*:refs/all/heads/*', '+refs/tags/*:refs/all/tags/*'];

/** The ref under which a fetched commit is kept, so that the next fetch transfers only new objects. */
function keptAs(name: string): string {
  return `refs/kept/${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}
