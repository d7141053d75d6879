import type { Source } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { SourceRepository, Sources } from '#sources/repositories';
import type { ManifestRequest } from './request.ts';

/** A commit of which nobody has said yet that it may be used. */
type Unverified = {
  readonly repository: SourceRepository;
  readonly source: Source;
  readonly commit: string;
};

/** compat INT-7: what cannot be trusted is not rendered. Throws PolicyFailed, which says why. */
export async function verify(
  ctx: Ctx,
  sources: Pick<Sources, 'verify'>,
  request: ManifestRequest,
  { repository, source, commit }: Unverified,
): Promise<void> {
  const demand = request.integrityOf?.(source);
  if (!demand) return;
  if (demand.mode === 'unusable') throw new FairleadError('PolicyFailed', demand.why);
  const { targetRevision: revision = '', tagPrefix } = source;
  const asked = { commit, revision, ...(tagPrefix ? { tagPrefix } : {}) };
  const problems = await sources.verify(ctx, repository, asked, demand);
  if (problems.length > 0) throw new FairleadError('PolicyFailed', problems.join('; '));
}
