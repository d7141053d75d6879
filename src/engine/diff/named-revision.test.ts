import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { keepNamedRevision } from './named-revision.ts';

const service = (name: string | undefined, container: object, more: object = {}): KubeObject =>
  ({
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name: 'shop' },
    spec: { template: { ...(name && { metadata: { name } }), spec: { containers: [container] } }, ...more },
  }) as KubeObject;

const declared = { image: 'shop:1', resources: { limits: { cpu: '1000m' } } };
const filled = {
  ...declared,
  name: 'user-container',
  resources: { limits: { cpu: '1' } },
  readinessProbe: { successThreshold: 1 },
};
const traffic = { traffic: [{ revisionName: 'shop-v1', percent: 100 }] };

test('a named revision that Git says again has its containers as Knative has them, and the traffic as Git has it', () => {
  const live = service('shop-v1', filled) as KubeObject<{ template: { spec: Record<string, unknown> } }>;
  if (live.spec) live.spec.template.spec.timeoutSeconds = 300; // nobody's, so it must not become ours
  const kept = keepNamedRevision(service('shop-v1', declared, traffic), live);
  expect(kept).toEqual(service('shop-v1', filled, traffic));
});

test.each([
  ['a new name', service('shop-v2', declared), service('shop-v1', filled)],
  ['no name', service(undefined, declared), service(undefined, filled)],
  ['another image', service('shop-v1', { ...declared, image: 'shop:2' }), service('shop-v1', filled)],
  [
    'another container',
    service('shop-v1', declared, {
      template: { metadata: { name: 'shop-v1' }, spec: { containers: [declared, declared] } },
    }),
    service('shop-v1', filled),
  ],
])('%s is sent as Git has it', (_what, target, live) => {
  expect(keepNamedRevision(target, live)).toBe(target);
});

test('what Git no longer says is taken out, for Knative to refuse', () => {
  const target = service('shop-v1', { image: 'shop:1' });
  expect(keepNamedRevision(target, service('shop-v1', filled), service('shop-v1', declared))).toBe(target);
});

test('a template of another group is left alone', () => {
  const target = { ...service('shop-v1', declared), apiVersion: 'example.com/v1' };
  expect(keepNamedRevision(target, service('shop-v1', filled))).toBe(target);
});
