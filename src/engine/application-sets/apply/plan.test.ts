import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Application,
  type ApplicationSet,
  defaultSettings,
  readApplication,
  readApplicationSet,
} from '#base/model';
import { counted, isOutdated, isOwnedBySet, planSet, previewSet, type SetPlan } from '#engine';
import { cases } from '../../../../test/cases.ts';

const setOf = (spec: object, metadata: object = {}): ApplicationSet =>
  readApplicationSet({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'set', namespace: 'argocd', uid: 'u1', ...metadata },
    spec: { generators: [], template: {}, ...spec },
  });

const owner = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  name: 'set',
  uid: 'u1',
  controller: true,
  blockOwnerDeletion: true,
};

/** An application by what differs; `owned: true` has the set as its controller. */
function application({ name = '', owned = false, spec = {}, operation, ...metadata }: any): Application {
  return readApplication({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd', ...(owned ? { ownerReferences: [owner] } : {}), ...metadata },
    spec: { project: 'default', destination: { server: 'https://kubernetes.default.svc' }, ...spec },
    ...(operation ? { operation } : {}),
  } as any);
}

const settings = { ...defaultSettings.applicationSet };
const facts = {
  settings,
  failures: [],
  hasProject: (name: string) => name === 'default',
  unknownDestination: ({ server }: { server?: string }) =>
    server === 'https://gone' ? 'there are no clusters with this name: gone' : undefined,
};

/** A plan by names and patches. */
function printed({ writes, deletions, unchanged, invalid, blocked }: SetPlan) {
  return {
    create: writes.flatMap((write) => (write.do === 'create' ? [write.application.metadata.name] : [])),
    update: Object.fromEntries(
      writes.flatMap((write) => (write.do === 'update' ? [[write.live.metadata.name, write.patch]] : [])),
    ),
    delete: deletions.map(({ live, withoutResourcesFinalizer }) =>
      withoutResourcesFinalizer ? `${live.metadata.name} without its finalizer` : live.metadata.name,
    ),
    unchanged,
    invalid: invalid.map(({ message }) => message),
    ...(blocked ? { blocked } : {}),
  };
}
const none = { create: [], update: {}, delete: [], unchanged: 0, invalid: [] };

test.each(cases<object>(new URL('../testdata/plan/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const [{ spec = {}, annotations, settings: own = {}, failures = [] }, generated = [], live = []] = input;
    const plan = planSet({
      ...facts,
      settings: { ...settings, ...own },
      set: setOf(spec, annotations ? { annotations } : {}),
      failures,
      generated: (generated ?? []).map(application),
      live: (live ?? []).map(application),
    });
    expect(printed(plan)).toEqual({ ...none, ...wanted });
  },
);

test('a preview names every change with both of its sides (sources ASN-5)', () => {
  const plan = planSet({
    ...facts,
    set: setOf({}),
    generated: [application({ name: 'b', labels: { a: 'x' } }), application({ name: 'c' })],
    live: [application({ name: 'b', owned: true }), application({ name: 'a', owned: true })],
  });
  const changes = previewSet(plan);
  expect(changes.map(({ action, application: name }) => [action, name])).toEqual([
    ['delete', 'argocd/a'],
    ['update', 'argocd/b'],
    ['create', 'argocd/c'],
  ]);
  expect(changes[1]?.target?.metadata.labels).toEqual({ a: 'x' });
  expect(changes[1]?.live?.metadata.labels).toBeUndefined();
});

test('an update written once leaves nothing to write', () => {
  const target = application({
    name: 'a',
    labels: { x: '1' },
    spec: { source: { repoURL: 'https://r', path: 'p' } },
  });
  const live = application({ name: 'a', annotations: { 'argocd.argoproj.io/refresh': 'hard' } });
  const set = setOf({});
  const [change] = previewSet(planSet({ ...facts, set, generated: [target], live: [live] }));
  const again = planSet({ ...facts, set, generated: [target], live: [change?.target as Application] });
  expect(printed(again)).toEqual({ ...none, unchanged: 1 });
});

test('a spec that differs in its automation alone is not outdated for a rollout (sources 5.6.3)', () => {
  const set = setOf({ ignoreApplicationDifferences: [{ jsonPointers: ['/spec/info'] }] });
  const target = application({ name: 'a', spec: { syncPolicy: { automated: { prune: true } } } });
  const live = application({
    name: 'a',
    owned: true,
    spec: { syncPolicy: { automated: { prune: true, enabled: false } }, info: [{ name: 'x', value: 'z' }] },
  });
  expect(isOutdated(live, target, { set, settings })).toBe(false);
  expect(isOutdated(live, application({ name: 'a' }), { set, settings })).toBe(true);
  const broken = setOf({ ignoreApplicationDifferences: [{ jqPathExpressions: ['.spec['] }] });
  expect(isOutdated(live, target, { set: broken, settings })).toBeUndefined();
});

test('several problems are one message with the number of the others (sources ASA-1)', () => {
  expect([counted('a', 0), counted('a', 2)]).toEqual(['a', 'a (and 2 more)']);
});

const some = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e', 'f'));
const choices = fc.record({
  policy: fc.constantFrom('sync', 'create-only', 'create-update', 'create-delete'),
  fails: fc.boolean(),
});

test('no application is deleted without a complete generation, against the policy, or of another owner', () => {
  fc.assert(
    fc.property(some, some, some, choices, (names, owned, others, { policy, fails }) => {
      const set = setOf({ syncPolicy: { applicationsSync: policy } });
      const live = [
        ...owned.map((name) => application({ name, owned: true })),
        ...others.filter((name) => !owned.includes(name)).map((name) => application({ name })),
      ];
      const generated = names.map((name) => application({ name, labels: { x: '1' } }));
      const input = { ...facts, set, generated, live, failures: fails ? ['no'] : [] };
      const plan = planSet(input);
      expect(printed(planSet(input))).toEqual(printed(plan));
      const deleted = plan.deletions.map((one) => one.live);
      expect(deleted.every((app) => isOwnedBySet(app, set) && !names.includes(app.metadata.name))).toBe(true);
      if (fails) expect(plan.writes).toEqual([]);
      if (fails || policy === 'create-only' || policy === 'create-update') expect(deleted).toEqual([]);
      if (policy === 'create-only' || policy === 'create-delete') {
        expect(plan.writes.every((write) => write.do === 'create')).toBe(true);
      }
    }),
  );
});
