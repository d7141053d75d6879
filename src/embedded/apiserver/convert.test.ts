import { expect, test } from 'vitest';
import { talk } from '../../../test/talk.ts';

const v1 = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
const v2 = v1.replace('v1', 'v2');
const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };

test('an autoscaler written in v1 is read in v2, and back', async () => {
  const { post, get } = await talk();
  const spec = { maxReplicas: 4, targetCPUUtilizationPercentage: 50, scaleTargetRef };
  await post(v1, {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec,
  });
  const { body } = await get(`${v2}/h`);
  expect(body.spec.metrics).toEqual([
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
  ]);
  expect((await get(`${v1}/h`)).body.spec).toMatchObject(spec);
});

test('metrics that v1 cannot say travel in an annotation', async () => {
  const { post, get, put } = await talk();
  const cpu = {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
  };
  const memory = {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 60 } },
  };
  const spec = { maxReplicas: 4, scaleTargetRef, metrics: [cpu, memory] };
  await post(v2, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec,
  });
  const { body: old } = await get(`${v1}/h`);
  expect(old.spec.targetCPUUtilizationPercentage).toBe(70);
  expect(JSON.parse(old.metadata.annotations['autoscaling.alpha.kubernetes.io/metrics'])).toEqual([memory]);
  await put(`${v1}/h`, { ...old, spec: { ...old.spec, maxReplicas: 9 } });
  const { body } = await get(`${v2}/h`);
  expect([body.spec.maxReplicas, body.spec.metrics, body.metadata.annotations]).toEqual([
    9,
    [cpu, memory],
    undefined,
  ]);
});

test('the two kinds of Event are one', async () => {
  const { post, get } = await talk();
  const event = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
    note: 'hello',
    reason: 'R',
    action: 'A',
    type: 'Normal',
    reportingController: 'test',
    reportingInstance: 'one',
  };
  expect((await post('/apis/events.k8s.io/v1/namespaces/default/events', event)).status).toBe(201);
  const { body } = await get('/api/v1/namespaces/default/events/e');
  expect(body).toMatchObject({ message: 'hello', involvedObject: { name: 'p' }, reportingComponent: 'test' });
});
