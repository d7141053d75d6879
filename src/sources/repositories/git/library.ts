import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { decodeText } from '#base/model';
import { type Ctx, FairleadError, type Records, realClock, SingleFlight, silent } from '#base/std';
import { orFailed, type SourceObserver } from '../observe.ts';
import { hostOf, parseRemote, type Remote, remoteKey } from '../repository-url.ts';
import { routeTo, webWayTo } from './access.ts';
import { AccessProofs } from './access-proofs.ts';
import { type GitProgram, runGit } from './command.ts';
import type { Commit } from './commit.ts';
import { Fetcher } from './fetch.ts';
import { FolderCache } from './folder-cache.ts';
import { HostLimit } from './host-limit.ts';
import type { SourceLimits } from './limits.ts';
import { Mirror, mirrorDir, mirrorsDir } from './mirror.ts';
import { clearPrivateFiles } from './private-files.ts';
import { type CommitDraft, type PushResult, pushCommit, writeCommit } from './push.ts';
import { ReaderPool } from './reader-pool.ts';
import { isFullHash, type Refs } from './refs.ts';
import { type RefAge, RemoteRefs } from './remote-refs.ts';
import type { GitRepository } from './repository.ts';
import type { GitEnvironment, GitRoute } from './route.ts';
import { sweep } from './sweep.ts';
import type { Folder } from './tree.ts';

/** A repository with the credentials of one caller. */
export type MirrorAccess = {
  readonly repository: GitRepository;
  readonly remote: Remote;
  /** Identifies the repository and the credentials. */
  readonly identity: string;
  readonly mirror: Mirror;
};

type Named = Pick<MirrorAccess, 'remote' | 'identity'> & { readonly dir: string };

export type LibraryConfig = {
  readonly cacheDir: string;
  readonly command: string;
  readonly around: GitEnvironment;
  readonly limits: SourceLimits;
  readonly observe?: SourceObserver | undefined;
  readonly accepted?: Records<true> | undefined;
};

/** Every mirror of this process, and which credentials may read which. */
export class Library {
  readonly #program: GitProgram;
  readonly #cacheDir: string;
  readonly #around: GitEnvironment;
  readonly #limits: SourceLimits;
  readonly #observe: SourceObserver | undefined;
  readonly #refs: RemoteRefs;
  readonly #fetches = new SingleFlight<void>();
  readonly #fetchLimit: HostLimit;
  readonly #named = new WeakMap<GitRepository, Named>();
  readonly #mirrors = new Map<string, Mirror>();
  readonly #readers: ReaderPool;
  readonly #folders: FolderCache<Folder>;
  readonly #proofs: AccessProofs;
  readonly #stop = new AbortController();
  #home: Promise<void> | undefined;

  constructor({ cacheDir, command, around, limits, observe, accepted }: LibraryConfig) {
    this.#program = { command, home: around.home, memoryMb: limits.gitMemoryMb };
    this.#cacheDir = cacheDir;
    this.#around = around;
    this.#limits = limits;
    this.#observe = observe;
    this.#proofs = new AccessProofs(JSON.stringify(around.reach), accepted);
    this.#refs = new RemoteRefs(this.#program, limits, observe);
    this.#fetchLimit = new HostLimit(limits.fetches);
    this.#readers = new ReaderPool(limits.openReaders);
    this.#folders = new FolderCache(limits.treeMemory);
  }

  /** Ends when the process closes; for work that outlives the call which began it. */
  get ctx(): Ctx {
    return { signal: AbortSignal.any([this.#stop.signal]), log: silent, clock: realClock };
  }

  /** Opens the mirror of a repository. Sends no request yet. */
  async place(ctx: Ctx, repository: GitRepository): Promise<MirrorAccess> {
    this.#home ??= this.#moveIn();
    await this.#home;
    const { dir, ...named } = this.#name(repository);
    const mirror = this.#known(dir);
    await mirror.ready(ctx);
    return { repository, mirror, ...named };
  }

  async list(ctx: Ctx, place: MirrorAccess, age: RefAge): Promise<Refs> {
    const { remote, identity } = place;
    const route = (shared: Ctx): Promise<GitRoute> => this.route(shared, place.repository);
    const web = (shared: Ctx) => webWayTo(shared, place.repository, this.#around);
    const caller = { host: hostOf(remote), project: place.repository.tenant ?? '' };
    const isProven = (): boolean => this.#proofs.has(ctx, identity);
    const requested = { shown: remote.shown, ...caller, isProven, route, web, ...age };
    return this.#proofs.proving(ctx, identity, () => this.#refs.list(ctx, identity, requested));
  }

  /**
   * The route of git to a repository; throws when it may not be accessed. A folder of this machine that was read before and
   * is missing is Unavailable: it may be mounted again.
   */
  async route(ctx: Ctx, repository: GitRepository): Promise<GitRoute> {
    try {
      return await routeTo(ctx, repository, this.#around);
    } catch (error) {
      const { remote, identity } = this.#name(repository);
      const isMissing =
        error instanceof FairleadError && error.code === 'NotFound' && remote.kind === 'local';
      if (!isMissing || !this.#proofs.has(ctx, identity)) throw error;
      throw new FairleadError(
        'Unavailable',
        `repository ${remote.shown} is missing: restore or mount the folder, or change repoURL`,
      );
    }
  }

  /** A commit, fetched when the mirror does not have it. Throws NotFound when the repository does not have it. */
  async commit(ctx: Ctx, place: MirrorAccess, commit: string): Promise<Commit> {
    if (!isFullHash(commit)) {
      throw new FairleadError(
        'InvalidSpec',
        `${JSON.stringify(commit)} is no commit hash: resolve the revision first`,
      );
    }
    await this.#prove(ctx, place, commit);
    await this.#mend(ctx, place);
    const known = await place.mirror.commit(commit);
    if (known) return known;
    await this.#waited(place, () =>
      this.#fetches.run(ctx, `${place.identity} ${commit}`, (shared) => this.#fetch(shared, place, commit)),
    );
    const fetched = await place.mirror.commit(commit);
    if (fetched) return fetched;
    throw new FairleadError('NotFound', `commit ${commit} is not in repository ${place.remote.shown}`);
  }

  /** The root folder of a commit. A damaged mirror is recreated, once. */
  async folder(ctx: Ctx, place: MirrorAccess, commit: string): Promise<Folder> {
    const { tree } = await this.commit(ctx, place, commit);
    const { trees } = place.mirror;
    try {
      return await trees.folder(tree);
    } catch (error) {
      if (!trees.isTorn) throw error;
      await this.commit(ctx, place, commit);
      return trees.folder(tree);
    }
  }

  /** The commits whose hash has this prefix; all branches and tags are fetched when the mirror has none. */
  async commitsBeginning(ctx: Ctx, place: MirrorAccess, prefix: string): Promise<readonly string[]> {
    const here = await this.#commitsHere(ctx, place, prefix);
    if (here.length > 0) return here;
    await this.#waited(place, async () =>
      this.#fetcher(place).fetchAll(ctx, await this.route(ctx, place.repository)),
    );
    return this.#commitsHere(ctx, place, prefix);
  }

  /**
   * Pushes a commit on top of one that the repository has, with the credentials of `writer`, which read nothing. Throws
   * InvalidSpec when those are of another repository.
   */
  async push(
    ctx: Ctx,
    place: MirrorAccess,
    {
      writer,
      ref,
      draft,
    }: { readonly writer: GitRepository; readonly ref: string; readonly draft: CommitDraft },
  ): Promise<PushResult> {
    const { mirror, remote } = place;
    if (remoteKey(parseRemote(writer.url)) !== remoteKey(remote))
      throw new FairleadError(
        'InvalidSpec',
        `credentials of another repository cannot push to ${remote.shown}`,
      );
    await this.commit(ctx, place, draft.base);
    const at = { dir: mirror.dir, shown: remote.shown };
    return mirror.alone(async () => {
      const commit = await writeCommit(ctx, this.#program, at, draft);
      const route = await this.route(ctx, writer);
      return pushCommit(ctx, this.#program, at, { route, commit, ref, ms: this.#limits.fetchMs });
    });
  }

  /** Runs git on a mirror, without access to the network. */
  async inspect(ctx: Ctx, { mirror }: MirrorAccess, args: readonly string[]): Promise<string> {
    const { code, stdout } = await runGit(ctx, this.#program, { gitDir: mirror.dir, args, ms: 30_000 });
    return code === 0 ? decodeText(stdout) : '';
  }

  /** Removes mirrors that are no longer used, and the least recently used above the size limit. */
  async sweep(ctx: Ctx): Promise<void> {
    await sweep(ctx, mirrorsDir(this.#cacheDir), (dir) => this.#known(dir), this.#limits);
  }

  /** Ends the idle programs: those without a read since the last call. */
  endIdleReaders(): Promise<void> {
    return this.#readers.endIdle();
  }

  /** Evicts the trees that have not been opened since the last call. */
  evictIdleTrees(): void {
    this.#folders.evictIdle();
  }

  /** Ends every program. Calls in flight fail. */
  async close(): Promise<void> {
    await Promise.all([...this.#mirrors.values()].map((mirror) => mirror.close()));
    await this.#readers.closed();
    this.#refs.close();
    this.#stop.abort(new FairleadError('Unavailable', 'the sources are closed'));
  }

  async #moveIn(): Promise<void> {
    await mkdir(this.#program.home, { recursive: true, mode: 0o700 });
    await clearPrivateFiles(this.#program.home);
  }

  /** Cached: a repository is looked up often, and does not change. */
  #name(repository: GitRepository): Named {
    const known = this.#named.get(repository);
    if (known) return known;
    const remote = parseRemote(repository.url);
    // a shallow copy must not be mistaken for a complete one
    const key = `${remoteKey(remote)}${(repository.depth ?? 0) > 0 ? ' shallow' : ''}`;
    const identity = `${key} ${fingerprint(repository, remote)}`;
    const named = { remote, identity, dir: mirrorDir(this.#cacheDir, key) };
    this.#named.set(repository, named);
    return named;
  }

  #known(dir: string): Mirror {
    let mirror = this.#mirrors.get(dir);
    if (!mirror) {
      const { treeEntries: entries, fileBytes, readMs: silentMs } = this.#limits;
      const pool = this.#readers;
      const tree = { entries, cache: this.#folders, name: dir };
      mirror = new Mirror(this.ctx, this.#program, dir, { tree, fileBytes, silentMs, pool });
      this.#mirrors.set(dir, mirror);
    }
    return mirror;
  }

  /** Mirrors are shared; the right to read one is not. Each identity proves once that the server grants it access. */
  async #prove(ctx: Ctx, place: MirrorAccess, revision: string): Promise<void> {
    if (this.#proofs.has(ctx, place.identity)) return;
    const requested = { repo: place.remote.shown, type: 'ls-remote', revision } as const;
    if (place.remote.kind === 'local') await this.route(ctx, place.repository);
    else await orFailed(ctx, this.#observe, requested, () => this.list(ctx, place, {}));
    this.#proofs.add(ctx, place.identity);
  }

  /** The mirror has a commit and not its files: a crash damaged it, and a fetch would not notice what is missing. */
  async #mend(ctx: Ctx, { mirror, remote }: MirrorAccess): Promise<void> {
    if (!mirror.trees.isTorn) return;
    await mirror.alone(async () => {
      if (!mirror.trees.isTorn) return;
      ctx.log.warn('mirror incomplete, cloning again', { repository: remote.shown });
      await mirror.rebuild(ctx);
    });
  }

  async #fetch(ctx: Ctx, place: MirrorAccess, commit: string): Promise<void> {
    const { repository, remote } = place;
    const requested = { repo: remote.shown, type: 'fetch', revision: commit } as const;
    // a proof of an earlier process came without refs, and some hosts serve commits by their refs only
    if (remote.kind !== 'local' && !this.#refs.known(place.identity)) await this.list(ctx, place, {});
    await orFailed(ctx, this.#observe, requested, async () => {
      const route = await this.route(ctx, repository);
      const ref = refOf(this.#refs.known(place.identity), commit);
      await this.#fetcher(place).fetchCommit(ctx, route, { commit, ref, depth: repository.depth });
    });
  }

  /** compat server §7.2: Argo CD's requests wait for the lock of a repository; here only those that need a fetch do. */
  async #waited({ remote }: MirrorAccess, work: () => Promise<void>): Promise<void> {
    const end = this.#observe?.waiting(remote.shown);
    try {
      await work();
    } finally {
      end?.();
    }
  }

  #fetcher({ repository, remote, mirror }: MirrorAccess): Fetcher {
    const { shown } = remote;
    return new Fetcher({
      program: this.#program,
      limits: this.#limits,
      shown,
      mirror,
      host: hostOf(remote),
      project: repository.tenant ?? '',
      limit: this.#fetchLimit,
      observe: this.#observe,
    });
  }

  async #commitsHere(ctx: Ctx, place: MirrorAccess, prefix: string): Promise<string[]> {
    const found = await this.inspect(ctx, place, ['rev-parse', `--disambiguate=${prefix}`]);
    const hashes = found.split('\n').filter(isFullHash);
    const types = await Promise.all(hashes.map((hash) => place.mirror.sizes.read(hash)));
    return hashes.filter((_hash, at) => types[at]?.type === 'commit');
  }
}

function refOf(refs: Refs | undefined, commit: string): string | undefined {
  for (const [name, hash] of refs?.byName ?? []) {
    if (hash === commit && name.startsWith('refs/')) return name;
  }
  return undefined;
}

function fingerprint({ credentials }: GitRepository, remote: Remote): string {
  const login = remote.kind === 'http' ? remote.login : undefined;
  return createHash('sha256')
    .update(JSON.stringify([credentials ?? {}, login ?? {}]))
    .digest('hex');
}
