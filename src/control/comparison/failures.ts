import { type ErrorCode, FairleadError } from '#base/std';

/** The stage of a comparison that failed. An operator needs it first: each stage is debugged in another place. */
export type ComparisonStage = 'source' | 'render' | 'diff';

const reported = /^(source|render|diff) failure: /;

/** The codes of rendering errors; every other error without manifests is one of the source. */
const rendering: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['RenderFailed', 'LimitExceeded']);

/** Why there are no manifests: the source could not be read, or could not be rendered. */
export function withoutManifests(error: unknown): FairleadError {
  const { code } = FairleadError.from(error);
  return failedAt(rendering.has(code) ? 'render' : 'source', error);
}

/**
 * The same error, its message naming the stage. An error of the spec itself stays unchanged: the spec is what the user has to
 * fix.
 */
export function failedAt(stage: ComparisonStage, error: unknown): FairleadError {
  const failure = FairleadError.from(error);
  const { code, message } = failure;
  if (code === 'InvalidSpec' || reported.test(message)) return failure;
  return new FairleadError(code, `${stage} failure: ${message}`, error);
}

/** The stage of a comparison that an error names; undefined: it is not from a comparison. */
export function stageOf(error: unknown): ComparisonStage | undefined {
  return reported.exec(FairleadError.from(error).message)?.[1] as ComparisonStage | undefined;
}

/** The cluster of the application has been unreachable for a while. */
export class ClusterUnreachable extends FairleadError {
  constructor(message: string) {
    super('Unavailable', `diff failure: ${message}`);
  }
}

/** Whether a comparison failed because the cluster of the application is unreachable. */
export const isClusterUnreachable = (error: unknown): boolean => error instanceof ClusterUnreachable;
