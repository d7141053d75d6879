import { parseDuration } from '#base/model';
import type { AnalysisPhase } from '../rollout.ts';
import {
  type AnalysisMetric,
  type AnalysisRun,
  type AnalysisRunStatus,
  isFinished,
  type Measurement,
  type MetricResult,
  type RunSummary,
} from './analysis.ts';
import { limitsOfMetric } from './checks.ts';

/** A measurement that failed is repeated after this time, whatever the interval. */
const errorRetryMs = 10_000;

/** A metric that is measured now; `resumed` is in flight and is read again. */
export type MetricTask = { readonly metric: AnalysisMetric; readonly resumed?: Measurement | undefined };

type Dry = ReadonlySet<string>;

const resultOf = (status: AnalysisRunStatus, name: string): MetricResult | undefined =>
  status.metricResults?.find((result) => result.name === name);
const lastOf = (result: MetricResult | undefined): Measurement | undefined => result?.measurements?.at(-1);
const isBad = (phase: AnalysisPhase): boolean =>
  phase === 'Failed' || phase === 'Error' || phase === 'Inconclusive';

/** compat rollouts RA-8, RA-9: whether nothing new is measured: on request, or because a metric has failed. */
export const isTerminating = ({ spec }: AnalysisRun, status: AnalysisRunStatus): boolean =>
  spec?.terminate === true ||
  (status.metricResults ?? []).some(({ phase, dryRun }) => !dryRun && isBad(phase));

/** What is to be measured now. */
export function dueTasks(
  run: AnalysisRun,
  status: AnalysisRunStatus,
  metrics: readonly AnalysisMetric[],
  now: number,
): MetricTask[] {
  const ends = isTerminating(run, status);
  return metrics.flatMap((metric): MetricTask[] => {
    const result = resultOf(status, metric.name);
    if (result && isFinished(result.phase)) return [];
    const flying = inFlight(result);
    if (ends) return flying ? [{ metric, resumed: flying }] : [];
    const due = dueAt(metric, status, result);
    return due !== undefined && due <= now ? [{ metric, ...(flying && { resumed: flying }) }] : [];
  });
}

/** The measurement that has no result yet. */
function inFlight(result: MetricResult | undefined): Measurement | undefined {
  const last = lastOf(result);
  return last?.finishedAt === undefined ? last : undefined;
}

/**
 * When a metric is measured, or a measurement in flight is read: without a time of its own in every pass. undefined: there
 * is nothing to come.
 */
function dueAt(
  metric: AnalysisMetric,
  status: AnalysisRunStatus,
  result: MetricResult | undefined,
): number | undefined {
  const last = lastOf(result);
  if (!last) {
    const started = Date.parse(status.startedAt ?? '') || 0;
    return started + (metric.initialDelay ? parseDuration(metric.initialDelay) : 0);
  }
  return last.finishedAt === undefined
    ? Date.parse(last.resumeAt ?? '') || 0
    : repeatedAt(metric, result, last);
}

function repeatedAt(
  metric: AnalysisMetric,
  result: MetricResult | undefined,
  last: Measurement,
): number | undefined {
  const { count } = limitsOfMetric(metric);
  if (count !== undefined && (result?.count ?? 0) >= count) return undefined;
  const finished = Date.parse(last.finishedAt ?? '');
  if (last.phase === 'Error') return finished + errorRetryMs;
  return metric.interval ? finished + parseDuration(metric.interval) : undefined;
}

/** When the run needs another pass; undefined: only a change brings one. */
export function nextDue(
  run: AnalysisRun,
  status: AnalysisRunStatus,
  metrics: readonly AnalysisMetric[],
): number | undefined {
  if (isFinished(status.phase)) return undefined;
  const times = metrics.flatMap((metric) => {
    const result = resultOf(status, metric.name);
    if (result && isFinished(result.phase)) return [];
    const due = dueAt(metric, status, result);
    const isOver = isTerminating(run, status) && inFlight(result) === undefined;
    return due === undefined || due === 0 || isOver ? [] : [due];
  });
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** The status with a measurement added, or in the place of the one that was in flight. */
export function withMeasurement(
  status: AnalysisRunStatus,
  { metric, resumed }: MetricTask,
  taken: Measurement,
  about: { readonly isDry: boolean; readonly metadata?: Record<string, string> | undefined },
): AnalysisRunStatus {
  const before: MetricResult = resultOf(status, metric.name) ?? {
    name: metric.name,
    phase: 'Running',
    ...(about.isDry && { dryRun: true }),
    ...(about.metadata && { metadata: about.metadata }),
  };
  const earlier = before.measurements ?? [];
  const measurements = [...(resumed ? earlier.slice(0, -1) : earlier), taken];
  const after = { ...counted(before, taken.phase), measurements };
  const others = status.metricResults ?? [];
  const isKnown = others.some(({ name }) => name === metric.name);
  return {
    ...status,
    metricResults: isKnown
      ? others.map((one) => (one.name === metric.name ? after : one))
      : [...others, after],
  };
}

const counters: Readonly<Record<string, 'successful' | 'failed' | 'inconclusive' | 'error'>> = {
  Successful: 'successful',
  Failed: 'failed',
  Inconclusive: 'inconclusive',
  Error: 'error',
};

function counted(result: MetricResult, phase: AnalysisPhase): MetricResult {
  const counter = counters[phase];
  if (!counter) return result;
  const isError = phase === 'Error';
  return {
    ...result,
    [counter]: (result[counter] ?? 0) + 1,
    count: (result.count ?? 0) + (isError ? 0 : 1),
    consecutiveError: isError ? (result.consecutiveError ?? 0) + 1 : 0,
    consecutiveSuccess: phase === 'Successful' ? (result.consecutiveSuccess ?? 0) + 1 : 0,
  };
}

/** compat rollouts RA-10: the limit that a metric exceeded. */
function excess(
  metric: AnalysisMetric,
  result: MetricResult,
): { phase: AnalysisPhase; cause: string } | undefined {
  const { failure, inconclusive, consecutiveError } = limitsOfMetric(metric);
  const { failed = 0, inconclusive: undecided = 0, consecutiveError: errors = 0 } = result;
  if (errors > consecutiveError)
    return {
      phase: 'Error',
      cause: `consecutiveErrors (${errors}) > consecutiveErrorLimit (${consecutiveError})`,
    };
  if (undecided > inconclusive)
    return {
      phase: 'Inconclusive',
      cause: `inconclusive (${undecided}) > inconclusiveLimit (${inconclusive})`,
    };
  if (failure >= 0 && failed > failure)
    return { phase: 'Failed', cause: `failed (${failed}) > failureLimit (${failure})` };
  return undefined;
}

function phaseOfMetric(metric: AnalysisMetric, result: MetricResult, ends: boolean): AnalysisPhase {
  if (isFinished(result.phase)) return result.phase;
  const last = lastOf(result);
  if (!last) return ends ? 'Successful' : 'Pending';
  if (!isFinished(last.phase)) return 'Running';
  return excess(metric, result)?.phase ?? verdict(metric, result) ?? (ends ? 'Successful' : 'Running');
}

/** The verdict once enough was measured; undefined: not yet. */
function verdict(metric: AnalysisMetric, result: MetricResult): AnalysisPhase | undefined {
  const { count, failure, consecutiveSuccess } = limitsOfMetric(metric);
  if (consecutiveSuccess > 0 && (result.consecutiveSuccess ?? 0) >= consecutiveSuccess) return 'Successful';
  if (count === undefined || (result.count ?? 0) < count) return undefined;
  if (consecutiveSuccess === 0) return 'Successful';
  return failure < 0 ? 'Failed' : 'Inconclusive';
}

const order: readonly AnalysisPhase[] = ['Successful', 'Inconclusive', 'Error', 'Failed'];

/** What a pass reports beside the status. */
export type AnalysisNote = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
};
export type Assessed = { readonly status: AnalysisRunStatus; readonly notes: readonly AnalysisNote[] };

const note = (reason: string, phase: AnalysisPhase, message: string): AnalysisNote => ({
  type: phase === 'Failed' || phase === 'Error' ? 'Warning' : 'Normal',
  reason: `${reason}${phase}`,
  message,
});

/** compat rollouts RA-8 to RA-10: the phases of the metrics and of the run. */
export function assess(
  run: AnalysisRun,
  before: AnalysisRunStatus,
  metrics: readonly AnalysisMetric[],
  dry: Dry,
): Assessed {
  const ends = isTerminating(run, before);
  const notes: AnalysisNote[] = [];
  const metricResults = (before.metricResults ?? []).map((result) => {
    const metric = metrics.find(({ name }) => name === result.name);
    return metric ? assessedResult(metric, result, ends, notes) : result;
  });
  const status = { ...before, metricResults, ...summaries(metrics, metricResults, dry) };
  const { phase, message } = rollup(run, status, metrics, dry);
  return { status: { ...status, phase, ...(message ? { message } : {}) }, notes };
}

function assessedResult(
  metric: AnalysisMetric,
  result: MetricResult,
  ends: boolean,
  notes: AnalysisNote[],
): MetricResult {
  const phase = phaseOfMetric(metric, result, ends);
  if (phase === result.phase) return result;
  if (isFinished(phase))
    notes.push(note('Metric', phase, `Metric '${metric.name}' Completed. Result: ${phase}`));
  const cause = result.dryRun ? excess(metric, result)?.cause : undefined;
  const message = cause ? `Metric assessed ${phase} due to ${cause}` : lastOf(result)?.message;
  return { ...result, phase, ...(message && { message }) };
}

function rollup(
  run: AnalysisRun,
  status: AnalysisRunStatus,
  metrics: readonly AnalysisMetric[],
  dry: Dry,
): { readonly phase: AnalysisPhase; readonly message: string } {
  const results = metrics.map(({ name }) => resultOf(status, name));
  const areAllDone = results.every((result) => result !== undefined && isFinished(result.phase));
  const ends = isTerminating(run, status);
  const isInFlight = results.some((result) => inFlight(result) !== undefined);
  if ((!areAllDone && !ends) || isInFlight) return { phase: 'Running', message: '' };
  const counting = metrics.filter(({ name }) => !dry.has(name));
  const worst = counting.reduce<AnalysisMetric | undefined>((worse, metric) => {
    const rank = (one: AnalysisMetric | undefined): number =>
      order.indexOf((one && resultOf(status, one.name)?.phase) ?? 'Successful');
    return rank(metric) > rank(worse) ? metric : worse;
  }, undefined);
  if (!worst)
    return { phase: 'Successful', message: run.spec?.terminate ? 'Run Terminated' : unproven(status) };
  return { phase: resultOf(status, worst.name)?.phase ?? 'Successful', message: blame(worst, status, run) };
}

function blame(metric: AnalysisMetric, status: AnalysisRunStatus, run: AnalysisRun): string {
  const result = resultOf(status, metric.name);
  const found = result && excess(metric, result);
  if (!result || !found) return run.spec?.terminate ? 'Run Terminated' : '';
  const detail = result.message ? `: "Error Message: ${result.message}"` : '';
  return `Metric "${metric.name}" assessed ${result.phase} due to ${found.cause}${detail}`;
}

/** dev compat rollouts RQ-11: the limits may let a run succeed that never measured a good value; it says so. */
function unproven({ metricResults = [] }: AnalysisRunStatus): string {
  const counting = metricResults.filter(({ dryRun }) => !dryRun);
  const hasNone = counting.some(
    ({ successful = 0, measurements = [] }) => successful === 0 && measurements.length > 0,
  );
  return hasNone ? 'no successful measurement' : '';
}

function summaries(metrics: readonly AnalysisMetric[], results: readonly MetricResult[], dry: Dry) {
  const summary = (names: readonly string[]): RunSummary => {
    const counts: RunSummary = { count: names.length };
    for (const { name, phase } of results) {
      const counter = counters[phase];
      if (counter && names.includes(name)) counts[counter] = (counts[counter] ?? 0) + 1;
    }
    return counts;
  };
  const names = metrics.map(({ name }) => name);
  return {
    runSummary: summary(names.filter((name) => !dry.has(name))),
    dryRunSummary: summary(names.filter((name) => dry.has(name))),
  };
}

/** compat rollouts RA-11: the newest measurements of each metric are kept. */
export function trimmed(status: AnalysisRunStatus, limits: ReadonlyMap<string, number>): AnalysisRunStatus {
  return {
    ...status,
    metricResults: (status.metricResults ?? []).map((result) => {
      const limit = limits.get(result.name) ?? 10;
      const { measurements = [] } = result;
      return measurements.length > limit ? { ...result, measurements: measurements.slice(-limit) } : result;
    }),
  };
}

export const completionNote = (phase: AnalysisPhase): AnalysisNote =>
  note('AnalysisRun', phase, `Analysis Completed. Result: ${phase}`);
