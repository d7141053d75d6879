import { expect, test } from 'vitest';
import type { AnalysisRun } from '#engine/rollouts';
import { limitIn, numberIn, runPlots } from './analysis-plot.ts';

const now = Date.parse('2026-06-01T08:00:00Z');

test.each([
  ['0.98', 0.98],
  ['[0.98]', 0.98],
  ['[1,2]', 1],
  ['-1e3', -1000],
  ['NaN', undefined],
  ['{"a":1}', undefined],
  ['', undefined],
  [undefined, undefined],
])('the number in %s', (value, number) => {
  expect(numberIn(value)).toBe(number);
});

test.each([
  ['result[0] >= 0.95', 0.95],
  ['result < 5', 5],
  ['len(result) == 0 || result[0] <= 10', 10],
  ['result.status == "200"', undefined],
  ['', undefined],
])('the limit in %s', (condition, limit) => {
  expect(limitIn(condition)).toBe(limit);
});

const run = (name: string, more: Partial<AnalysisRun> = {}): AnalysisRun => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisRun',
  metadata: {
    name,
    creationTimestamp: `2026-06-01T07:5${name.length}:00Z`,
    labels: { 'rollout-type': 'Step', 'step-index': '1' },
  },
  spec: { metrics: [{ name: 'rate', successCondition: 'result[0] >= 0.9' }] },
  status: {
    phase: 'Failed',
    message: 'Metric "rate" assessed Failed due to failed (1) > failureLimit (0)',
    startedAt: '2026-06-01T07:58:00Z',
    completedAt: '2026-06-01T07:59:00Z',
    metricResults: [
      {
        name: 'rate',
        phase: 'Failed',
        successful: 1,
        failed: 1,
        measurements: [
          { phase: 'Successful', value: '[1]', startedAt: '2026-06-01T07:58:00Z' },
          { phase: 'Failed', value: '[0.8]', startedAt: '2026-06-01T07:58:30Z', message: 'too low' },
        ],
      },
    ],
  },
  ...more,
});

test('a run with its measurements as points, and the limit between them', () => {
  const [plot] = runPlots([run('a')], now);
  expect(plot).toMatchObject({ health: 'Degraded', of: 'step 2', when: 'took 1 min, ended 1 min ago' });
  expect(plot?.metrics[0]).toMatchObject({
    tally: 'Failed: 1 successful, 1 failed',
    condition: 'result[0] >= 0.9',
    range: ['0.8', '1'],
    limit: { text: '0.9' },
    message: 'too low',
  });
  const [first, second] = plot?.metrics[0]?.points ?? [];
  expect([first?.x, first?.y, second?.x, second?.y]).toEqual([0, 1, 1, 0]);
  expect(second?.text).toMatch(/^\[0\.8\] at .*, Failed$/);
});

test('the newest run comes first, and one without numbers has points and no scale', () => {
  const status = {
    phase: 'Running' as const,
    startedAt: '2026-06-01T07:59:30Z',
    metricResults: [{ name: 'job', phase: 'Running' as const, measurements: [{ phase: 'Error' as const }] }],
  };
  const metadata = { ...run('aa').metadata, labels: { 'rollout-type': 'Background' } };
  const plots = runPlots([run('a'), run('aa', { status, metadata, spec: {} })], now);
  expect(plots.map(({ name }) => name)).toEqual(['aa', 'a']);
  expect(plots[0]).toMatchObject({ of: 'in the background', when: 'began 30 s ago', health: 'Progressing' });
  expect(plots[0]?.metrics[0]).toMatchObject({ points: [{ x: 0.5, y: 0, text: 'no value, Error' }] });
  expect(plots[0]?.metrics[0]).not.toHaveProperty('range');
});
