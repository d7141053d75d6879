import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { excludedBy, isExcludedKind, prepareTarget, stockExclusions } from './target.ts';
import { defaultTracking } from './tracking.ts';

const owner = { instance: 'app', destinationNamespace: 'd' };
const isNamespaced = ({ kind }: { kind: string }) => (kind === 'Thing' ? undefined : kind !== 'Namespace');
const options = { owner, tracking: defaultTracking, isNamespaced };
const object = (kind: string, metadata: Partial<KubeObject['metadata']>): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: '', ...metadata },
});

test('the destination namespace is for namespaced objects that name none (A-14, POST-3)', () => {
  const { objects } = prepareTarget(
    [
      object('ConfigMap', { name: 'a' }),
      object('ConfigMap', { name: 'b', namespace: 'own' }),
      object('Namespace', { name: 'n', namespace: 'wrong' }),
      object('Thing', { name: 't' }),
    ],
    options,
  );
  expect(objects.map(({ metadata }) => metadata.namespace)).toEqual(['d', 'own', undefined, 'd']);
});

test('every object is marked, after it has its namespace (POST-2)', () => {
  const [first] = prepareTarget([object('ConfigMap', { name: 'a' })], options).objects;
  expect(first?.metadata.annotations).toEqual({ 'argocd.argoproj.io/tracking-id': 'app:/ConfigMap:d/a' });
});

test('of repeated objects the last one wins, at the place of the first (A-8)', () => {
  const { objects, conditions } = prepareTarget(
    [
      object('ConfigMap', { name: 'a', labels: { v: '1' } }),
      object('ConfigMap', { name: 'b' }),
      object('ConfigMap', { name: 'a', namespace: 'd', labels: { v: '2' } }),
    ],
    options,
  );
  expect(objects.map(({ metadata }) => `${metadata.name}${metadata.labels?.v ?? ''}`)).toEqual(['a2', 'b']);
  expect(conditions).toEqual([
    {
      type: 'RepeatedResourceWarning',
      message: '/ConfigMap/d/a is declared 2 times; the last one is used, remove the others',
    },
  ]);
});

test('objects that have no name yet are never doubles', () => {
  const twice = [object('Job', { generateName: 'm-' }), object('Job', { generateName: 'm-' })];
  expect(prepareTarget(twice, options).objects).toHaveLength(2);
});

test('an excluded kind is left out with a warning (T-14)', () => {
  const { objects, conditions } = prepareTarget([object('Event', { name: 'e' })], {
    ...options,
    excludedBy: ({ kind }) => (kind === 'Event' ? 'nobody wants it' : undefined),
  });
  expect(objects).toEqual([]);
  expect(conditions).toMatchObject([
    { type: 'ExcludedResourceWarning', message: expect.stringMatching(/is left out: nobody wants it$/) },
  ]);
});

const filter = (apiGroups: string[], kinds: string[], clusters: string[] = []) => ({
  apiGroups,
  kinds,
  clusters,
});
test.each([
  { name: 'events are always excluded', kind: ['events.k8s.io', 'Event'], wanted: true },
  { name: 'and leases', kind: ['coordination.k8s.io', 'Lease'], wanted: true },
  { name: 'nothing else is', kind: ['apps', 'Deployment'], wanted: false },
  {
    name: 'globs in groups',
    kind: ['x.cilium.io', 'Any'],
    out: [filter(['*.cilium.io'], ['*'])],
    wanted: true,
  },
  {
    name: 'kinds are exact',
    kind: ['apps', 'Deployment'],
    out: [filter(['apps'], ['Deploy*'])],
    wanted: false,
  },
  {
    name: 'an empty list means any',
    kind: ['apps', 'Deployment'],
    out: [filter([], ['Deployment'])],
    wanted: true,
  },
  {
    name: 'only on some clusters',
    kind: ['apps', 'Deployment'],
    out: [filter(['apps'], [], ['https://other*'])],
    wanted: false,
  },
  {
    name: 'with inclusions the rest is out',
    kind: ['apps', 'Deployment'],
    in: [filter(['batch'], [])],
    wanted: true,
  },
  { name: 'what is included stays', kind: ['batch', 'Job'], in: [filter(['batch'], [])], wanted: false },
  {
    name: 'exclusion beats inclusion',
    kind: ['batch', 'Job'],
    out: [filter(['batch'], ['Job'])],
    in: [filter(['batch'], [])],
    wanted: true,
  },
  {
    name: 'inclusions elsewhere do not count',
    kind: ['apps', 'Deployment'],
    in: [filter(['batch'], [], ['https://other*'])],
    wanted: false,
  },
])('$name (T-14, T-15)', ({ kind: [group = '', kind = ''], out = [], in: inclusions = [], wanted }) => {
  expect(isExcludedKind({ group, kind }, 'https://here.example', { exclusions: out, inclusions })).toBe(
    wanted,
  );
});

test.each([
  ['', 'Endpoints'],
  ['discovery.k8s.io', 'EndpointSlice'],
  ['authorization.k8s.io', 'SubjectAccessReview'],
  ['authentication.k8s.io', 'TokenReview'],
  ['certificates.k8s.io', 'CertificateSigningRequest'],
  ['cert-manager.io', 'CertificateRequest'],
  ['cilium.io', 'CiliumIdentity'],
  ['wgpolicyk8s.io', 'PolicyReport'],
  ['kyverno.io', 'UpdateRequest'],
])('a stock installation also excludes %s/%s (T-14)', (group, kind) => {
  const filters = { exclusions: stockExclusions, inclusions: [] };
  expect(isExcludedKind({ group, kind }, 'https://here.example', filters)).toBe(true);
  const none = { exclusions: [], inclusions: [] };
  expect(isExcludedKind({ group, kind }, 'https://here.example', none)).toBe(false);
});

test('and leaves what people deploy alone (T-14)', () => {
  const filters = { exclusions: stockExclusions, inclusions: [] };
  for (const [group, kind] of [
    ['', 'Service'],
    ['cert-manager.io', 'Certificate'],
    ['kyverno.io', 'ClusterPolicy'],
    ['cilium.io', 'CiliumNetworkPolicy'],
  ] as const)
    expect(isExcludedKind({ group, kind }, 'https://here.example', filters)).toBe(false);
});

test('what leaves a kind out is named, be it that nothing lets it in (T-14, T-15)', () => {
  const only = (kind: string) => [{ apiGroups: [''], kinds: [kind], clusters: [] }];
  const told = (kind: string, exclusions = only('Secret'), inclusions = only('ConfigMap')) =>
    excludedBy({ group: '', kind }, 'https://here.example', { exclusions, inclusions });
  expect(told('Secret')).toBe('resource.exclusions in argocd-cm excludes its kind');
  expect(told('Service')).toBe('resource.inclusions in argocd-cm does not name its kind');
  expect(told('Event')).toMatch('never managed');
  expect(told('ConfigMap')).toBeUndefined();
});
