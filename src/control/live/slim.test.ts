import { expect, test } from 'vitest';
import { annotation, type KubeObject } from '#base/model';
import { nodeOf, parentNames } from '#engine';
import { isSlim, slimmed } from './slim.ts';

const metadata = (name: string, more: object = {}) => ({
  name,
  namespace: 'shop',
  uid: `uid-${name}`,
  resourceVersion: '7',
  annotations: { [annotation.lastApplied]: '{"much":"text"}', kept: 'yes' },
  managedFields: [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }],
  ...more,
});

const container = {
  name: 'web',
  image: 'registry.example.com/web:1',
  env: [{ name: 'TOKEN', value: 'long' }],
  volumeMounts: [{ name: 'data', mountPath: '/data' }],
  resources: { requests: { cpu: '100m' } },
};
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'uid-web-1' };
const pod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: metadata('web-1-a', { ownerReferences: [owner], labels: { app: 'web' } }),
  spec: {
    nodeName: 'node-1',
    restartPolicy: 'Always',
    containers: [container],
    initContainers: [{ ...container, name: 'beside', restartPolicy: 'Always' }],
    resources: { requests: { memory: '64Mi' } },
    overhead: { cpu: '10m' },
    volumes: [{ name: 'data', emptyDir: {} }],
  },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name: 'web', ready: true, restartCount: 2, state: { running: {} } }],
  },
};
const replicaSet: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: metadata('web-1', { generation: 1 }),
  spec: {
    replicas: 1,
    selector: {},
    template: { metadata: { labels: {} }, spec: { containers: [container] } },
  },
  status: { replicas: 1, observedGeneration: 1 },
};
const secret: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: metadata('token', { annotations: { 'kubernetes.io/service-account.name': 'web' } }),
  ...{ type: 'kubernetes.io/service-account-token', data: { token: 'c2VjcmV0' } },
};
const map = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metadata('map'),
  data: { big: 'text' },
} as KubeObject;
const custom: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Custom',
  metadata: metadata('custom'),
  spec: { anything: ['at', 'all'] },
};

test.each([pod, replicaSet, secret, map, custom].map((object) => [object.kind, object] as const))(
  'T-18: the tree shows of a slim %s what it shows of a whole one',
  (_kind, object) => {
    const slim = slimmed(object);
    expect(nodeOf(slim)).toEqual(nodeOf(object));
    expect(parentNames(slim)).toEqual(parentNames(object));
    expect(isSlim(slim)).toBe(true);
    expect(isSlim(object)).toBe(false);
  },
);

test('T-18: what only a comparison would ask for is left out', () => {
  const text = JSON.stringify([pod, replicaSet, secret, map].map(slimmed));
  for (const gone of ['managedFields', 'much', 'TOKEN', 'mountPath', 'emptyDir', 'c2VjcmV0', '"big"'])
    expect(text).not.toContain(gone);
  expect(slimmed(custom).spec).toEqual(custom.spec);
});
