import type { Source } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { SourceRepository, Sources } from '#sources/repositories';
import type { ManifestRequest } from './request.ts';

/** A commit whose signature has not been verified. */
type Unverified = {
  readonly repository: SourceRepository;
  readonly source: Source;
  readonly commit: string;
};

/** compat sources INT-7: a commit that cannot be trusted is not rendered. Throws PolicyFailed with the reason. */
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
  const requested = { commit, revision, ...(tagPrefix ? { tagPrefix } : {}) };
  const problems = await sources.verify(ctx, repository, requested, demand);
  if (problems.length > 0) throw new FairleadError('PolicyFailed', problems.join('; '));
}
