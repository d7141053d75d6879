import { expect, test } from 'vitest';
import type { AnalysisPhase } from '../rollout.ts';
import type { AnalysisMetric, AnalysisRun, AnalysisRunStatus } from './analysis.ts';
import { matchedMetrics, metricsProblem } from './checks.ts';
import { assess, dueTasks, nextDue, trimmed, withMeasurement } from './progress.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString();
const metric = (more: Partial<AnalysisMetric> = {}): AnalysisMetric => ({
  name: 'rate',
  provider: { web: { url: 'http://x' } },
  ...more,
});
const runOf = (metrics: AnalysisMetric[], more: object = {}): AnalysisRun => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisRun',
  metadata: { name: 'run' },
  spec: { metrics, ...more },
});

/** Measures each metric with the given phases in turn, and judges after each. */
function played(
  metrics: AnalysisMetric[],
  phases: Record<string, AnalysisPhase[]>,
  dry: string[] = [],
): AnalysisRunStatus {
  const run = runOf(metrics);
  let status: AnalysisRunStatus = { startedAt: at(0) };
  for (let round = 0; round < 10 && (round === 0 || status.phase === 'Running'); round += 1) {
    for (const one of metrics) {
      const phase = phases[one.name]?.[round];
      if (!phase) continue;
      const taken = { phase, startedAt: at(round * 60), finishedAt: at(round * 60), message: `m${round}` };
      status = withMeasurement(status, { metric: one }, taken, { isDry: dry.includes(one.name) });
    }
    status = assess(run, status, metrics, new Set(dry)).status;
    status = assess(run, status, metrics, new Set(dry)).status;
  }
  return status;
}

const S = 'Successful';
const F = 'Failed';
const E = 'Error';
const I = 'Inconclusive';

test.each<[string, Partial<AnalysisMetric>, AnalysisPhase[], AnalysisPhase, string | undefined]>([
  ['one good value', {}, [S], S, undefined],
  [
    'one bad value',
    {},
    [F],
    F,
    'Metric "rate" assessed Failed due to failed (1) > failureLimit (0): "Error Message: m0"',
  ],
  [
    'as many bad values as the limit allows',
    { interval: '1m', count: 3, failureLimit: 2 },
    [F, F, S],
    S,
    undefined,
  ],
  [
    'one bad value too many',
    { interval: '1m', count: 3, failureLimit: '1' },
    [F, F],
    F,
    'Metric "rate" assessed Failed due to failed (2) > failureLimit (1): "Error Message: m1"',
  ],
  [
    'an undecided value',
    {},
    [I],
    I,
    'Metric "rate" assessed Inconclusive due to inconclusive (1) > inconclusiveLimit (0): "Error Message: m0"',
  ],
  ['four errors in a row and a good value', {}, [E, E, E, E, S], S, undefined],
  [
    'five errors in a row',
    {},
    [E, E, E, E, E],
    E,
    'Metric "rate" assessed Error due to consecutiveErrors (5) > consecutiveErrorLimit (4): "Error Message: m4"',
  ],
  [
    'enough good values in a row',
    { interval: '1m', consecutiveSuccessLimit: 2, failureLimit: -1 },
    [F, S, F, S, S],
    S,
    undefined,
  ],
  [
    'never enough good values in a row',
    { interval: '1m', count: 3, consecutiveSuccessLimit: 2, failureLimit: 1 },
    [S, F, S],
    I,
    undefined,
  ],
  [
    'the same without a failure limit',
    { interval: '1m', count: 3, consecutiveSuccessLimit: 2, failureLimit: -1 },
    [S, F, S],
    F,
    undefined,
  ],
])('vectors 46 and 47: %s', (...[, more, phases, phase, message]) => {
  const status = played([metric(more)], { rate: phases });
  expect(status.phase).toBe(phase);
  if (message !== undefined) expect(status.message).toBe(message);
});

test('vector 48: the worst metric decides, and ends the others', () => {
  const metrics = [
    metric({ name: 'a', interval: '1m' }),
    metric({ name: 'b' }),
    metric({ name: 'c', interval: '1m', count: 5 }),
  ];
  const status = played(metrics, { a: [S], b: [F], c: [S] });
  expect(status.phase).toBe(F);
  expect(status.metricResults?.map(({ phase }) => phase)).toEqual([S, F, S]);
  expect(status.runSummary).toEqual({ count: 3, successful: 2, failed: 1 });
});

test('vector 49: a dry run does not count', () => {
  const status = played([metric(), metric({ name: 'dry' })], { rate: [S], dry: [F] }, ['dry']);
  expect(status).toMatchObject({
    phase: S,
    runSummary: { count: 1, successful: 1 },
    dryRunSummary: { count: 1, failed: 1 },
  });
});

test('vector 50: rules are regular expressions, one without a match is an error, and old measurements go', () => {
  const metrics = [metric({ name: 'latency-p99' }), metric({ name: 'rate' })];
  expect([...matchedMetrics([{ metricName: 'lat.*' }], metrics, 'dryRun').keys()]).toEqual(['latency-p99']);
  expect(() => matchedMetrics([{ metricName: 'nothing' }], metrics, 'dryRun')).toThrow(
    "no metric matches 'nothing'",
  );
  const measurements = Array.from({ length: 12 }, () => ({ phase: S as AnalysisPhase }));
  const status = { metricResults: [{ name: 'rate', phase: S as AnalysisPhase, measurements }] };
  expect(trimmed(status, new Map()).metricResults?.[0]?.measurements).toHaveLength(10);
  expect(trimmed(status, new Map([['rate', 3]])).metricResults?.[0]?.measurements).toHaveLength(3);
});

test('vector 55: a run that ends before its first measurement is successful', () => {
  const run = runOf([metric()], { terminate: true });
  const { status } = assess(run, { startedAt: at(0) }, [metric()], new Set());
  expect(status).toMatchObject({ phase: S, message: 'Run Terminated' });
  expect(dueTasks(run, status, [metric()], start)).toEqual([]);
});

test('measures after the initial delay, then at the interval, and an error again after ten seconds', () => {
  const one = metric({ interval: '1m', count: 3, initialDelay: '30s' });
  const run = runOf([one]);
  const begun: AnalysisRunStatus = { startedAt: at(0) };
  expect(dueTasks(run, begun, [one], start + 29_000)).toEqual([]);
  expect(nextDue(run, begun, [one])).toBe(start + 30_000);
  expect(dueTasks(run, begun, [one], start + 30_000)).toHaveLength(1);
  const measured = (phase: AnalysisPhase) =>
    withMeasurement(begun, { metric: one }, { phase, finishedAt: at(30) }, { isDry: false });
  expect(nextDue(run, measured(S), [one])).toBe(start + 90_000);
  expect(nextDue(run, measured(E), [one])).toBe(start + 40_000);
});

test.each([
  ['no metrics', [], 'no metrics specified'],
  ['two of a name', [metric(), metric()], "duplicate name 'rate'"],
  ['no provider', [metric({ provider: {} })], 'no provider specified'],
  ['two providers', [metric({ provider: { web: {}, job: {} } })], 'multiple providers specified: web, job'],
  ['a count without an interval', [metric({ count: 2 })], 'interval must be specified when count > 1'],
  [
    'a limit that cannot be exceeded',
    [metric({ count: 1, interval: '1m', failureLimit: 2 })],
    'count must be >= failureLimit',
  ],
  ['a negative limit', [metric({ inconclusiveLimit: -1 })], 'not negative'],
  ['no duration', [metric({ interval: 'soon' })], "invalid interval 'soon'"],
])('RA-7: refuses %s', (_case, metrics, problem) => {
  expect(metricsProblem(metrics)).toContain(problem);
});
