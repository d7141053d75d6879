import { type ErrorCode, FairleadError } from '#base/std';

/** A step of a look that can fail. An operator asks for this first: each is looked into at another place. */
export type ComparisonStage = 'source' | 'render' | 'diff';

const told = /^(source|render|diff) failure: /;

/** Those of rendering; everything else that keeps us from manifests lies with where they come from. */
const rendering: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['RenderFailed', 'LimitExceeded']);

/** Why there are no manifests: the source could not be read, or what it holds could not be rendered. */
export function withoutManifests(error: unknown): FairleadError {
  const { code } = FairleadError.from(error);
  return failedAt(rendering.has(code) ? 'render' : 'source', error);
}

/**
 * The same error, its message naming the step. What is wrong with the spec itself is told as it is: that is where to look.
 */
export function failedAt(stage: ComparisonStage, error: unknown): FairleadError {
  const failure = FairleadError.from(error);
  const { code, message } = failure;
  if (code === 'InvalidSpec' || told.test(message)) return failure;
  return new FairleadError(code, `${stage} failure: ${message}`, error);
}

/** The step of a look that an error names; undefined: it came from elsewhere. */
export function stageOf(error: unknown): ComparisonStage | undefined {
  return told.exec(FairleadError.from(error).message)?.[1] as ComparisonStage | undefined;
}

/** Whether a look failed because the cluster of the application is unreachable. */
export const isUnreachable = (error: unknown): boolean =>
  / is unreachable since \S+Z/.test(FairleadError.from(error).message);
