import { isRefOnly, type Source } from '#base/model';
import type { Ctx } from '#base/std';
import type { SourceRepository, Sources } from '#sources/repositories';

/**
 * The revisions an application was compared with and synced to before, and which changes since then concern it (sources
 * MGP-4).
 */
export type Since = {
  /** For each source: the revision whose manifests may be reused, then others that must not differ from now either. */
  readonly revisions: readonly (readonly string[])[];
  /** Whether any of these changed paths affects what a source renders to. */
  concerns(source: Source, changed: readonly string[]): boolean;
};

/** A source at a revision. `repository` is left out for files that did not come from a repository. */
export type SourceAtRevision = {
  readonly source: Source;
  readonly revision: string;
  readonly repository?: SourceRepository;
};

type Diff = Pick<Sources, 'changedFiles'>;

/**
 * Whether the rendered manifests of a source may differ from before: compares its own files and those of each
 * repository that provides its value files (sources MGP-5). True when the revisions cannot be compared.
 */
export async function mayDiffer(
  ctx: Ctx,
  sources: Diff,
  {
    one,
    all,
    since,
  }: { readonly one: SourceAtRevision; readonly all: readonly SourceAtRevision[]; readonly since: Since },
): Promise<boolean> {
  if (isRefOnly(one.source)) return false; // compat sources MGP-7: a ref-only source never counts by itself
  const compared = all.filter((other) => other === one || lends(other.source, one.source));
  for (const other of compared) {
    const before = since.revisions[all.indexOf(other)] ?? [];
    if (before.length === 0) return true;
    for (const from of new Set(before)) {
      const changed = await changedIn(ctx, sources, other, from);
      // compat sources MGP-5: the paths of the source count in every repository it reads from
      if (!changed || (changed.length > 0 && since.concerns(one.source, changed))) return true;
    }
  }
  return false;
}

/** Undefined: the changes are unknown. */
async function changedIn(
  ctx: Ctx,
  sources: Diff,
  { source, revision, repository }: SourceAtRevision,
  from: string,
): Promise<readonly string[] | undefined> {
  if (revision === from) return [];
  const isCommit = repository && !source.chart && /^[0-9a-f]{40}$/.test(from);
  return isCommit ? sources.changedFiles(ctx, repository, from, revision) : undefined;
}

function lends({ ref }: Source, { helm = {} }: Source): boolean {
  if (!ref) return false;
  const paths = [...(helm.valueFiles ?? []), ...(helm.fileParameters ?? []).map(({ path = '' }) => path)];
  return paths.some((path) => path.startsWith(`$${ref}/`));
}
