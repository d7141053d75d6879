import { type AnalysisRun, isFinished } from './analysis.ts';

/** A text body may be long. */
const mostValue = 80;

/**
 * compat rollouts RA-20: what the first bad metric of a run measured, and the condition that this value did not meet; empty where no value
 * was measured. Values are redacted in the status; a condition is shown as it was written, with its arguments unresolved.
 */
export function evidenceOf({ spec, status }: AnalysisRun): string {
  const result = status?.metricResults?.find(({ phase, dryRun }) => !dryRun && phase === status.phase);
  const measured = result?.measurements?.findLast(({ phase }) => isFinished(phase) && phase === result.phase);
  if (measured?.value === undefined) return '';
  const { successCondition, failureCondition } =
    spec?.metrics?.find(({ name }) => name === result?.name) ?? {};
  const { value } = measured;
  const shown = value.length > mostValue ? `${value.slice(0, mostValue)}…` : value;
  return [
    `; value ${shown}`,
    ...(successCondition ? [`successCondition ${successCondition}`] : []),
    ...(failureCondition ? [`failureCondition ${failureCondition}`] : []),
  ].join(', ');
}
