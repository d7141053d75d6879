import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { probeWarnings } from './probe-ports.ts';

const service = (containers: unknown, kind = 'Service'): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind,
  metadata: { name: 'hello' },
  spec: kind === 'Revision' ? { containers } : { template: { spec: { containers } } },
});

const warned = (probe: string, place: string, kind = 'Service') =>
  `${kind} hello: the ${probe} of ${place} names no port, and Knative makes it 0, which is refused; set it to the container's port`;

test('a Knative probe with a path and no port is warned about (X-9)', () => {
  const containers = [{ name: 'web', startupProbe: { httpGet: { path: '/ready' } } }];
  expect(probeWarnings(service(containers))).toEqual([warned('startupProbe', 'container web')]);
  expect(probeWarnings(service(containers, 'Revision'))).toEqual([
    warned('startupProbe', 'container web', 'Revision'),
  ]);
});

test('every probe of every container is looked at, sockets and port 0 too (X-9)', () => {
  const containers = [
    { livenessProbe: { tcpSocket: { port: 0 } }, startupProbe: { tcpSocket: {} } },
    { name: 'side', readinessProbe: { httpGet: { path: '/', port: 8080 } } },
  ];
  expect(probeWarnings(service(containers, 'Configuration'))).toEqual([
    warned('livenessProbe', 'its container', 'Configuration'),
    warned('startupProbe', 'its container', 'Configuration'),
  ]);
});

test('a readiness probe is carried out by the sidecar of Knative, which knows the port (X-9)', () => {
  for (const probe of [{ httpGet: { path: '/ready' } }, { tcpSocket: {} }, { tcpSocket: { port: 0 } }]) {
    expect(probeWarnings(service([{ name: 'web', readinessProbe: probe }]))).toEqual([]);
  }
});

test('a probe with a port, a probe that runs a command, and no probe at all are fine (X-9)', () => {
  expect(
    probeWarnings(
      service([
        { readinessProbe: { tcpSocket: { port: 'http' } }, livenessProbe: { exec: { command: ['true'] } } },
        { readinessProbe: null, livenessProbe: { httpGet: null } },
      ]),
    ),
  ).toEqual([]);
  expect(probeWarnings(service(null))).toEqual([]);
});

test('what is not of Knative may leave the port to Kubernetes to refuse (X-9)', () => {
  const deployment = {
    ...service([{ readinessProbe: { httpGet: {} } }]),
    apiVersion: 'apps/v1',
    kind: 'Deployment',
  };
  expect(probeWarnings(deployment)).toEqual([]);
  expect(probeWarnings(service([{ readinessProbe: { httpGet: {} } }], 'Route'))).toEqual([]);
});
