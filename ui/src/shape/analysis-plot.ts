import { type HealthCode, parseTime } from '#base/model';
import type { AnalysisRun, Measurement } from '#engine/rollouts';
import { ago, clockTime, duration } from './time.ts';

/** A measurement as a point of a plot. */
export type PlotPoint = {
  readonly key: string;
  /** From 0 to 1, left to right and bottom to top. */
  readonly x: number;
  readonly y: number;
  readonly phase: Measurement['phase'];
  /** `0.98 at 14:02, Successful`. */
  readonly text: string;
};

export type MetricPlot = {
  readonly name: string;
  readonly health: HealthCode;
  /** `Failed: 2 successful, 1 failed`. */
  readonly tally: string;
  /** The condition of its success or failure; empty: it has none. */
  readonly condition: string;
  readonly isDryRun: boolean;
  readonly points: readonly PlotPoint[];
  /** Where the limit of the condition lies; absent where it is no comparison with a number. */
  readonly limit?: { readonly y: number; readonly text: string };
  /** The smallest and largest value; absent: none of them is a number. */
  readonly range?: readonly [string, string];
  /** Why the last measurement failed. */
  readonly message?: string;
};

/** One AnalysisRun, for users. */
export type RunPlot = {
  readonly name: string;
  readonly health: HealthCode;
  readonly phase: string;
  /** `step 3`, `in the background`, `before the promotion`. */
  readonly of: string;
  /** `took 2 min`, `began 30 s ago`. */
  readonly when: string;
  readonly message: string;
  readonly metrics: readonly MetricPlot[];
};

const healths: Readonly<Record<string, HealthCode>> = {
  Successful: 'Healthy',
  Failed: 'Degraded',
  Error: 'Degraded',
  Inconclusive: 'Suspended',
  Running: 'Progressing',
  Pending: 'Progressing',
};
const healthOf = (phase: string | undefined): HealthCode => healths[phase ?? 'Pending'] ?? 'Unknown';

/** The runs, newest first. */
export function runPlots(runs: readonly AnalysisRun[], now: number): RunPlot[] {
  const began = ({ metadata }: AnalysisRun): number => parseTime(metadata.creationTimestamp) ?? 0;
  return runs
    .toSorted((a, b) => began(b) - began(a) || (a.metadata.name < b.metadata.name ? 1 : -1))
    .map((run) => ({
      name: run.metadata.name,
      health: healthOf(run.status?.phase),
      phase: run.status?.phase ?? 'Pending',
      of: purposeOf(run),
      when: whenOf(run, now),
      message: run.status?.message ?? '',
      metrics: (run.status?.metricResults ?? []).map((result) => metricPlot(run, result, now)),
    }));
}

/** compat rollouts RA-4: the labels say what a run was started for. */
function purposeOf({ metadata }: AnalysisRun): string {
  const { 'rollout-type': type, 'step-index': step } = metadata.labels ?? {};
  if (type === 'Step') return step === undefined ? 'a step' : `step ${Number(step) + 1}`;
  if (type === 'PrePromotion') return 'before the promotion';
  if (type === 'PostPromotion') return 'after the promotion';
  return type === 'Background' ? 'in the background' : 'started by hand';
}

function whenOf({ status }: AnalysisRun, now: number): string {
  const [from, to] = [parseTime(status?.startedAt), parseTime(status?.completedAt)];
  if (from === undefined) return 'not begun yet';
  return to === undefined ? `began ${ago(from, now)}` : `took ${duration(to - from)}, ended ${ago(to, now)}`;
}

type Result = NonNullable<NonNullable<AnalysisRun['status']>['metricResults']>[number];

function metricPlot({ spec }: AnalysisRun, result: Result, now: number): MetricPlot {
  const { name, phase, measurements = [], message, dryRun = false } = result;
  const metric = spec?.metrics?.find((one) => one.name === name);
  const condition = metric?.successCondition ?? metric?.failureCondition ?? '';
  const values = measurements.map(({ value }) => numberIn(value));
  const limit = limitIn(condition);
  const known = [...values, limit].filter((value) => value !== undefined);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const yOf = (value: number): number => (high === low ? 0.5 : (value - low) / (high - low));
  const last = measurements.at(-1);
  const cause = message || (last && last.phase !== 'Successful' ? last.message : undefined);
  return {
    name,
    health: healthOf(phase),
    tally: tallyOf(result),
    condition,
    isDryRun: dryRun,
    points: points(measurements, (index) => (values[index] === undefined ? 0 : yOf(values[index])), now),
    ...(known.length > 0 && { range: [shortNumber(low), shortNumber(high)] as const }),
    ...(limit !== undefined &&
      values.some((value) => value !== undefined) && {
        limit: { y: yOf(limit), text: shortNumber(limit) },
      }),
    ...(cause && { message: cause }),
  };
}

function points(
  measurements: readonly Measurement[],
  yOf: (index: number) => number,
  now: number,
): PlotPoint[] {
  const last = Math.max(1, measurements.length - 1);
  return measurements.map(({ phase, value = '', startedAt }, index) => {
    const at = parseTime(startedAt);
    const when = at === undefined ? '' : ` at ${clockTime(at, now)}`;
    return {
      key: `${index} ${startedAt}`,
      x: measurements.length === 1 ? 0.5 : index / last,
      y: yOf(index),
      phase,
      text: `${value.slice(0, 60) || 'no value'}${when}, ${phase}`,
    };
  });
}

/** compat rollouts RA-14: a number, or a list of which the first counts here; undefined: anything else. */
export function numberIn(value: string | undefined): number | undefined {
  const text = /^\s*\[?\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(?:[,\]].*)?$/.exec(value ?? '')?.[1];
  return text === undefined ? undefined : Number(text);
}

/** The number that a condition compares its result with. */
export function limitIn(condition: string): number | undefined {
  const text = /\bresult(?:\[0\])?\s*(?:>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)\b/.exec(condition)?.[1];
  return text === undefined ? undefined : Number(text);
}

const shortNumber = (value: number): string => String(Number(value.toPrecision(4)));

function tallyOf({ phase, successful = 0, failed = 0, inconclusive = 0, error = 0 }: Result): string {
  const parts = [
    [successful, 'successful'],
    [failed, 'failed'],
    [inconclusive, 'inconclusive'],
    [error, 'in error'],
  ].flatMap(([count, word]) => (count ? [`${count} ${word}`] : []));
  return [phase, parts.join(', ')].filter(Boolean).join(': ');
}
