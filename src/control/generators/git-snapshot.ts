import { type FileTree, type Repository, walk } from '#base/model';
import { atOnce, type Ctx, FairleadError, Lru } from '#base/std';
import { integrityOf } from '#engine';
import type { GeneratorDeps, RevisionAge } from './generator-deps.ts';

/** The files of a repository at one commit, as a git generator reads them. */
export type GitSnapshot = {
  readonly commit: string;
  /** Identifies the content: two snapshots with the same id have the same files. */
  readonly id: string;
  /** Every directory but the root, in walk order. */
  readonly directories: readonly string[];
  /** Every file, in walk order. */
  readonly files: readonly string[];
  /** Identifies the content of a file. */
  hashOf(path: string): string;
  /** The texts of these files, in their order. Throws LimitExceeded for files that are larger than any parameters. */
  read(paths: readonly string[]): Promise<readonly string[]>;
  readonly warnings: readonly string[];
};

export type GitRequest = {
  readonly repoURL: string;
  readonly revision: string;
  /** The project of the template; undefined: it is itself a template (sources ASG-2). */
  readonly project: string | undefined;
  readonly age: RevisionAge;
};

/** A file of parameters is written by hand or by a small tool; one that is larger than this is something else. */
const mostFileBytes = 4 * 1024 * 1024;
const mostBytes = 64 * 1024 * 1024;
const readsAtOnce = 16;
/** compat sources 1.15. */
const mostAgeMs = 180_000;

type Listing = Pick<GitSnapshot, 'directories' | 'files'>;

/**
 * Opens snapshots from the mirrors and caches that applications use too: a repository is cloned once, and its branches are
 * listed once for all of them.
 */
export class GitSnapshots {
  readonly #deps: GeneratorDeps;
  readonly #listings = new Lru<Listing>({
    capacity: 500_000,
    weigh: ({ directories, files }) => 1 + directories.length + files.length,
  });

  constructor(deps: GeneratorDeps) {
    this.#deps = deps;
  }

  /** Throws what is wrong with the repository, the revision, the project or the commit's signature. */
  async open(ctx: Ctx, request: GitRequest): Promise<GitSnapshot> {
    const { sources, settings } = this.#deps;
    const { render, refresh } = settings();
    const repository = this.#repositoryOf(request);
    const age = ageOf(request.age, refresh.intervalMs);
    const resolved = await sources.resolveRevision(ctx, repository, request.revision, age);
    const { commit } = resolved;
    await this.#verify(ctx, request, repository, commit);
    const warnings = new Set([...(repository.warnings ?? []), ...resolved.warnings]);
    const tree = await sources.openTree(ctx, repository, commit, {
      links: render.allowOutOfBoundsSymlinks ? 'any' : 'inside',
      submodules: render.submodulesEnabled,
    });
    const id = tree.hash('') ?? commit;
    return {
      commit,
      id,
      ...this.#listing(tree, id),
      hashOf: (path) => tree.hash(path) ?? '',
      read: (paths) => readAll(tree, paths),
      warnings: [...warnings],
    };
  }

  /** compat sources ASG-2: the credentials of the template's project, which must exist. */
  #repositoryOf({ repoURL, project }: GitRequest): Repository & { readonly warnings?: readonly string[] } {
    const { repositoryOf, projects, namespace } = this.#deps;
    if (project && !projects.get(namespace, project)) {
      throw new FairleadError(
        'InvalidSpec',
        `project ${project} of the template does not exist: create it or change spec.template.spec.project`,
      );
    }
    return repositoryOf(repoURL, project ?? '');
  }

  async #verify(
    ctx: Ctx,
    { repoURL, revision, project }: GitRequest,
    repository: Repository,
    commit: string,
  ): Promise<void> {
    const { projects, namespace, keyring, sources } = this.#deps;
    const owner = project ? projects.get(namespace, project) : undefined;
    const keys = keyring();
    const rule = owner && keys && integrityOf(owner, { repoURL, targetRevision: revision });
    if (!rule) return;
    if (rule.mode === 'unusable') throw new FairleadError('PolicyFailed', rule.why);
    const problems = await sources.verify(ctx, repository, { commit, revision }, { ...rule, keyring: keys });
    if (problems.length > 0) throw new FairleadError('PolicyFailed', problems.join('; '));
  }

  #listing(tree: FileTree, id: string): Listing {
    const known = this.#listings.get(id);
    if (known) return known;
    const listing = listingOf(tree);
    this.#listings.set(id, listing);
    return listing;
  }
}

function listingOf(tree: FileTree): Listing {
  const directories: string[] = [];
  const files: string[] = [];
  for (const { path, kind } of walk(tree)) {
    if (kind === 'file' || (kind === 'symlink' && isFileBehind(tree, path))) files.push(path);
    else if (kind === 'dir') directories.push(path);
  }
  return { directories, files };
}

/** A link out of the tree, or to nothing, is no file. */
function isFileBehind(tree: FileTree, path: string): boolean {
  try {
    return tree.has(path) && tree.size(path) !== undefined;
  } catch {
    return false;
  }
}

async function readAll(tree: FileTree, paths: readonly string[]): Promise<readonly string[]> {
  let bytes = 0;
  for (const path of paths) {
    const size = tree.size(path) ?? 0;
    bytes += size;
    if (size > mostFileBytes)
      throw new FairleadError(
        'LimitExceeded',
        `file ${path} has ${size} bytes, a file of parameters may have ${mostFileBytes}: exclude it`,
      );
  }
  if (bytes > mostBytes)
    throw new FairleadError(
      'LimitExceeded',
      `the ${paths.length} matching files have ${bytes} bytes, together they may have ${mostBytes}: match fewer`,
    );
  return atOnce(readsAtOnce, paths, (path) => tree.text(path));
}

function ageOf(age: RevisionAge, intervalMs: number) {
  if (age === 'fresh') return { fresh: true };
  if (age === 'cached') return { maxAgeMs: intervalMs > 0 ? Math.min(mostAgeMs, intervalMs / 4) : mostAgeMs };
  return { since: age.since };
}
