import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { createMetricsPage } from './page.ts';
import { createRolloutMetrics, type RolloutReadings } from './rollouts.ts';

const rollout = (name: string, spec: object = {}, status: object = {}): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name, namespace: 'shop' },
  spec,
  status,
});

function stage(more: Partial<RolloutReadings> = {}) {
  const page = createMetricsPage('1.2.3');
  const time = { now: 0 };
  const metrics = createRolloutMetrics(page, {
    rollouts: () => [],
    runs: () => [],
    experiments: () => [],
    templates: () => [],
    isStandby: () => false,
    now: () => time.now,
    ...more,
  });
  const lines = async (...families: string[]) =>
    (await page.text()).split('\n').filter((text) => families.some((family) => text.startsWith(family)));
  return { metrics, lines, time };
}

test('RE-3: a Rollout has the gauges of the peer', async () => {
  const status = { phase: 'Paused', replicas: 5, availableReplicas: 4, updatedReplicas: 1 };
  const nginx = { canary: { trafficRouting: { nginx: {}, maxTrafficWeight: 200 } } };
  const all = [
    rollout('web', { replicas: 4, strategy: nginx }, status),
    rollout('old', { strategy: { blueGreen: {} } }),
  ];
  const { lines } = stage({ rollouts: () => all as never, isStandby: () => true });
  expect(await lines('rollout_info', 'rollout_phase', 'fairlead_rollouts_standby')).toEqual([
    'rollout_info{namespace="shop",name="web",strategy="canary",traffic_router="nginx",phase="Paused"} 1',
    'rollout_info{namespace="shop",name="old",strategy="blueGreen",traffic_router="",phase="Progressing"} 1',
    'rollout_phase{namespace="shop",name="web",strategy="canary",phase="Paused"} 1',
    'rollout_phase{namespace="shop",name="old",strategy="blueGreen",phase="Progressing"} 1',
    ...['available', 'unavailable', 'desired', 'updated'].flatMap((what, index) => [
      `rollout_info_replicas_${what}{namespace="shop",name="web"} ${[4, 1, 4, 1][index]}`,
      `rollout_info_replicas_${what}{namespace="shop",name="old"} ${[0, 0, 1, 0][index]}`,
    ]),
    'fairlead_rollouts_standby{} 1',
  ]);
});

test('RE-3: passes, errors and events are counted, and the series of a deleted Rollout vanish after 65 seconds', async () => {
  const { metrics, lines, time } = stage();
  const web = rollout('web');
  metrics.reconciled(web, 100, undefined);
  metrics.reconciled(web, 300, new Error('x'));
  metrics.recorded(web, { type: 'Warning', reason: 'RolloutAborted' });
  const families = [
    'rollout_reconcile_count',
    'rollout_reconcile_bucket',
    'rollout_reconcile_error',
    'rollout_events',
  ];
  expect(await lines(...families)).toEqual([
    'rollout_reconcile_bucket{le="0.01",namespace="shop",name="web"} 0',
    'rollout_reconcile_bucket{le="0.15",namespace="shop",name="web"} 1',
    'rollout_reconcile_bucket{le="0.25",namespace="shop",name="web"} 1',
    'rollout_reconcile_bucket{le="0.5",namespace="shop",name="web"} 2',
    'rollout_reconcile_bucket{le="1",namespace="shop",name="web"} 2',
    'rollout_reconcile_bucket{le="+Inf",namespace="shop",name="web"} 2',
    'rollout_reconcile_count{namespace="shop",name="web"} 2',
    'rollout_reconcile_error{namespace="shop",name="web"} 1',
    'rollout_events_total{namespace="shop",name="web",type="Warning",reason="RolloutAborted"} 1',
  ]);
  metrics.gone({ namespace: 'shop', name: 'web' });
  time.now = 64_000;
  expect(await lines('rollout_events_total{')).toHaveLength(1);
  time.now = 65_000;
  expect(await lines(...families)).toEqual([]);
});

test('RE-3: runs are counted by verdict and provider, not named; templates are', async () => {
  const metricsOf = [{ name: 'rate', provider: { prometheus: {} } }];
  const run = (name: string, phase: string) => ({
    ...rollout(name, { metrics: metricsOf }, { phase, metricResults: [{ name: 'rate', phase }] }),
    kind: 'AnalysisRun',
  });
  const template = { ...rollout('rates', { metrics: metricsOf }), kind: 'AnalysisTemplate' };
  const { metrics, lines } = stage({
    runs: () => [run('a', 'Failed'), run('b', 'Failed'), run('c', 'Running')] as never,
    templates: () => [template] as never,
  });
  metrics.measured(run('a', 'Failed'), 20, new Error('x'));
  expect(
    await lines(
      'analysis_run_info',
      'analysis_run_metric',
      'analysis_template',
      'analysis_run_reconcile_error',
    ),
  ).toEqual([
    'analysis_run_info{namespace="shop",phase="Failed"} 2',
    'analysis_run_info{namespace="shop",phase="Running"} 1',
    'analysis_run_metric_type{namespace="shop",metric="rate",type="prometheus"} 3',
    'analysis_run_metric_phase{namespace="shop",metric="rate",type="prometheus",phase="Failed",dry_run="false"} 2',
    'analysis_run_metric_phase{namespace="shop",metric="rate",type="prometheus",phase="Running",dry_run="false"} 1',
    'analysis_template_info{namespace="shop",name="rates"} 1',
    'analysis_template_metric_info{namespace="shop",name="rates",type="prometheus",metric="rate"} 1',
    'analysis_run_reconcile_error{namespace="shop"} 1',
  ]);
});

test('RE-3: Experiments are counted by namespace and phase, and their passes are timed', async () => {
  const all = [{ phase: 'Running' }, { phase: 'Running' }, {}].map((status, index) =>
    rollout(`e${index}`, {}, status),
  );
  const { metrics, lines } = stage({ experiments: () => all as never });
  const [first] = all as [KubeObject];
  metrics.experimented(first, 20, undefined);
  metrics.experimented(first, 20, new Error('x'));
  expect(
    await lines(
      'experiment_info',
      'experiment_phase',
      'experiment_reconcile_count',
      'experiment_reconcile_error',
    ),
  ).toEqual([
    ...['info', 'phase'].flatMap((what) => [
      `experiment_${what}{namespace="shop",phase="Running"} 2`,
      `experiment_${what}{namespace="shop",phase="Pending"} 1`,
    ]),
    'experiment_reconcile_count{namespace="shop"} 2',
    'experiment_reconcile_error{namespace="shop"} 1',
  ]);
});

test('RE-3, RQ-16: messages are timed and counted by event, and vanish with their Rollout, also those sent after it', async () => {
  const all = [rollout('web')];
  const { metrics, lines, time } = stage({ rollouts: () => all as never });
  const paused = { namespace: 'shop', kind: 'Rollout', type: 'Normal', reason: 'RolloutPaused' };
  metrics.notified({ ...paused, name: 'web' }, 200, undefined);
  metrics.notified({ ...paused, name: 'web' }, 300, new Error('down'));
  const families = ['notification_send_count', 'notification_send_success{', 'notification_send_error{'];
  const labels = 'namespace="shop",name="web"';
  const event = 'type="Normal",reason="RolloutPaused"';
  expect(await lines(...families, 'notification_send_bucket{le="0.25"')).toEqual([
    `notification_send_bucket{le="0.25",${labels}} 1`,
    `notification_send_count{${labels}} 2`,
    `notification_send_success{${labels},${event}} 1`,
    `notification_send_error{${labels},${event}} 1`,
  ]);
  all.length = 0;
  metrics.gone({ namespace: 'shop', name: 'web' });
  time.now = 65_000;
  expect(await lines(...families)).toEqual([]);
  metrics.notified({ ...paused, name: 'web' }, 10, undefined);
  expect(await lines('notification_send_count')).toHaveLength(1);
  time.now = 130_000;
  expect(await lines(...families)).toEqual([]);
});

test('RE-3: runs and Experiments that subscribe are not named, and one Rollout has few series', async () => {
  const all = [rollout('web')];
  const { metrics, lines } = stage({ rollouts: () => all as never });
  for (let index = 0; index < 100; index += 1) {
    const event = { namespace: 'shop', type: 'Normal', reason: `Reason${index}` };
    metrics.notified({ ...event, kind: 'AnalysisRun', name: `run-${index}` }, 1, undefined);
    metrics.notified({ ...event, kind: 'Rollout', name: 'web' }, 1, undefined);
  }
  expect(await lines('notification_send_count')).toEqual([
    'notification_send_count{namespace="shop",name=""} 100',
    'notification_send_count{namespace="shop",name="web"} 100',
  ]);
  expect((await lines('notification_send_success{')).length).toBeLessThanOrEqual(2 * 61);
});
