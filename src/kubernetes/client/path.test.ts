import { expect, test } from 'vitest';
import type { ApiResource } from './discovery-document.ts';
import { objectPath, pathOf } from './path.ts';

const resource = (more: Partial<ApiResource>): ApiResource => ({
  group: '',
  version: 'v1',
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  singular: 'pod',
  namespaced: true,
  verbs: [],
  subresources: [],
  shortNames: [],
  categories: [],
  preferred: true,
  ...more,
});
const pods = resource({});
const roles = resource({
  group: 'rbac.authorization.k8s.io',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
});

test('collections, objects and subresources have their places', () => {
  expect(pathOf(pods, {})).toBe('/api/v1/pods');
  expect(pathOf(pods, { namespace: 'a' })).toBe('/api/v1/namespaces/a/pods');
  expect(objectPath(pods, { namespace: 'a', name: 'b', subresource: 'log' })).toBe(
    '/api/v1/namespaces/a/pods/b/log',
  );
  expect(objectPath(roles, { namespace: 'ignored', name: 'system:node' })).toBe(
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
  );
});

test('an object whose kind has namespaces must name its own', () => {
  expect(() => objectPath(pods, { name: 'b' })).toThrow('Pod b needs a namespace');
});

test.each(['', '.', '..', 'a/b', '../secrets', 'a%2fb'])(
  'the name %j never becomes part of a URL',
  (name) => {
    expect(() => objectPath(pods, { namespace: 'a', name })).toThrow('cannot be part of a URL');
    if (name !== '') expect(() => pathOf(pods, { namespace: name })).toThrow('cannot be part of a URL');
  },
);

test('a subresource may have a path of its own, but no way up', () => {
  const at = (subresource: string) => objectPath(pods, { namespace: 'a', name: 'b', subresource });
  expect(at('proxy/metrics')).toBe('/api/v1/namespaces/a/pods/b/proxy/metrics');
  expect(() => at('proxy/../../c')).toThrow('cannot be part of a URL');
});
