import { FairleadError } from '#base/std';
import { compileRegex, type Regex } from '#lang/regex';
import type { ScmRepository } from './scm-host.ts';

/** One entry of scmProvider.filters, as users write it. */
export type RepositoryFilterSpec = {
  readonly repositoryMatch?: string;
  readonly labelMatch?: string;
  readonly branchMatch?: string;
  readonly pathsExist?: readonly string[];
  readonly pathsDoNotExist?: readonly string[];
};

/** The paths that a branch must have and must not have. */
export type PathConditions = { readonly exist: readonly string[]; readonly missing: readonly string[] };

type Entry = {
  readonly repository: Regex | undefined;
  readonly label: Regex | undefined;
  readonly branch: Regex | undefined;
  readonly paths: PathConditions;
};

/**
 * compat sources ASS-3: an entry with a condition on branches or paths is of the branch stage, whatever else it has; one
 * with none at all has no effect.
 */
export type RepositoryFilters = {
  readonly ofRepository: readonly Entry[];
  readonly ofBranch: readonly Entry[];
};

/** Throws InvalidSpec with the entry and its field for a pattern that Go's regexp rejects. */
export function compileRepositoryFilters(filters: readonly RepositoryFilterSpec[]): RepositoryFilters {
  const ofRepository: Entry[] = [];
  const ofBranch: Entry[] = [];
  for (const [index, filter] of filters.entries()) {
    const { repositoryMatch, labelMatch, branchMatch, pathsExist, pathsDoNotExist } = filter;
    const entry: Entry = {
      repository: compiled(repositoryMatch, `filters[${index}].repositoryMatch`),
      label: compiled(labelMatch, `filters[${index}].labelMatch`),
      branch: compiled(branchMatch, `filters[${index}].branchMatch`),
      paths: { exist: (pathsExist ?? []).map(trimmed), missing: (pathsDoNotExist ?? []).map(trimmed) },
    };
    if (pathsExist || pathsDoNotExist || entry.branch) ofBranch.push(entry);
    else if (entry.repository || entry.label) ofRepository.push(entry);
  }
  return { ofRepository, ofBranch };
}

/** Compiles a pattern of a filter; undefined for none. Throws InvalidSpec with the name of the field. */
export function compiled(pattern: string | undefined, field: string): Regex | undefined {
  if (pattern === undefined) return undefined;
  try {
    return compileRegex(pattern);
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    throw new FairleadError(error.code, `${field}: ${error.message}`, error);
  }
}

const trimmed = (path: string): string => path.replace(/^\/+|\/+$/g, '');

/**
 * Whether branches of a repository may pass: it satisfies an entry of the repository stage, and the name and the labels of
 * an entry of the branch stage. Its branches need not be listed otherwise.
 */
export function passesRepository(
  { ofRepository, ofBranch }: RepositoryFilters,
  found: ScmRepository,
): boolean {
  const fits = (entry: Entry): boolean => fitsRepository(entry, found);
  return (
    (ofRepository.length === 0 || ofRepository.some(fits)) && (ofBranch.length === 0 || ofBranch.some(fits))
  );
}

/**
 * The conditions on paths of which a branch must satisfy one; an empty list: it does not pass, whatever its paths. The
 * repository has passed `passesRepository`.
 */
export function pathConditions(
  { ofBranch }: RepositoryFilters,
  found: ScmRepository,
): readonly PathConditions[] {
  if (ofBranch.length === 0) return [{ exist: [], missing: [] }];
  return ofBranch
    .filter((entry) => fitsRepository(entry, found) && (entry.branch?.test(found.branch) ?? true))
    .map(({ paths }) => paths);
}

function fitsRepository({ repository, label }: Entry, { repository: name, labels }: ScmRepository): boolean {
  return (repository?.test(name) ?? true) && (!label || labels.some((text) => label.test(text)));
}
