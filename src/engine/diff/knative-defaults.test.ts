import { expect, test } from 'vitest';
import type { KubeObject } from '#model';
import { withKnativeDefaults } from './knative-defaults.ts';

const service = (container: object, traffic?: object[]): KubeObject =>
  ({
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name: 'shop' },
    spec: { template: { spec: { containers: [container] } }, ...(traffic && { traffic }) },
  }) as KubeObject;

const filled = {
  image: 'shop:1',
  name: 'user-container',
  resources: {},
  readinessProbe: { successThreshold: 1, tcpSocket: { port: 0 } },
};

test('what the webhook filled in is no part of what Git must say', () => {
  const live = service(filled, [{ revisionName: 'shop-v1', percent: 100, latestRevision: false }]);
  const git = service({ image: 'shop:1' }, [{ revisionName: 'shop-v1', percent: 100 }]);
  expect(withKnativeDefaults(git, live)).toEqual(live);
});

test('a probe with a path alone is what Knative makes of it', () => {
  const httpGet = { path: '/healthz' };
  const live = service({ readinessProbe: { httpGet: { ...httpGet, port: 0 }, successThreshold: 1 } });
  expect(withKnativeDefaults(service({ readinessProbe: { httpGet } }), live)).toEqual(live);
});

test.each([
  ['a name of its own', { name: 'web' }],
  ['an amount', { resources: { limits: { cpu: '1' } } }],
  ['an environment', { env: [{ name: 'A', value: 'b' }] }],
  ['a probe', { readinessProbe: { successThreshold: 1, httpGet: { path: '/', port: 8080 } } }],
])('%s that Git no longer declares is taken out', (_what, extra) => {
  const git = service({ image: 'shop:1' });
  expect(withKnativeDefaults(git, service({ image: 'shop:1', ...extra }))).toEqual(git);
});

test('a list of another length is left as Git has it', () => {
  const git = service({ image: 'shop:1' }, [{ percent: 50 }, { percent: 50, revisionName: 'shop-v1' }]);
  expect(
    withKnativeDefaults(git, service({ image: 'shop:1' }, [{ latestRevision: true, percent: 100 }])),
  ).toEqual(git);
});
