import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { probeFaults, undeployable } from './probe-ports.ts';

const service = (containers: unknown, kind = 'Service'): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind,
  metadata: { name: 'hello' },
  spec: kind === 'Revision' ? { containers } : { template: { spec: { containers } } },
});
const serving = { name: 'web', ports: [{ containerPort: 8000 }] };

const found = (target: KubeObject, isProbing?: boolean): string[] =>
  probeFaults(target, isProbing).map(
    ({ words, port = '-', path, at }) => `${words} ${port} ${path.slice(-2).join('.')} ${at}`,
  );

test('a Knative probe with a path and no port is found, with the port of its container (X-9)', () => {
  const containers = [{ name: 'web', startupProbe: { httpGet: { path: '/ready' } } }];
  expect(found(service(containers))).toEqual(['container web 8080 startupProbe.httpGet deployment']);
  expect(found(service(containers, 'Revision'))).toEqual([
    'container web 8080 startupProbe.httpGet deployment',
  ]);
  expect(probeFaults(service(containers, 'Revision'))[0]?.path.slice(0, 2)).toEqual(['spec', 'containers']);
});

test('what Knative fills in is fine, what it passes on as 0 is found (X-9)', () => {
  const containers = [
    {
      livenessProbe: { tcpSocket: { port: 0 } },
      startupProbe: { tcpSocket: {} },
      ports: [{ containerPort: 80 }],
    },
  ];
  expect(found(service(containers, 'Configuration'))).toEqual([
    'its container 80 startupProbe.tcpSocket deployment',
  ]);
  expect(found(service([{ livenessProbe: { httpGet: { path: '/' } } }]))).toEqual([]);
  expect(found(service([{ livenessProbe: { grpc: {} }, startupProbe: { grpc: {} } }]))).toEqual([
    'its container 8080 livenessProbe.grpc deployment',
    'its container 8080 startupProbe.grpc deployment',
  ]);
});

test('a readiness probe is carried out by the sidecar of Knative, which knows the port (X-9)', () => {
  for (const probe of [{ httpGet: { path: '/ready' } }, { tcpSocket: {} }, { tcpSocket: { port: 0 } }]) {
    expect(found(service([{ name: 'web', readinessProbe: probe }]))).toEqual([]);
  }
});

// test/conformance/cases/knative/sidecar-probes.yaml and sidecar-probes-enabled.yaml
const probes = ['livenessProbe', 'startupProbe', 'readinessProbe'];
const handlers = { httpGet: { path: '/' }, tcpSocket: {}, grpc: {}, exec: { command: ['true'] } };
const combined = probes.flatMap((probe) =>
  Object.entries(handlers).map(([name, bare]) => ({ probe, name, bare })),
);

test.each(combined)(
  'a $probe by $name on a sidecar is refused, with a port or without (X-9)',
  ({ probe, name, bare }) => {
    const beside = (port?: unknown) =>
      service([
        serving,
        { name: 'side', [probe]: { [name]: { ...bare, ...(port !== undefined && { port }) } } },
      ]);
    for (const target of [beside(), beside(9000)])
      for (const isProbing of [undefined, false])
        expect(probeFaults(target, isProbing)).toMatchObject([{ words: 'container side', at: 'admission' }]);
    const [unsure] = probeFaults(beside(9000));
    expect(unsure).toMatchObject({ lacks: 'feature', port: undefined });
    expect(unsure?.problem).not.toContain('port');
    expect(unsure?.fix).toContain('multi-container-probing');
    expect(probeFaults(beside(9000), true)).toEqual([]);
  },
);

test('with multi-container-probing a probe of a sidecar needs the number of a port, but for a command (X-9)', () => {
  const faults = combined.map(({ probe, name, bare }) => [
    `${probe}.${name}`,
    probeFaults(service([serving, { name: 'side', [probe]: { [name]: bare } }]), true).map(
      ({ at, problem, fix }) => `${at}: ${problem}; ${fix}`,
    ),
  ]);
  const refused = (path: string) => [
    `admission: names no port, which Knative refuses but on the serving container; set ${path}.port to the number of its port`,
  ];
  const zero = 'deployment: names no port, and Knative makes it 0, which Kubernetes refuses';
  expect(Object.fromEntries(faults)).toEqual({
    'livenessProbe.httpGet': refused('livenessProbe.httpGet'),
    'livenessProbe.tcpSocket': refused('livenessProbe.tcpSocket'),
    'livenessProbe.grpc': [`${zero}; set livenessProbe.grpc.port to the number of its port`],
    'livenessProbe.exec': [],
    'startupProbe.httpGet': refused('startupProbe.httpGet'),
    'startupProbe.tcpSocket': refused('startupProbe.tcpSocket'),
    'startupProbe.grpc': [`${zero}; set startupProbe.grpc.port to the number of its port`],
    'startupProbe.exec': [],
    'readinessProbe.httpGet': refused('readinessProbe.httpGet'),
    'readinessProbe.tcpSocket': refused('readinessProbe.tcpSocket'),
    'readinessProbe.grpc': [
      'deployment: names no port, so that Knative cannot carry it out; set readinessProbe.grpc.port to the number of its port',
    ],
    'readinessProbe.exec': [],
  });
});

test('a readiness probe of a sidecar that names its port by name is never carried out (X-9)', () => {
  const named = { httpGet: { path: '/', port: 'http' } };
  const target = service([serving, { name: 'side', readinessProbe: named, livenessProbe: named }]);
  expect(found(target, true)).toEqual(['container side - readinessProbe.httpGet deployment']);
  expect(undeployable(target, 'hello-00001')).toBe(
    'Revision hello-00001 lacks a port: set readinessProbe.httpGet.port to the number of its port (container side)',
  );
});

test('what the webhook refuses is not why a Revision in the cluster waits (X-9)', () => {
  expect(
    undeployable(service([serving, { name: 'side', livenessProbe: { httpGet: {} } }]), 'hello-00001'),
  ).toBeUndefined();
});

test('a probe with a port, a probe that runs a command, and no probe at all are fine (X-9)', () => {
  expect(
    found(
      service([
        { readinessProbe: { tcpSocket: { port: 'http' } }, livenessProbe: { exec: { command: ['true'] } } },
      ]),
    ),
  ).toEqual([]);
  expect(found(service([{ readinessProbe: null, livenessProbe: { httpGet: null } }]))).toEqual([]);
  expect(found(service([serving, null, { readinessProbe: null, livenessProbe: { httpGet: null } }]))).toEqual(
    [],
  );
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
