import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { memoryStore } from '#platform/store';
import { createStage, type VirtualCluster } from './virtual-cluster.ts';

const metadata = { name: 'x', namespace: 'default' };
const pod = { containers: [{ name: 'c', image: 'c:1' }] };
const workloads = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'd' } },
      template: { metadata: { labels: { app: 'd' } }, spec: pod },
    },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: { completions: 3, parallelism: 3, template: { spec: { ...pod, restartPolicy: 'Never' } } },
  },
  {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata,
    spec: {
      template: {
        metadata: { annotations: { 'autoscaling.knative.dev/min-scale': '1' } },
        spec: { containers: [{ image: 'app:1' }] },
      },
    },
  },
];

/** What the context looks like, without what differs from run to run. */
function picture(stage: VirtualCluster) {
  const all = (apiVersion: string, kind: string) =>
    stage.objects.list({ apiVersion, kind }, { namespace: 'default' });
  const status = (apiVersion: string, kind: string) =>
    (all(apiVersion, kind)[0]?.status ?? {}) as Record<string, unknown>;
  const { readyReplicas, updatedReplicas } = status('apps/v1', 'Deployment');
  const { succeeded, failed, active } = status('batch/v1', 'Job');
  const conditions = (status('serving.knative.dev/v1', 'Service').conditions ?? []) as {
    type: string;
    status: string;
  }[];
  return {
    deployment: { readyReplicas, updatedReplicas },
    job: { succeeded, failed, active },
    service: conditions.map(({ type, status: value }) => `${type}=${value}`),
    pods: all('v1', 'Pod').length,
    sets: all('apps/v1', 'ReplicaSet').length,
    revisions: all('serving.knative.dev/v1', 'Revision').map(({ metadata: { name } }: KubeObject) => name),
  };
}

const expected = {
  deployment: { readyReplicas: 2, updatedReplicas: 2 },
  job: { succeeded: 3, failed: undefined, active: undefined },
  service: ['ConfigurationsReady=True', 'Ready=True', 'RoutesReady=True'],
  pods: 6,
  sets: 2,
  revisions: ['x-00001'],
};

test.each([9, 12, 17, 24, 33, 45, 60, 78, 97, 120])(
  'killed after %i writes, the controllers go on where they stopped',
  async (killAfter) => {
    const store = memoryStore();
    const first = await createStage({ store, killAfter });
    await first.clock.advance(1);
    await Promise.all(workloads.map((one) => first.create(one)));
    await first.clock.advance(400);
    const startAt = first.clock.now();
    const second = await createStage({ store: store.fork(), startAt });
    await second.clock.advance(10_000);
    expect(picture(second)).toEqual(expected);
    await second.stop();
  },
);
