import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Application, defaultSettings, type KubeObject } from '#base/model';
import { cases } from '../../../test/cases.ts';
import { isOwnObject, isSignificantChange, levelFor, significantHash, updateRules } from './live-change.ts';

test.each(cases<boolean>(new URL('./testdata/live-change/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { before, after, settings, isTracked = true } = input[0];
    const rules = updateRules({ ...defaultSettings.resources, ...settings });
    expect(isSignificantChange(before, after, { rules, isTracked })).toBe(wanted);
  },
);

const object = (kind: string, owned: boolean): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: {
    name: 'a',
    namespace: 'argocd',
    ...(owned && { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u' }] }),
  },
});

test('a Pod of a Deployment draws the tree anew, the Deployment itself is compared (R-4, vector 8)', () => {
  expect(levelFor(object('Pod', true), false)).toBe('tree');
  expect(levelFor(object('Pod', true), true)).toBe('tree');
  expect(levelFor(object('Deployment', false), true)).toBe('recorded');
  expect(levelFor(object('ConfigMap', false), false)).toBe('tree');
});

test('an Application is not woken by its own object (R-16, X-5)', () => {
  const app = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'a', namespace: 'argocd' },
    spec: { destination: {} },
  } as Application;
  expect(isOwnObject(app, app)).toBe(true);
  expect(isOwnObject(app, { ...app, metadata: { name: 'b', namespace: 'argocd' } })).toBe(false);
  expect(isOwnObject(app, { ...app, metadata: { name: 'a', namespace: 'team' } })).toBe(false);
  expect(isOwnObject(app, object('ConfigMap', false))).toBe(false);
});

test('the hash tells what a comparison of the two would (R-13)', () => {
  const rules = updateRules(defaultSettings.resources);
  if (!rules) throw new Error('the filter is on by default');
  const plain = object('Thing', false);
  const bumped = { ...plain, metadata: { ...plain.metadata, resourceVersion: '2' }, status: { a: 1 } };
  expect(significantHash(bumped, rules)).toBe(significantHash(plain, rules));
  expect(significantHash({ ...plain, spec: { n: 2n ** 60n } }, rules)).not.toBe(
    significantHash(plain, rules),
  );
});

test('the hash is about content, whatever the order of keys (R-13)', () => {
  const rules = updateRules(defaultSettings.resources);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (spec) => {
      const turned = Object.fromEntries(Object.entries(spec).reverse());
      const [one, two] = [spec, turned].map((value) => ({ ...object('Thing', false), spec: value }));
      expect(rules && one && significantHash(one, rules)).toBe(rules && two && significantHash(two, rules));
    }),
  );
});
