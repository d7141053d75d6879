import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeText, type FileTree } from '#model';
import { type Ctx, FairleadError, Lru, realClock, SingleFlight, silent } from '#std';
import { type GitRepository, type Reach, type Route, routeTo } from './git/access.ts';
import { type GitProgram, runGit } from './git/command.ts';
import type { Commit, CommitDetails } from './git/commit.ts';
import { Fetcher } from './git/fetch.ts';
import { Mirror, mirrorDir } from './git/mirror.ts';
import { isFullHash, type Match, matchRevision, type Refs } from './git/refs.ts';
import { type RefAge, RemoteRefs } from './git/remote-refs.ts';
import { watchRefs } from './git/watch-local.ts';
import { parseRemote, type Remote, remoteKey } from './repository-url.ts';

export type SourceLimits = {
  /** How long listing refs may take, and one fetch (GIT-12). */
  readonly listMs: number;
  readonly fetchMs: number;
  /** Tries for one conversation with the other side (GIT-7). */
  readonly attempts: number;
  readonly fileBytes: number;
  readonly treeEntries: number;
  readonly treeMemory: number;
  /** Repositories whose objects can be read without starting a program first. */
  readonly openMirrors: number;
};

const defaults: SourceLimits = {
  listMs: 15_000,
  fetchMs: 90_000,
  attempts: 3,
  fileBytes: 100 * 1024 * 1024,
  treeEntries: 1_000_000,
  treeMemory: 256 * 1024 * 1024,
  openMirrors: 32,
};

export type SourcesConfig = {
  /** Belongs to this process alone while it runs. */
  readonly cacheDir: string;
  /** The git program, as found by `findTool`. */
  readonly git: { readonly command: string; readonly version?: string };
  readonly reach?: Partial<Reach>;
  readonly limits?: Partial<SourceLimits>;
};

/** A revision made exact. `ref` is the full name it was found under; undefined for a hash. */
export type ResolvedRevision = {
  readonly commit: string;
  readonly ref?: string;
  readonly warnings: readonly string[];
};

export type RevisionOptions = RefAge & { readonly tagPrefix?: string };

type Place = {
  readonly repository: GitRepository;
  readonly remote: Remote;
  /** Names the repository and who asks. */
  readonly identity: string;
  readonly mirror: Mirror;
};

/** Repositories and revisions in, trees of files out. Close it to end the programs it keeps. */
export class Sources {
  readonly #program: GitProgram;
  readonly #cacheDir: string;
  readonly #reach: Reach;
  readonly #limits: SourceLimits;
  readonly #refs: RemoteRefs;
  readonly #fetches = new SingleFlight<void>();
  readonly #mirrors = new Map<string, Mirror>();
  readonly #open: Lru<Mirror>;
  readonly #proven = new Set<string>();
  readonly #stop = new AbortController();
  readonly #closing = new Set<Promise<void>>();
  #home: Promise<unknown> | undefined;

  constructor({ cacheDir, git, reach = {}, limits = {} }: SourcesConfig) {
    checkVersion(git.version);
    this.#program = { command: git.command, home: join(cacheDir, 'git-home') };
    this.#cacheDir = cacheDir;
    this.#reach = { local: [], loopback: false, ...reach };
    this.#limits = { ...defaults, ...limits };
    this.#refs = new RemoteRefs(this.#program, this.#limits);
    this.#open = new Lru({
      capacity: this.#limits.openMirrors,
      onEvict: (_key, mirror) => this.#retire(mirror),
    });
  }

  /**
   * The commit a revision stands for. A full hash is returned as it is, with nobody asked; HEAD, branches, tags,
   * ranges and other refs are looked up among the advertised refs; an abbreviated hash is completed.
   */
  async resolveRevision(
    ctx: Ctx,
    repository: GitRepository,
    revision: string,
    options: RevisionOptions = {},
  ): Promise<ResolvedRevision> {
    if (isFullHash(revision)) return { commit: revision.toLowerCase(), warnings: [] };
    const place = await this.#place(ctx, repository);
    const refs = await this.#list(ctx, place, options);
    const match = matchRevision(refs, revision, options.tagPrefix);
    if (!match) throw unresolved(place, revision, refs);
    return this.#complete(ctx, place, match);
  }

  /** What the repository advertises, by full name. */
  async listRefs(ctx: Ctx, repository: GitRepository, age: RefAge = {}): Promise<Refs> {
    return this.#list(ctx, await this.#place(ctx, repository), age);
  }

  /**
   * The files of a commit. Fetches what is not here yet, and only that. Unless `links` says otherwise, a commit that
   * holds a link pointing out of the repository is refused, wherever the link stands (VFT-5).
   */
  async openTree(
    ctx: Ctx,
    repository: GitRepository,
    commit: string,
    { links = 'inside' }: { readonly links?: 'inside' | 'any' } = {},
  ): Promise<FileTree> {
    const place = await this.#place(ctx, repository);
    const { tree } = await this.#commit(ctx, place, commit);
    try {
      return await place.mirror.trees.open(tree, links);
    } catch (error) {
      if (!place.mirror.trees.isTorn) throw error;
      await this.#commit(ctx, place, commit);
      return place.mirror.trees.open(tree, links);
    }
  }

  /** Author, date and message of a commit. */
  async describeCommit(ctx: Ctx, repository: GitRepository, commit: string): Promise<CommitDetails> {
    const { tree: _tree, ...details } = await this.#commit(ctx, await this.#place(ctx, repository), commit);
    return details;
  }

  /**
   * Yields once when the watch stands, then whenever a ref of a local repository moved, until `ctx` ends. Throws
   * InvalidSpec for one that is not on this machine: that has to be asked now and then.
   */
  async *watchLocal(ctx: Ctx, repository: GitRepository): AsyncGenerator<void> {
    const remote = parseRemote(repository.url);
    if (remote.kind !== 'local') {
      throw new FairleadError(
        'InvalidSpec',
        `repository ${remote.shown} is not on this machine and cannot be watched`,
      );
    }
    const { location } = await routeTo(repository, this.#reach);
    yield* watchRefs(ctx, location);
  }

  /** Ends every program. Calls under way fail. */
  async close(): Promise<void> {
    await Promise.all([...this.#mirrors.values()].map((mirror) => mirror.close()));
    await Promise.all(this.#closing);
    this.#stop.abort(new FairleadError('Unavailable', 'the sources are closed'));
  }

  async #place(ctx: Ctx, repository: GitRepository): Promise<Place> {
    this.#home ??= mkdir(this.#program.home, { recursive: true, mode: 0o700 });
    await this.#home;
    const remote = parseRemote(repository.url);
    // a copy cut off at some depth must not be taken for a whole one
    const key = `${remoteKey(remote)}${(repository.depth ?? 0) > 0 ? ' shallow' : ''}`;
    const mirror = this.#mirrorOf(key);
    await mirror.ready(ctx);
    return { repository, remote, mirror, identity: `${key} ${fingerprint(repository, remote)}` };
  }

  #mirrorOf(key: string): Mirror {
    let mirror = this.#mirrors.get(key);
    if (!mirror) {
      const ctx: Ctx = { signal: AbortSignal.any([this.#stop.signal]), log: silent, clock: realClock };
      const { treeEntries: entries, treeMemory: memory, fileBytes } = this.#limits;
      mirror = new Mirror(ctx, this.#program, mirrorDir(this.#cacheDir, key), {
        tree: { entries, memory },
        fileBytes,
      });
      this.#mirrors.set(key, mirror);
    }
    this.#open.set(key, mirror);
    return mirror;
  }

  #retire(mirror: Mirror): void {
    const closing = mirror.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async #list(ctx: Ctx, place: Place, age: RefAge): Promise<Refs> {
    const { remote, identity, repository } = place;
    const route = (): Promise<Route> => routeTo(repository, this.#reach);
    const refs = await this.#refs.list(ctx, identity, { shown: remote.shown, route, ...age });
    this.#proven.add(identity);
    return refs;
  }

  async #commit(ctx: Ctx, place: Place, commit: string): Promise<Commit> {
    if (!isFullHash(commit)) {
      throw new FairleadError(
        'InvalidSpec',
        `${JSON.stringify(commit)} is no commit hash: resolve the revision first`,
      );
    }
    await this.#prove(ctx, place);
    await this.#mend(ctx, place);
    const known = await place.mirror.commit(commit);
    if (known) return known;
    await this.#fetches.run(ctx, `${place.identity} ${commit}`, (shared) =>
      this.#fetch(shared, place, commit),
    );
    const fetched = await place.mirror.commit(commit);
    if (fetched) return fetched;
    throw new FairleadError('NotFound', `commit ${commit} is not in repository ${place.remote.shown}`);
  }

  /** Mirrors are shared; the right to read one is not. Each identity shows once that the other side lets it in. */
  async #prove(ctx: Ctx, place: Place): Promise<void> {
    if (this.#proven.has(place.identity)) return;
    if (place.remote.kind === 'http') await this.#list(ctx, place, {});
    else await routeTo(place.repository, this.#reach);
    this.#proven.add(place.identity);
  }

  /** A commit is here and its files are not: a crash tore the mirror, and a fetch would not see what is missing. */
  async #mend(ctx: Ctx, { mirror, remote }: Place): Promise<void> {
    if (!mirror.trees.isTorn) return;
    await mirror.alone(async () => {
      if (!mirror.trees.isTorn) return;
      ctx.log.warn('mirror incomplete, fetching anew', { repository: remote.shown });
      await mirror.rebuild(ctx);
    });
  }

  async #fetch(ctx: Ctx, place: Place, commit: string): Promise<void> {
    const ref = refOf(this.#refs.known(place.identity), commit);
    const route = await routeTo(place.repository, this.#reach);
    await this.#fetcher(place).fetchCommit(ctx, route, { commit, ref, depth: place.repository.depth });
  }

  #fetcher({ remote, mirror }: Place): Fetcher {
    return new Fetcher(this.#program, this.#limits, remote.shown, mirror);
  }

  async #complete(ctx: Ctx, place: Place, match: Match): Promise<ResolvedRevision> {
    if (match.kind === 'commit') {
      const warnings = match.warning === undefined ? [] : [match.warning];
      return { commit: match.commit, ref: match.ref, warnings };
    }
    const here = await this.#commitsBeginning(ctx, place, match.prefix);
    if (here.length === 1 && here[0]) return { commit: here[0], warnings: [] };
    if (here.length === 0)
      await this.#fetcher(place).fetchAll(ctx, await routeTo(place.repository, this.#reach));
    const [commit, ...others] = await this.#commitsBeginning(ctx, place, match.prefix);
    if (commit === undefined) throw unresolved(place, match.prefix);
    if (others.length > 0) {
      throw new FairleadError(
        'InvalidSpec',
        `revision ${match.prefix} is the beginning of ${others.length + 1} commits in ${place.remote.shown}: write more of it`,
      );
    }
    return { commit, warnings: [] };
  }

  async #commitsBeginning(ctx: Ctx, { mirror }: Place, prefix: string): Promise<string[]> {
    const args = ['rev-parse', `--disambiguate=${prefix}`];
    const { stdout } = await runGit(ctx, this.#program, { gitDir: mirror.dir, args, ms: 30_000 });
    const hashes = decodeText(stdout).split('\n').filter(isFullHash);
    const types = await Promise.all(hashes.map((hash) => mirror.sizes.read(hash)));
    return hashes.filter((_hash, at) => types[at]?.type === 'commit');
  }
}

/** Older ones cannot be given credentials in a way that nobody else sees. */
function checkVersion(version = '2.31'): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 2 || (major === 2 && minor >= 31)) return;
  throw new FairleadError('InvalidSpec', `git ${version} is too old: install git 2.31 or later`);
}

/** Builds the sources of a process. Nothing is started or touched before the first call. */
export function createSources(config: SourcesConfig): Sources {
  return new Sources(config);
}

function unresolved({ remote }: Place, revision: string, refs?: Refs): FairleadError {
  const hint =
    refs?.byName.size === 0
      ? 'the repository has no commits yet'
      : 'check targetRevision: it names no branch, tag or commit there';
  // compat 1.4.2 step 7
  return new FairleadError(
    'NotFound',
    `unable to resolve '${revision || 'HEAD'}' to a commit SHA in ${remote.shown}: ${hint}`,
  );
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
