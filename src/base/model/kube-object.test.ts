import { describe, expect, test } from 'vitest';
import { asKubeObject } from './as-kube-object.ts';
import {
  type ConfigMapFields,
  groupOf,
  gvkOf,
  isKind,
  keyFrom,
  keyOf,
  parseKey,
  versionOf,
  viewOf,
} from './kube-object.ts';

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'prod' },
};
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'prod' } };

describe('identity', () => {
  test('is group, kind, namespace and name, never the version', () => {
    expect(keyOf(deployment)).toBe('apps/Deployment/prod/web');
    expect(keyOf(namespace)).toBe('/Namespace//prod');
    expect(keyOf({ ...deployment, apiVersion: 'apps/v1beta2' })).toBe(keyOf(deployment));
    expect(keyFrom({ group: 'apps', kind: 'Deployment', namespace: 'prod', name: 'web' })).toBe(
      keyOf(deployment),
    );
  });
  test('can be taken apart again', () => {
    expect(parseKey(keyOf(deployment))).toEqual({
      group: 'apps',
      kind: 'Deployment',
      namespace: 'prod',
      name: 'web',
    });
    expect(parseKey('/Namespace//prod')).toEqual({
      group: '',
      kind: 'Namespace',
      namespace: '',
      name: 'prod',
    });
    expect(() => parseKey('Deployment/web')).toThrow('is not of the form group/Kind/namespace/name');
  });
  test('the core group is empty', () => {
    expect([groupOf(namespace), versionOf(namespace)]).toEqual(['', 'v1']);
    expect(gvkOf(deployment)).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' });
    expect(isKind(deployment, 'apps', 'Deployment')).toBe(true);
    expect(isKind(deployment, '', 'Deployment')).toBe(false);
  });
});

test('other top-level fields are seen through a view', () => {
  const map = asKubeObject({ ...namespace, kind: 'ConfigMap', data: { a: 'b' } }, 'cm.yaml');
  expect(viewOf<ConfigMapFields>(map).data?.a).toBe('b');
});

describe('reading foreign data', () => {
  test('a sound object comes back as it is', () => {
    expect(asKubeObject(deployment, 'x')).toBe(deployment);
  });
  test('everything missing is named at once, with the place', () => {
    expect(() => asKubeObject({}, 'app/x.yaml')).toThrow(
      'app/x.yaml: apiVersion is missing; kind is missing; metadata.name is missing',
    );
    expect(() => asKubeObject({ ...deployment, metadata: {} }, 'x')).toThrow('x: metadata.name is missing');
  });
  test.each([
    [null, 'found null'],
    [[], 'found a list'],
    ['text', 'found text'],
    [3n, 'found bigint 3'],
  ])('%s is not an object', (value, message) => {
    expect(() => asKubeObject(value, 'x')).toThrow(message);
  });
  test('wrong types are named with the fix', () => {
    const labels = { version: 1.2, ok: 'yes' };
    expect(() => asKubeObject({ ...deployment, metadata: { name: 'web', labels } }, 'x')).toThrow(
      'x: metadata.labels["version"] must be a string, found number 1.2; put it in quotes',
    );
    expect(() =>
      asKubeObject({ ...deployment, metadata: { name: 12, namespace: 3, annotations: [] } }, 'x'),
    ).toThrow(
      'metadata.name must be a string, found number 12; metadata.namespace must be a string, found number 3; metadata.annotations must be a map, found a list',
    );
    expect(() => asKubeObject({ ...deployment, metadata: 'web' }, 'x')).toThrow('metadata must be an object');
  });
  test('a generated name is a name, and reads as empty until it is known', () => {
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { generateName: 'migrate-' } };
    expect(asKubeObject(job, 'x').metadata).toEqual({ generateName: 'migrate-', name: '' });
  });
  test('null metadata fields are as good as missing', () => {
    const object = { ...deployment, metadata: { name: 'web', creationTimestamp: null, labels: null } };
    expect(asKubeObject(object, 'x').metadata).toEqual({ name: 'web' });
  });
});
