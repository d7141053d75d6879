import { expect, test } from 'vitest';
import {
  type Application,
  type ApplicationStatus,
  defaultSettings,
  type KubeObject,
  keyOf,
} from '#base/model';
import {
  applicationsAbove,
  applicationsDeclaring,
  applicationsOf,
  type RequestedWork,
  requestedBy,
} from './object-changes.ts';

const app = (more: Partial<Application> = {}): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: { destination: { server: 'https://kubernetes.default.svc' } },
  ...more,
});

const running: ApplicationStatus = { operationState: { operation: {}, phase: 'Running', startedAt: '' } };
const stamp = 'argocd.argoproj.io/refresh-timestamp';
const requested = { 'argocd.argoproj.io/refresh': 'normal', [stamp]: '1' };
const spec = (more: object) => app({ spec: { destination: {}, ...more } });

test.each<[string, Application | undefined, Application | undefined, RequestedWork]>([
  ['a new application is looked at', undefined, app(), { refresh: true, operate: false }],
  [
    'our own status write asks for nothing',
    app(),
    app({ status: { reconciledAt: 'x' } }),
    { refresh: false, operate: false },
  ],
  [
    'a request to sync starts an operation',
    app(),
    app({ operation: { sync: {} } }),
    { refresh: false, operate: true },
  ],
  [
    'progress of that operation does not start it again',
    app({ operation: { sync: {} } }),
    app({
      operation: { sync: {} },
      status: { operationState: { operation: {}, phase: 'Running', startedAt: '' } },
    }),
    { refresh: false, operate: false },
  ],
  [
    'a termination wakes it',
    app({ operation: { sync: {} } }),
    app({
      operation: { sync: {} },
      status: { operationState: { operation: {}, phase: 'Terminating', startedAt: '' } },
    }),
    { refresh: false, operate: true },
  ],
  [
    'an annotation is a request to look',
    app(),
    app({ metadata: { name: 'shop', annotations: { 'argocd.argoproj.io/refresh': 'normal' } } }),
    { refresh: true, operate: false },
  ],
  [
    'that the request was answered asks for nothing',
    app({ metadata: { name: 'shop', annotations: { a: 'b', ...requested } } }),
    app({ metadata: { name: 'shop', annotations: { a: 'b' } } }),
    { refresh: false, operate: false },
  ],
  [
    'another annotation that came meanwhile is a change',
    app({ metadata: { name: 'shop', annotations: requested } }),
    app({ metadata: { name: 'shop', annotations: { a: 'b' } } }),
    { refresh: true, operate: false },
  ],
  [
    'a second request, made in the place of the first, is one',
    app({ metadata: { name: 'shop', annotations: requested } }),
    app({ metadata: { name: 'shop', annotations: { ...requested, [stamp]: '2' } } }),
    { refresh: true, operate: false },
  ],
  ['a deleted application is cleaned up after', app(), undefined, { refresh: true, operate: false }],
  [
    'an operation that was taken away is ended',
    app({ operation: { sync: {} }, status: running }),
    app({ status: running }),
    { refresh: false, operate: true },
  ],
  [
    'a record of an operation that nobody asked for is ended (R-32)',
    app({ status: { operationState: { operation: {}, phase: 'Succeeded', startedAt: '' } } }),
    app({ status: running }),
    { refresh: false, operate: true },
  ],
  [
    'once, not with every word that is written beside it',
    app({ status: running }),
    app({ status: { ...running, reconciledAt: 'x' } }),
    { refresh: false, operate: false },
  ],
  [
    'a status that somebody took away is found out again (R-8)',
    app({ status: { reconciledAt: 'x' } }),
    app(),
    { refresh: true, operate: false },
  ],
  [
    'automated sync that is turned on decides at once (§2.3)',
    spec({ syncPolicy: { automated: { enabled: false } } }),
    spec({ syncPolicy: { automated: {} } }),
    { refresh: true, level: 'tracked', operate: false },
  ],
  [
    'so does self-heal (§2.3)',
    spec({ syncPolicy: { automated: {} } }),
    spec({ syncPolicy: { automated: { selfHeal: true } } }),
    { refresh: true, level: 'tracked', operate: false },
  ],
  [
    'turned off they have nothing to decide',
    spec({ syncPolicy: { automated: { selfHeal: true } } }),
    spec({}),
    { refresh: true, operate: false },
  ],
  [
    'another project has other rules',
    spec({ project: 'default' }),
    spec({ project: 'shop' }),
    { refresh: true, level: 'tracked', operate: false },
  ],
])('%s', (_name, before, after, wanted) => {
  expect(requestedBy({ ...(before && { before }), ...(after && { after }) })).toEqual(wanted);
});

const deployment = (more: object = {}, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'u',
    annotations: { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/web', ...annotations },
  },
  spec: { replicas: 1 },
  ...more,
});
const change = (before: KubeObject | undefined, after: KubeObject | undefined) => ({
  key: keyOf((after ?? before) as KubeObject),
  ...(before && { before }),
  ...(after && { after }),
});

test('a change concerns the application whose mark the object bears', () => {
  expect(applicationsOf(change(undefined, deployment()), defaultSettings, {})).toEqual(['shop']);
  expect(applicationsOf(change(deployment(), undefined), defaultSettings, {})).toEqual(['shop']);
  expect(
    applicationsOf(change(undefined, { ...deployment(), metadata: { name: 'x' } }), defaultSettings, {}),
  ).toEqual([]);
});

test('compat R-13: bookkeeping wakes nobody, a new spec or another health does', () => {
  const versioned = {
    ...deployment(),
    metadata: { ...deployment().metadata, resourceVersion: '9' },
  };
  expect(applicationsOf(change(deployment(), versioned), defaultSettings, {})).toEqual([]);
  const counted = deployment({ status: { observedGeneration: 1, replicas: 1 } });
  const healthier = deployment({ status: { replicas: 1, updatedReplicas: 1, availableReplicas: 1 } });
  expect(applicationsOf(change(counted, counted), defaultSettings, {})).toEqual([]);
  expect(applicationsOf(change(counted, healthier), defaultSettings, {})).toEqual(['shop']);
  expect(
    applicationsOf(change(deployment(), deployment({ spec: { replicas: 2 } })), defaultSettings, {}),
  ).toEqual(['shop']);
});

test('R-7: a new image below a managed object redraws its tree; a heartbeat, or what hangs elsewhere, does not', () => {
  const below = (owner: KubeObject, kind: string, image?: string): KubeObject => ({
    apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
    kind,
    metadata: {
      name: `${kind}-of-${owner.metadata.name}`,
      namespace: 'shop',
      uid: kind,
      ownerReferences: [
        {
          apiVersion: owner.apiVersion,
          kind: owner.kind,
          name: owner.metadata.name,
          uid: owner.metadata.uid ?? '',
        },
      ],
    },
    ...(image && { spec: { containers: [{ image }] } }),
  });
  const root = deployment();
  const set = below(root, 'ReplicaSet');
  const pod = below(set, 'Pod', 'web:1');
  const known = new Map([root, set].map((one) => [keyOf(one), one]));
  const woken = (...sides: Parameters<typeof change>) =>
    applicationsAbove(change(...sides), { get: (key) => known.get(key) }, defaultSettings.tracking);
  expect(woken(undefined, pod)).toEqual(['shop']);
  expect(woken(pod, undefined)).toEqual(['shop']);
  expect(woken(pod, below(set, 'Pod', 'web:2'))).toEqual(['shop']);
  expect(woken(pod, { ...pod, status: { phase: 'Running' } })).toEqual([]);
  expect(
    woken(undefined, below({ ...set, metadata: { ...set.metadata, uid: 'older' } }, 'Pod', 'x')),
  ).toEqual([]);
  expect(woken(undefined, root)).toEqual([]);
});

test('a definition bears no mark: those who declare it are told when it comes, goes or changes (T-4)', () => {
  const definition = (more: object = {}): KubeObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.shop.example' },
    spec: { group: 'shop.example' },
    ...more,
  });
  const { kind, metadata } = definition();
  const row = { group: 'apiextensions.k8s.io', version: 'v1', kind, name: metadata.name };
  const all = () => [app({ status: { resources: [row] } }), app({ status: { resources: [] } }), app()];
  const told = (before: KubeObject | undefined, after: KubeObject | undefined) =>
    applicationsDeclaring(change(before, after), all).length;
  expect([told(definition(), undefined), told(undefined, definition())]).toEqual([1, 1]);
  expect(told(definition(), definition({ spec: { group: 'shop.example', scope: 'Cluster' } }))).toBe(1);
  expect(told(definition(), definition({ status: { acceptedNames: {} } }))).toBe(0);
  expect(told(deployment(), undefined)).toBe(0);
});
