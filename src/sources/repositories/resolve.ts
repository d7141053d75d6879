import { join } from 'node:path';
import type { FileTree } from '#base/model';
import { type Ctx, FairleadError, type Records } from '#base/std';
import { type ArchiveLimits, type ArchiveRules, defaultArchiveLimits } from './archive/limits.ts';
import { type ArtifactDetails, type ChartArchive, type ChartDetails, ChartSources } from './chart-sources.ts';
import { branchRef } from './git/branch-name.ts';
import { changesBetween } from './git/changes.ts';
import type { WorkloadIdentity } from './git/cloud-token.ts';
import type { CommitDetails } from './git/commit.ts';
import { type Demand, Integrity } from './git/integrity.ts';
import { Lfs } from './git/lfs.ts';
import { Library, type MirrorAccess } from './git/library.ts';
import { defaultLimits, type SourceLimits } from './git/limits.ts';
import type { CommitDraft, PushResult } from './git/push.ts';
import { isFullHash, matchRevision, type RefMatch, type Refs } from './git/refs.ts';
import type { RefAge } from './git/remote-refs.ts';
import type { GitRepository } from './git/repository.ts';
import type { GitEnvironment, Reach } from './git/route.ts';
import { Submodules } from './git/submodules.ts';
import { Tokens } from './git/tokens.ts';
import type { ReadBlob } from './git/tree.ts';
import { refuseEscape, treeOf } from './git/tree-view.ts';
import { abilitiesOf } from './git/version.ts';
import { watchRefs } from './git/watch-local.ts';
import type { ChartVersions } from './helm/charts.ts';
import { orFailed, type SourceObserver } from './observe.ts';
import { parseRemote } from './repository-url.ts';
import { type SourceRepository, sourceKind } from './source-repository.ts';
import type { ProxySettings } from './web/proxy.ts';
import type { Outside } from './web/request.ts';
import { noTrust, type Trust } from './web/trust.ts';

export type SourcesConfig = {
  /** Belongs to this process alone while it runs. */
  readonly cacheDir: string;
  /** The git program, as found by `findTool`. */
  readonly git: { readonly command: string; readonly version?: string };
  readonly reach?: Partial<Reach>;
  readonly limits?: Partial<SourceLimits & ArchiveLimits>;
  /** The timeout of listing refs, read again for each list; 0: the fixed one. */
  readonly requestMs?: () => number;
  /** The limits of archives, read again for each. */
  readonly rules?: () => ArchiveRules;
  /** The Azure identity of this machine, for repositories that use it. */
  readonly azure?: WorkloadIdentity;
  /** The trusted authorities and host keys, read again for every connection. */
  readonly trust?: () => Trust;
  /** The proxies of the installation, for repositories that name none (sources PRX-1). */
  readonly proxy?: ProxySettings;
  /** Left out: requests are not measured. */
  readonly observe?: SourceObserver;
  /** Which credentials were accepted for which repository; left out: each process finds out again. */
  readonly accepted?: Records<true>;
};

/**
 * A resolved revision: a commit, the version of a chart or the digest of an artifact. `ref` is the full name of the
 * commit's ref; undefined for a hash. `why` explains the choice in a sentence, where there was one.
 */
export type ResolvedRevision = {
  readonly commit: string;
  readonly ref?: string;
  readonly why?: string;
  readonly warnings: readonly string[];
};

export type RevisionOptions = RefAge & { readonly tagPrefix?: string };

export type FileTreeOptions = {
  /** `any`: links that point out of the repository are allowed, and lead nowhere. */
  readonly links?: 'inside' | 'any';
  /** Whether submodules are filled (sources SUB-1); default true. */
  readonly submodules?: boolean;
  /** Called with warnings for the user about the tree, in whole sentences. */
  readonly warn?: (warning: string) => void;
  /** Earlier downloads are not used (sources CCH-1). Commits never change. */
  readonly fresh?: boolean;
};

/** The details of a revision, by its kind. */
export type RevisionDetails =
  | ({ readonly kind: 'commit' } & CommitDetails)
  | ({ readonly kind: 'chart' } & ChartDetails)
  | ({ readonly kind: 'artifact' } & ArtifactDetails);

export type PushRequest = {
  /** Without `refs/heads/`. */
  readonly branch: string;
  readonly writer: GitRepository;
  readonly draft: CommitDraft;
};

/** The only files that are pushed are manifests that people edit. */
const mostPushedBytes = 1024 * 1024;

const sweepEveryMs = 3_600_000;
/** A tree that was not opened for one to two of these intervals is evicted and read again on the next use. */
const evictEveryMs = 600_000;
/** How often the watch checks for a missing local repository. */
const awayMs = 2_000;

function limitsOf({ limits, requestMs }: SourcesConfig): SourceLimits & ArchiveLimits {
  const fixed = { ...defaultLimits, ...defaultArchiveLimits, ...limits };
  if (!requestMs) return fixed;
  return Object.defineProperty({ ...fixed }, 'listMs', { get: () => requestMs() || fixed.listMs });
}

/** Opens trees of files for repositories and revisions. Close it to end its programs. */
export class Sources {
  readonly #observe: SourceObserver | undefined;
  readonly #library: Library;
  readonly #lfs: Lfs;
  readonly #integrity: Integrity;
  readonly #submodules: Submodules;
  readonly #charts: ChartSources;
  readonly #readerIdleMs: number;

  constructor(config: SourcesConfig) {
    const limits = limitsOf(config);
    const around = environment(config);
    const { observe } = config;
    this.#observe = observe;
    this.#readerIdleMs = limits.readerIdleMs;
    this.#library = new Library({
      cacheDir: config.cacheDir,
      command: config.git.command,
      around,
      limits,
      observe,
      accepted: config.accepted,
    });
    this.#integrity = new Integrity(this.#library);
    this.#lfs = new Lfs(this.#library, around, limits);
    this.#submodules = new Submodules(this.#library, limits, (place) => this.#reader(place));
    const outside = (): Outside => ({ egress: around.reach, trust: around.trust(), proxy: around.proxy });
    const { cacheDir, rules = () => ({}) } = config;
    this.#charts = new ChartSources({ cacheDir, outside, limits, rules, observe });
  }

  /**
   * The commit of a revision. A full hash is returned unchanged, without a request; HEAD, branches, tags, ranges and
   * other refs are resolved from the advertised refs; an abbreviated hash is completed. For a chart it is a version,
   * used as given or chosen from a range; for an artifact the digest of a tag.
   */
  async resolveRevision(
    ctx: Ctx,
    repository: SourceRepository,
    revision: string,
    options: RevisionOptions = {},
  ): Promise<ResolvedRevision> {
    const charts = this.#charts.for(repository);
    if (charts) return charts.resolve(ctx, repository, revision, options);
    if (isFullHash(revision)) return { commit: revision.toLowerCase(), warnings: [] };
    const place = await this.#library.place(ctx, repository);
    const requested = { repo: place.remote.shown, type: 'ls-remote', revision } as const;
    // compat server §7.2: a name that does not resolve is such a failure too
    return orFailed(ctx, this.#observe, requested, async () => {
      const refs = await this.#library.list(ctx, place, options);
      const match = matchRevision(refs, revision, options.tagPrefix);
      if (!match) throw unresolved(place, revision, refs);
      return this.#complete(ctx, place, match);
    });
  }

  /** The advertised refs, by full name. */
  async listRefs(ctx: Ctx, repository: GitRepository, age: RefAge = {}): Promise<Refs> {
    return this.#library.list(ctx, await this.#library.place(ctx, repository), age);
  }

  /** The charts of a repository with an index, in its order. */
  async listCharts(
    ctx: Ctx,
    repository: SourceRepository,
    age: RefAge = {},
  ): Promise<readonly ChartVersions[]> {
    return this.#charts.list(ctx, repository, age);
  }

  /** The tags of a repository in a registry. */
  async listTags(ctx: Ctx, repository: SourceRepository, age: RefAge = {}): Promise<readonly string[]> {
    return this.#charts.tags(ctx, repository, age);
  }

  /** The cheapest request that shows whether a repository accepts us now. Throws why it does not. */
  async probe(ctx: Ctx, repository: SourceRepository & { readonly type: string }): Promise<void> {
    const { type, enableOci } = repository;
    if (type === 'oci') await this.#charts.probe(ctx, repository, 'artifact');
    else if (type === 'helm') await this.#charts.probe(ctx, repository, enableOci ? 'registry' : 'index');
    else await this.listRefs(ctx, repository, { fresh: true });
  }

  /**
   * The files of a commit with those of its submodules, of a chart or of an artifact. Fetches only what is not cached.
   * Unless `links` allows it, a commit that contains a link out of the repository is refused, wherever the link is
   * (sources VFT-5).
   */
  async openTree(
    ctx: Ctx,
    repository: SourceRepository,
    commit: string,
    options: FileTreeOptions = {},
  ): Promise<FileTree> {
    const charts = this.#charts.for(repository);
    const { links = 'inside', fresh = false, warn } = options;
    if (warn) for (const warning of repository.warnings ?? []) warn(warning);
    if (charts) return charts.open(ctx, repository, commit, { links, fresh });
    return this.#openCommit(ctx, await this.#library.place(ctx, repository), commit, options);
  }

  /** Author, date and message of a commit. */
  async describeCommit(ctx: Ctx, repository: GitRepository, commit: string): Promise<CommitDetails> {
    const place = await this.#library.place(ctx, repository);
    const { tree: _tree, ...details } = await this.#library.commit(ctx, place, commit);
    return details;
  }

  /**
   * Makes a commit that changes one file, and pushes it to a branch on top of the commit it is based on; never by force.
   * `writer` has the credentials for it, which are not used to read. Where another push came first the outcome is `moved`, and
   * the caller plans again on the new commit.
   */
  async push(
    ctx: Ctx,
    repository: GitRepository,
    { branch, writer, draft }: PushRequest,
  ): Promise<PushResult> {
    const { content } = draft.change;
    if (content.length > mostPushedBytes)
      throw new FairleadError('LimitExceeded', `a file of more than ${mostPushedBytes} bytes is not pushed`);
    const place = await this.#library.place(ctx, repository);
    return this.#library.push(ctx, place, { writer, ref: branchRef(branch), draft });
  }

  /** The details of a commit, a chart or an artifact. */
  async describe(ctx: Ctx, repository: SourceRepository, revision: string): Promise<RevisionDetails> {
    const kind = sourceKind(repository);
    if (kind === 'git') return { kind: 'commit', ...(await this.describeCommit(ctx, repository, revision)) };
    if (kind === 'artifact') {
      return { kind, ...(await this.#charts.describeArtifact(ctx, repository, revision)) };
    }
    return { kind: 'chart', ...(await this.#charts.describeChart(ctx, repository, revision)) };
  }

  /** A packed chart, at a version or the newest within a range; for charts that others depend on. */
  async chartArchive(ctx: Ctx, repository: SourceRepository, revision: string): Promise<ChartArchive> {
    return this.#charts.chartArchive(ctx, repository, revision);
  }

  /** A file of a URL, fetched without credentials, or with those in its URL, by the rules for all sources. */
  async readUrl(ctx: Ctx, url: string, age: RefAge = {}): Promise<Uint8Array> {
    return this.#charts.file(ctx, url, age);
  }

  /**
   * The reasons not to trust a commit, in sentences for users; empty: it is trusted. `revision` is the requested one:
   * where that is an annotated tag, the tag's signature counts (sources INT-4).
   */
  async verify(
    ctx: Ctx,
    repository: GitRepository,
    { commit, revision, tagPrefix }: { commit: string; revision: string; tagPrefix?: string },
    demand: Demand,
  ): Promise<readonly string[]> {
    const place = await this.#library.place(ctx, repository);
    const refs = isFullHash(revision) ? undefined : await this.#library.list(ctx, place, {});
    const match = refs && matchRevision(refs, revision, tagPrefix);
    const isTag = match?.kind === 'commit' && match.commit === commit;
    const tag = isTag ? refs?.tagObjects.get(match.ref) : undefined;
    return this.#integrity.problems(ctx, place, { commit, tag }, demand);
  }

  /**
   * The paths that differ between two commits, whatever is between them (sources MGP-4): content, mode, links and the
   * commits of submodules. Undefined when they cannot be compared, and everything may have changed.
   */
  async changedFiles(
    ctx: Ctx,
    repository: GitRepository,
    from: string,
    to: string,
  ): Promise<readonly string[] | undefined> {
    if ((repository.depth ?? 0) > 0) return undefined; // compat sources GIT-9
    const place = await this.#library.place(ctx, repository);
    const after = await this.#library.folder(ctx, place, to);
    try {
      return changesBetween(await this.#library.folder(ctx, place, from), after);
    } catch (error) {
      if (error instanceof FairleadError && error.code === 'NotFound') return undefined;
      throw error;
    }
  }

  /**
   * Yields once when the watch is established, then whenever a ref of a local repository moved, until `ctx` ends. A
   * missing one is checked every few seconds, and counts as moved when it is back. Throws InvalidSpec for one that is
   * not on this machine, which must be polled instead, and PermissionDenied for one that is not permitted.
   */
  async *watchLocal(ctx: Ctx, repository: GitRepository): AsyncGenerator<void> {
    const remote = parseRemote(repository.url);
    if (remote.kind !== 'local') {
      throw new FairleadError(
        'InvalidSpec',
        `repository ${remote.shown} is not on this machine and cannot be watched`,
      );
    }
    while (!ctx.signal.aborted) {
      const location = await this.#locationOf(ctx, repository);
      if (location !== undefined) yield* watchRefs(ctx, location);
      if (!ctx.signal.aborted) await ctx.clock.sleep(awayMs, ctx.signal).catch(() => {});
    }
  }

  /** The current path of a local repository; undefined when it is missing. */
  async #locationOf(ctx: Ctx, repository: GitRepository): Promise<string | undefined> {
    try {
      return (await this.#library.route(ctx, repository)).location;
    } catch (error) {
      const isMissing = error instanceof FairleadError && ['NotFound', 'Unavailable'].includes(error.code);
      if (isMissing) return undefined;
      throw error;
    }
  }

  /** Keeps the cache within its limits and ends idle programs, until `ctx` ends. Readers are not affected. */
  async run(ctx: Ctx): Promise<void> {
    let [swept, evicted] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    while (!ctx.signal.aborted) {
      const now = ctx.clock.now().getTime();
      if (now - swept >= sweepEveryMs) {
        swept = now;
        await this.#library.sweep(ctx);
        await this.#charts.sweep(ctx);
      }
      if (now - evicted >= evictEveryMs) {
        evicted = now;
        this.#library.evictIdleTrees();
      }
      await this.#library.endIdleReaders();
      await ctx.clock.sleep(this.#readerIdleMs, ctx.signal);
    }
  }

  /** Ends every program. Calls in flight fail. */
  async close(): Promise<void> {
    await this.#library.close();
  }

  async #openCommit(
    ctx: Ctx,
    place: MirrorAccess,
    commit: string,
    { links = 'inside', submodules = true, warn }: FileTreeOptions,
  ): Promise<FileTree> {
    const own = await this.#library.folder(ctx, place, commit);
    const root = submodules ? await this.#submodules.fill(ctx, place, own) : own;
    if (links === 'inside') refuseEscape(root);
    if (place.repository.enableLfs) return treeOf(root, this.#reader(place), '-lfs');
    if (warn) for (const warning of await this.#lfs.unfetched(place, own)) warn(warning);
    return treeOf(root, place.mirror.trees.read);
  }

  #reader(place: MirrorAccess): ReadBlob {
    return place.repository.enableLfs ? this.#lfs.reader(place) : place.mirror.trees.read;
  }

  async #complete(ctx: Ctx, place: MirrorAccess, match: RefMatch): Promise<ResolvedRevision> {
    if (match.kind === 'commit') {
      const warnings = match.warning === undefined ? [] : [match.warning];
      return { commit: match.commit, ref: match.ref, warnings };
    }
    const [commit, ...others] = await this.#library.commitsBeginning(ctx, place, match.prefix);
    if (commit === undefined) throw unresolved(place, match.prefix);
    if (others.length > 0) {
      // compat sources GIT-4
      throw new FairleadError(
        'InvalidSpec',
        `revision ${match.prefix} is the beginning of ${others.length + 1} commits in ${place.remote.shown}: write more of it`,
      );
    }
    return { commit, warnings: [] };
  }
}

function environment({
  cacheDir,
  git,
  reach = {},
  proxy = {},
  trust = () => noTrust,
  azure,
}: SourcesConfig): GitEnvironment {
  const whole: Reach = { local: [], loopback: false, ...reach };
  const outside = (): Outside => ({ egress: whole, trust: trust(), proxy });
  const { pins } = abilitiesOf(git.version);
  return {
    reach: whole,
    trust,
    proxy,
    pins,
    home: join(cacheDir, 'git-home'),
    tokens: new Tokens(outside, azure),
  };
}

/** Builds the sources of a process. Starts and touches nothing before the first call. */
export function createSources(config: SourcesConfig): Sources {
  return new Sources(config);
}

function unresolved({ remote }: MirrorAccess, revision: string, refs?: Refs): FairleadError {
  const hint =
    refs?.byName.size === 0
      ? 'the repository has no commits yet'
      : 'check targetRevision: it names no branch, tag or commit there';
  // compat sources 1.4.2 step 7
  return new FairleadError(
    'NotFound',
    `unable to resolve '${revision || 'HEAD'}' to a commit SHA in ${remote.shown}: ${hint}`,
  );
}
