import { expect, test } from 'vitest';
import { defaultSettings, type KubeObject, type Settings } from '#base/model';
import { invalidatesCaches, onForbidden, reachProblem } from './cluster-rules.ts';

const object = (kind: string, namespace?: string): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'x', ...(namespace && { namespace }) },
});
const isNamespaced = ({ kind }: { kind: string }) => (kind === 'Odd' ? undefined : kind !== 'Namespace');

test('a cluster limited to namespaces takes nothing from elsewhere (T-19)', () => {
  const limited = { namespaces: ['a', 'b'] };
  expect(reachProblem([object('Secret', 'a'), object('Secret', 'b')], limited, isNamespaced)).toBeUndefined();
  expect(reachProblem([object('Secret', 'a'), object('Secret', 'c')], limited, isNamespaced)).toContain(
    'outside a, b',
  );
  expect(reachProblem([object('Odd', 'c')], limited, isNamespaced)).toContain('outside');
});

test('nor cluster-wide objects, unless it is told that it may (T-19)', () => {
  const wide = [object('Namespace')];
  expect(reachProblem(wide, { namespaces: ['a'] }, isNamespaced)).toContain('clusterResources');
  expect(reachProblem(wide, { namespaces: ['a'], clusterResources: true }, isNamespaced)).toBeUndefined();
  expect(reachProblem([...wide, object('Secret', 'z')], { namespaces: [] }, isNamespaced)).toBeUndefined();
});

test('a kind we may not list fails the cluster, is skipped, or is asked about (T-20)', () => {
  expect(onForbidden('')).toBe('fail');
  expect(onForbidden('normal')).toBe('skip');
  expect(onForbidden('strict')).toBe('review');
  expect(onForbidden('strict', false)).toBe('skip');
  expect(onForbidden('strict', true)).toBe('fail');
});

test('what caches rest on makes them be read anew, and nothing else does (T-21)', () => {
  const { tracking, resources, refresh } = defaultSettings;
  const changed = (more: Partial<Settings>) =>
    invalidatesCaches(defaultSettings, { ...defaultSettings, ...more });
  expect(changed({ tracking: { ...tracking, method: 'label' } })).toBe(true);
  expect(changed({ tracking: { ...tracking, instanceLabelKey: 'x' } })).toBe(true);
  expect(changed({ tracking: { ...tracking, installationId: 'x' } })).toBe(true);
  const filter = [{ apiGroups: ['x'], kinds: [], clusters: [] }];
  expect(changed({ resources: { ...resources, exclusions: filter } })).toBe(true);
  expect(changed({ resources: { ...resources, inclusions: filter } })).toBe(true);
  expect(changed({ resources: { ...resources, overrides: { Pod: { healthLua: 'x' } } } })).toBe(true);
  expect(changed({ refresh: { ...refresh, intervalMs: 1 } })).toBe(false);
  expect(changed({ resources: { ...resources, customLabels: ['x'] } })).toBe(false);
});
