import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { health } from './health.ts';
import { podProblem } from './pod-problem.ts';

const pod = (status: object, more: { name?: string; at?: string; spec?: object } = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: more.name ?? 'web-1', creationTimestamp: more.at ?? '2026-01-01T00:00:00Z' },
  spec: { restartPolicy: 'Always', containers: [{ name: 'web' }], ...more.spec },
  status: { phase: 'Running', ...status },
});

const waiting = (reason: string, message?: string): object => ({
  containerStatuses: [{ name: 'web', ready: false, state: { waiting: { reason, message } } }],
});

const crashed = { terminated: { exitCode: 3 } };
const crashing = {
  containerStatuses: [
    {
      name: 'web',
      ready: false,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting' } },
      lastState: crashed,
    },
  ],
};
const httpGet = { path: '/ok', port: 81 };
const probed = { spec: { containers: [{ name: 'web', readinessProbe: { httpGet } }] } };
const unready = { name: 'web', ready: false, started: true, state: { running: {} } };

test.each<[string, KubeObject, string | undefined]>([
  [
    'a crash loop, without the seconds of its back-off',
    pod(crashing),
    'CrashLoopBackOff: container web exited with code 3',
  ],
  [
    'an image',
    pod({ phase: 'Pending', ...waiting('ImagePullBackOff', 'Back-off pulling image "a:b"\nmore') }),
    'ImagePullBackOff: Back-off pulling image "a:b"',
  ],
  [
    'the name of an image',
    pod({ phase: 'Pending', ...waiting('InvalidImageName') }),
    'InvalidImageName: container web',
  ],
  [
    'a Secret',
    pod({ phase: 'Pending', ...waiting('CreateContainerConfigError', 'secret "x" not found') }),
    'CreateContainerConfigError: secret "x" not found',
  ],
  [
    'a container that is being created is no problem',
    pod({ phase: 'Pending', ...waiting('ContainerCreating') }),
    undefined,
  ],
  [
    'no room',
    pod({
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' }],
    }),
    'Unschedulable: 0/1 nodes',
  ],
  [
    'memory',
    pod({
      containerStatuses: [{ ...unready, lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }],
    }),
    'container web exceeded its memory limit (OOMKilled) and was restarted',
  ],
  [
    'a probe',
    pod({ containerStatuses: [unready] }, probed),
    'container web runs and is not ready: its readiness probe (GET :81/ok) does not pass',
  ],
  [
    'a probe of the start',
    pod({ containerStatuses: [{ ...unready, started: false }] }),
    'container web runs and is not ready: its startup probe does not pass',
  ],
  [
    'what is meant to end need not be ready',
    pod({ containerStatuses: [unready] }, { spec: { restartPolicy: 'Never' } }),
    undefined,
  ],
  [
    'an eviction',
    pod({ phase: 'Failed', reason: 'Evicted', message: 'low on memory' }),
    'Evicted: low on memory',
  ],
  ['a status that is none', pod({ containerStatuses: 'none', initContainerStatuses: null }), undefined],
])('a Pod names %s', (_what, object, text) => {
  expect(podProblem(object)?.text).toBe(text);
});

const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', generation: 1 },
  spec: { replicas: 1 },
  status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1 },
};
const own = '0/1 replicas of the new version can serve';

test('the newest of the worst pods explains its owner, whose status stays', () => {
  const pods = [
    pod({ containerStatuses: [unready] }, { name: 'web-9', at: '2026-01-03T00:00:00Z' }),
    pod(crashing, { name: 'web-2', at: '2026-01-01T00:00:00Z' }),
    pod(waiting('ErrImagePull', 'no such image'), { name: 'web-3', at: '2026-01-02T00:00:00Z' }),
  ];
  expect(health(deployment, { podsOf: () => pods })).toEqual({
    status: 'Progressing',
    message: `ErrImagePull: no such image (pod web-3); ${own}`,
  });
  expect(health(deployment, { podsOf: () => [pod({})] })).toEqual({ status: 'Progressing', message: own });
  expect(health(deployment)).toEqual({ status: 'Progressing', message: own });
});

test('pods of an earlier spec explain nothing, nor do pods of what is healthy or being deleted', () => {
  const podsOf = () => [pod(crashing)];
  const stale = { ...deployment, metadata: { name: 'web', generation: 2 } };
  expect(health(stale, { podsOf })?.message).toBe('waiting for the new spec to be observed');
  const fine = { ...deployment, status: { ...(deployment.status as object), availableReplicas: 1 } };
  expect(health(fine, { podsOf })).toEqual({ status: 'Healthy' });
  const leaving = { ...deployment, metadata: { name: 'web', deletionTimestamp: 'now' } };
  expect(health(leaving, { podsOf })?.message).toBe('it is being deleted');
});

const knative = (kind: string, message: string): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind,
  metadata: { name: 'web', generation: 1 },
  status: {
    observedGeneration: 1,
    conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Deploying', message }],
  },
});

test.each(['Service', 'Revision'])(
  'a Knative %s names what its pod waits for, unless it says so itself',
  (kind) => {
    const podsOf = () => [
      pod({ phase: 'Pending', ...waiting('CreateContainerConfigError', 'secret "x" not found') }),
    ];
    const found = health(knative(kind, 'deploying'), { podsOf });
    expect(found?.status).toBe('Progressing');
    expect(found?.message).toMatch(/^CreateContainerConfigError: secret "x" not found \(pod web-1\); /);
    const told = knative(kind, 'CreateContainerConfigError happened');
    expect(health(told, { podsOf })).toEqual(health(told));
  },
);
