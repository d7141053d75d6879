import { printTime } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import {
  type AnalysisMetric,
  type AnalysisNote,
  type AnalysisRun,
  type AnalysisRunStatus,
  assess,
  completionNote,
  dueTasks,
  isFinished,
  isTerminating,
  type Measurement,
  type MetricTask,
  matchedMetrics,
  metricsProblem,
  nextDue,
  trimmed,
  withMeasurement,
} from '#engine/rollouts';
import { metadataOf, readArguments, shownMetrics, takeMeasurement, unknownProvider } from './measure.ts';
import type { MetricProviderDeps } from './providers/provider.ts';

/** What a pass over a run found. */
export type AnalysisPass = {
  readonly status: AnalysisRunStatus;
  readonly notes: readonly AnalysisNote[];
  /** When the next pass is due, in milliseconds of the clock. */
  readonly wakeAt: number | undefined;
};

type Prepared = {
  readonly metrics: readonly AnalysisMetric[];
  readonly dry: ReadonlySet<string>;
  readonly kept: ReadonlyMap<string, number>;
};

/** compat rollouts §10: measures what is due and judges. Every failure ends in the status of the run. */
export async function reconcileRun(
  ctx: Ctx,
  deps: MetricProviderDeps,
  run: AnalysisRun,
): Promise<AnalysisPass> {
  const now = printTime(ctx.clock.now());
  const begun: AnalysisRunStatus = { ...run.status, startedAt: run.status?.startedAt ?? now };
  try {
    return await measured(ctx, deps, run, begun);
  } catch (error) {
    const { code, message } = FairleadError.from(error);
    if (code !== 'InvalidSpec' && code !== 'NotFound') throw error;
    const status: AnalysisRunStatus = { ...begun, phase: 'Error', message, completedAt: now };
    return { status, notes: [completionNote('Error')], wakeAt: undefined };
  }
}

function prepared(run: AnalysisRun): Prepared {
  const metrics = named('Unable to resolve metric arguments', () => shownMetrics(run));
  return named('Analysis spec invalid', () => {
    const problem = metricsProblem(metrics);
    if (problem !== undefined) throw new FairleadError('InvalidSpec', problem);
    const { dryRun = [], measurementRetention = [] } = run.spec ?? {};
    const kept = matchedMetrics(measurementRetention, metrics, 'measurementRetention');
    return {
      metrics,
      dry: new Set(matchedMetrics(dryRun, metrics, 'dryRun').keys()),
      kept: new Map([...kept].map(([name, { limit }]) => [name, limit])),
    };
  });
}

/** compat rollouts RA-3, RA-7: which of the two went wrong stands before the cause. */
function named<T>(prefix: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { message } = FairleadError.from(error);
    throw message.startsWith(prefix)
      ? error
      : new FairleadError('InvalidSpec', `${prefix}: ${message}`, error);
  }
}

async function measured(
  ctx: Ctx,
  deps: MetricProviderDeps,
  run: AnalysisRun,
  begun: AnalysisRunStatus,
): Promise<AnalysisPass> {
  const { metrics, dry, kept } = prepared(run);
  const ends = isTerminating(run, begun);
  const tasks = dueTasks(run, begun, metrics, ctx.clock.now().getTime());
  const foreign = tasks.map(({ metric }) => unknownProvider(metric)).find((name) => name !== undefined);
  if (foreign)
    throw new FairleadError('InvalidSpec', `provider ${foreign} is not supported by this controller`);
  const args = tasks.length > 0 ? await argumentsOf(ctx, deps, run) : { values: new Map(), secrets: [] };
  const current = { ...run, status: begun };
  const taken = await Promise.all(
    tasks.map((task) => takeMeasurement(ctx, deps, task, { run: current, args, ends })),
  );
  const after = tasks.reduce((status, task, index) => {
    const measurement = taken[index];
    if (!measurement) return status;
    const about = { isDry: dry.has(task.metric.name), metadata: metadataOf(run, task.metric) };
    return withMeasurement(status, task, measurement, about);
  }, begun);
  const pass = judged(ctx, run, after, { metrics, dry, kept });
  return {
    ...pass,
    notes: [...tasks.flatMap((task, index) => remarksOf(run, task, taken[index])), ...pass.notes],
  };
}

/** compat rollouts §16: what the first measurement of a metric is warned of. */
function remarksOf(
  { status }: AnalysisRun,
  { metric }: MetricTask,
  taken: Measurement | undefined,
): AnalysisNote[] {
  const { warnings } = taken?.metadata ?? {};
  const isFirst = !status?.metricResults?.some(({ name }) => name === metric.name);
  if (warnings === undefined || !isFirst) return [];
  return [{ type: 'Warning', reason: 'AnalysisRemark', message: `Metric '${metric.name}': ${warnings}` }];
}

async function argumentsOf(ctx: Ctx, { kube }: MetricProviderDeps, run: AnalysisRun) {
  try {
    return await readArguments(ctx, kube, run);
  } catch (error) {
    const { message, code } = FairleadError.from(error);
    if (code !== 'NotFound') throw error;
    throw new FairleadError('InvalidSpec', `Unable to resolve metric arguments: ${message}`, error);
  }
}

function judged(
  ctx: Ctx,
  run: AnalysisRun,
  after: AnalysisRunStatus,
  { metrics, dry, kept }: Prepared,
): AnalysisPass {
  const first = assess(run, after, metrics, dry);
  // a metric that has just failed ends the others at once
  const second = isTerminating(run, first.status) ? assess(run, first.status, metrics, dry) : first;
  const notes = second === first ? first.notes : [...first.notes, ...second.notes];
  const { phase } = second.status;
  const isDone = isFinished(phase);
  const completedAt = isDone ? { completedAt: printTime(ctx.clock.now()) } : {};
  const status = trimmed({ ...second.status, ...completedAt }, kept);
  return {
    status,
    notes: isDone && phase ? [...notes, completionNote(phase)] : notes,
    wakeAt: nextDue(run, status, metrics),
  };
}
