import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { portlessProbes } from './probe-ports.ts';

const service = (containers: unknown, kind = 'Service'): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind,
  metadata: { name: 'hello' },
  spec: kind === 'Revision' ? { containers } : { template: { spec: { containers } } },
});

const found = (target: KubeObject): string[] =>
  portlessProbes(target).map(
    ({ container = '-', port = '-', path }) => `${container} ${port} ${path.slice(-2).join('.')}`,
  );

test('a Knative probe with a path and no port is found, with the port of its container (X-9)', () => {
  const containers = [{ name: 'web', startupProbe: { httpGet: { path: '/ready' } } }];
  expect(found(service(containers))).toEqual(['web 8080 startupProbe.httpGet']);
  expect(found(service(containers, 'Revision'))).toEqual(['web 8080 startupProbe.httpGet']);
  expect(portlessProbes(service(containers, 'Revision'))[0]?.path.slice(0, 2)).toEqual([
    'spec',
    'containers',
  ]);
});

test('what Knative fills in is fine; what it passes on as 0, or refuses beside the serving container, is found (X-9)', () => {
  const containers = [
    {
      livenessProbe: { tcpSocket: { port: 0 } },
      startupProbe: { tcpSocket: {} },
      ports: [{ containerPort: 80 }],
    },
    { name: 'side', readinessProbe: { httpGet: { path: '/', port: 8080 } }, livenessProbe: { httpGet: {} } },
  ];
  expect(found(service(containers, 'Configuration'))).toEqual([
    '- 80 startupProbe.tcpSocket',
    'side - livenessProbe.httpGet',
  ]);
  expect(found(service([{ livenessProbe: { httpGet: { path: '/' } } }]))).toEqual([]);
  expect(found(service([{ livenessProbe: { grpc: {} }, startupProbe: { grpc: {} } }]))).toEqual([
    '- 8080 livenessProbe.grpc',
    '- 8080 startupProbe.grpc',
  ]);
});

test('a readiness probe is carried out by the sidecar of Knative, which knows the port (X-9)', () => {
  for (const probe of [{ httpGet: { path: '/ready' } }, { tcpSocket: {} }, { tcpSocket: { port: 0 } }]) {
    expect(found(service([{ name: 'web', readinessProbe: probe }]))).toEqual([]);
  }
});

test('a probe with a port, a probe that runs a command, and no probe at all are fine (X-9)', () => {
  expect(
    found(
      service([
        { readinessProbe: { tcpSocket: { port: 'http' } }, livenessProbe: { exec: { command: ['true'] } } },
        { readinessProbe: null, livenessProbe: { httpGet: null } },
      ]),
    ),
  ).toEqual([]);
  expect(found(service(null))).toEqual([]);
});

test('what is not of Knative may leave the port to Kubernetes to refuse (X-9)', () => {
  const deployment = {
    ...service([{ readinessProbe: { httpGet: {} } }]),
    apiVersion: 'apps/v1',
    kind: 'Deployment',
  };
  expect(found(deployment)).toEqual([]);
  expect(found(service([{ readinessProbe: { httpGet: {} } }], 'Route'))).toEqual([]);
});
