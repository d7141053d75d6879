import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject, SyncPhase } from '#base/model';
import { type Orderable, order } from './order.ts';

const kinds = [
  'Namespace',
  'Secret',
  'ConfigMap',
  'Deployment',
  'Service',
  'Job',
  'Thing',
  'Widget',
] as const;
const task = fc.record({
  phase: fc.constantFrom<SyncPhase>('PreSync', 'Sync', 'PostSync', 'SyncFail'),
  wave: fc.integer({ min: -3, max: 3 }),
  kind: fc.constantFrom(...kinds),
  name: fc.constantFrom('a', 'b', 'c'),
  namespace: fc.constantFrom('a', 'b', 'x'),
});
const objectOf = (kind: string, name: string, namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(kind !== 'Namespace' && { namespace }) },
});
const tasks = fc
  .uniqueArray(task, {
    selector: ({ phase, wave, kind, name, namespace }) =>
      `${phase}${wave}${kind}${name}${kind === 'Namespace' ? '' : namespace}`,
  })
  .map((list) =>
    list.map(
      ({ phase, wave, kind, name, namespace }): Orderable => ({
        phase,
        wave,
        target: objectOf(kind, name, namespace),
      }),
    ),
  );
const spelled = (list: readonly Orderable[]) =>
  list.map(
    ({ phase, wave, target }) =>
      `${phase} ${wave} ${target?.kind} ${target?.metadata.namespace}/${target?.metadata.name}`,
  );

test('the order is total: shuffling the input changes nothing (S-15)', () => {
  fc.assert(
    fc.property(
      tasks.chain((list) =>
        fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
      ),
      ([list, shuffled]) => {
        expect(spelled(order(shuffled))).toEqual(spelled(order(list)));
      },
    ),
  );
});

test('nothing is lost or made up', () => {
  fc.assert(
    fc.property(tasks, (list) => {
      const names = (all: readonly Orderable[]) =>
        all.map(({ target }) => `${target?.kind} ${target?.metadata.name}`).sort();
      expect(names(order(list))).toEqual(names(list));
    }),
  );
});

test('a Namespace stands before everything in it, in the same phase and wave as the first of them (S-17)', () => {
  fc.assert(
    fc.property(tasks, (list) => {
      const sorted = order(list);
      sorted.forEach(({ target }, at) => {
        const home = sorted.findIndex(
          (other) =>
            other.target?.kind === 'Namespace' && other.target.metadata.name === target?.metadata.namespace,
        );
        if (target?.metadata.namespace && home >= 0) expect(home).toBeLessThan(at);
      });
    }),
  );
});

test('kinds go by their rank, unknown kinds last and by name (S-16)', () => {
  const given = [
    'Widget',
    'APIService',
    'Thing',
    'Deployment',
    'ConfigMap',
    'Namespace',
    'CustomResourceDefinition',
  ];
  const placed = given.map(
    (kind, at): Orderable => ({ phase: 'Sync', wave: 0, target: objectOf(kind, `n${at}`, 'none') }),
  );
  expect(order(placed).map(({ target }) => target?.kind)).toEqual([
    'Namespace',
    'ConfigMap',
    'CustomResourceDefinition',
    'Deployment',
    'APIService',
    'Widget',
    'Thing',
  ]);
});

test('phase, then wave, then rank, then name, wherever nothing is lifted (S-15)', () => {
  const phases = ['PreSync', 'Sync', 'PostSync', 'SyncFail'];
  fc.assert(
    fc.property(tasks, (list) => {
      const free = list.filter(({ target }) => target?.kind !== 'Namespace');
      const places = order(free).map(({ phase, wave }) => phases.indexOf(phase) * 100 + wave);
      expect(places).toEqual([...places].sort((a, b) => a - b));
    }),
  );
});

test('a thousand namespaces are lifted in one walk (S-17)', () => {
  const many = Array.from({ length: 1000 }, (_, at): Orderable[] => [
    { phase: 'Sync', wave: 9, target: objectOf('Namespace', `n${at}`, '') },
    { phase: 'Sync', wave: 0, target: objectOf('ConfigMap', 'c', `n${at}`) },
  ]).flat();
  const sorted = order(many);
  expect(sorted.every(({ wave }) => wave === 0)).toBe(true);
  sorted.forEach(({ target }, at) => {
    if (target?.kind === 'ConfigMap')
      expect(sorted[at - 1]?.target?.metadata.name).toBe(target.metadata.namespace);
  });
});

test('vector 69, RK-12: a Rollout is applied before the Knative Service whose traffic it pins', () => {
  const service = (name: string) => ({
    ...objectOf('Service', name, 'a'),
    apiVersion: 'serving.knative.dev/v1',
  });
  const plugins = { 'fairlead.io/knative': { service: 'shop' } };
  const rollout: KubeObject = {
    ...objectOf('Rollout', 'gate', 'a'),
    apiVersion: 'argoproj.io/v1alpha1',
    spec: { strategy: { canary: { trafficRouting: { plugins } } } },
  };
  const planned = (live: KubeObject[]) =>
    [objectOf('ConfigMap', 'c', 'a'), service('shop'), service('another'), rollout].map(
      (target): Orderable => ({
        ...{ phase: 'Sync', wave: target.kind === 'Rollout' ? 1 : 0, target },
        ...(live.some(({ metadata }) => metadata.name === target.metadata.name) && { live: target }),
      }),
    );
  expect(spelled(order(planned([service('shop')])))).toEqual([
    'Sync 0 ConfigMap a/c',
    'Sync 0 Service a/another',
    'Sync 0 Rollout a/gate',
    'Sync 0 Service a/shop',
  ]);
  // the first deployment has no traffic to pin, and without its Service the Rollout is invalid
  expect(spelled(order(planned([])))).toEqual([
    'Sync 0 ConfigMap a/c',
    'Sync 0 Service a/another',
    'Sync 0 Service a/shop',
    'Sync 1 Rollout a/gate',
  ]);
});
