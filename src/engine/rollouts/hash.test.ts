import { expect, test } from 'vitest';
import { stepHash, templateHash } from './hash.ts';
import type { CanaryStep, RolloutTemplate } from './rollout.ts';

const container = (image: string, more: object = {}) => ({
  name: 'my-app',
  image,
  ports: [{ containerPort: 8080 }],
  ...more,
});
const template = (...containers: object[]): RolloutTemplate => ({
  metadata: { labels: { app: 'my-app' } },
  spec: { containers },
});
const resources = {
  requests: { cpu: '100m', memory: '128Mi' },
  limits: { cpu: '500m', memory: '256Mi' },
};
const canary = template(container('my-registry/my-app:v2.0.0', { resources }));

test.each([
  ['the canary of the user document', canary, undefined, '758dd5564d'],
  ['after a collision', canary, 1, '6c7b775c97'],
  [
    'the blue-green of the user document',
    template(container('my-registry/my-app:v2.0.0')),
    undefined,
    '8497fb6596',
  ],
  ['with its next image', template(container('my-registry/my-app:v3.0.0')), undefined, '54579f8859'],
])('vectors 1 and 2, RH-1: hashes the template of %s as the peer does', (_of, of, collisions, hash) => {
  expect(templateHash(of, collisions)).toBe(hash);
});

test('vector 4: a port without a protocol and quantities as typed have the hash that the peer computes', () => {
  // what the controller of Argo Rollouts 1.9.1 named the ReplicaSet of this template on a real cluster
  const web = {
    ...{ name: 'web', image: 'web:1', ports: [{ containerPort: 8080 }] },
    resources: { requests: { cpu: 0.1, memory: '128Mi' }, limits: { cpu: '2', memory: '1024Mi' } },
    env: [{ name: 'SIGNS', value: '<&>' }],
    livenessProbe: { httpGet: { path: '/', port: 8080 } },
  };
  const metadata = { labels: { app: 'web' } };
  const volumes = [{ name: 'a', emptyDir: {} }];
  expect(templateHash({ metadata, spec: { containers: [web], volumes } })).toBe('58b65df489');
});

test('vector 4: spellings of a quantity, escaped characters and unknown fields do not change the hash', () => {
  const env = [{ name: 'A', value: '<&>' }];
  const one = template(container('web:1', { env, resources: { requests: { cpu: '0.1' } }, unknown: true }));
  const other = template(container('web:1', { env, resources: { requests: { cpu: '100m' } } }));
  expect(templateHash(one)).toBe(templateHash(other));
  expect(templateHash(one)).not.toBe(
    templateHash(template(container('web:1', { resources: { requests: { cpu: '0.1' } } }))),
  );
});

const analysis = (...templates: string[]) => ({
  analysis: {
    templates: templates.map((templateName) => ({ templateName })),
    ...(templates.length > 1 && { args: [{ name: 'service-name', value: 'my-app-canary' }] }),
  },
});
const seed: CanaryStep[] = [
  { setWeight: 10 },
  { pause: { duration: '5m' } },
  analysis('success-rate', 'latency-check'),
  { setWeight: 30 },
  { pause: { duration: '5m' } },
  analysis('success-rate'),
  { setWeight: 60 },
  { pause: { duration: '10m' } },
  { setWeight: 100 },
];

test.each<[string, CanaryStep[] | undefined, string]>([
  ['no steps', undefined, '5ffbfbbd64'],
  ['a weight and a pause', [{ setWeight: 20 }, { pause: {} }], '54649b9f5c'],
  ['the steps of the user document', seed, '86bdcd5f69'],
])('vector 3, RN-8: hashes %s as the peer does', (_of, steps, hash) => {
  expect(stepHash(steps)).toBe(hash);
});
