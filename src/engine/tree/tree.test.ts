import { expect, test } from 'vitest';
import { type Application, type KubeObject, keyOf } from '#base/model';
import { nodeOf } from './node.ts';
import { indexNodes, orphanedNodes, orphanWarning, resourceTree, summarize, type TreeNode } from './tree.ts';

let next = 0;
function object(
  apiVersion: string,
  kind: string,
  name: string,
  more: Partial<KubeObject> & { owner?: KubeObject } = {},
): KubeObject {
  const { owner, metadata, ...rest } = more;
  return {
    apiVersion,
    kind,
    ...rest,
    metadata: {
      name,
      namespace: 'd',
      uid: `u${next++}`,
      ...metadata,
      ...(owner && {
        ownerReferences: [
          {
            apiVersion: owner.apiVersion,
            kind: owner.kind,
            name: owner.metadata.name,
            uid: owner.metadata.uid ?? '',
          },
        ],
      }),
    },
  } as KubeObject;
}
const grow = (roots: KubeObject[], all: KubeObject[], options = {}) =>
  resourceTree(
    roots.map((live) => ({ key: keyOf(live), live })),
    indexNodes(all.map((one) => nodeOf(one))),
    options,
  );
const names = (nodes: readonly TreeNode[]) =>
  nodes.map(
    ({ kind, name, parentRefs = [] }) =>
      `${parentRefs.map((parent) => parent.name).join('+')}>${kind} ${name}`,
  );

test('children hang below their owners (T-9)', () => {
  const deployment = object('apps/v1', 'Deployment', 'web');
  const set = object('apps/v1', 'ReplicaSet', 'web-1', { owner: deployment });
  const pod = object('v1', 'Pod', 'web-1-a', { owner: set });
  const stranger = object('v1', 'Pod', 'other');
  expect(names(grow([deployment], [pod, set, deployment, stranger]).nodes)).toEqual([
    '>Deployment web',
    'web>ReplicaSet web-1',
    'web-1>Pod web-1-a',
  ]);
});

test('edges that nobody writes down are guessed (T-9)', () => {
  const service = object('v1', 'Service', 'web');
  const endpoints = object('v1', 'Endpoints', 'web');
  const account = object('v1', 'ServiceAccount', 'sa');
  const token = {
    ...object('v1', 'Secret', 'sa-token', {
      metadata: { name: 'sa-token', annotations: { 'kubernetes.io/service-account.name': 'sa' } },
    }),
    type: 'kubernetes.io/service-account-token',
  } as KubeObject;
  const set = object('apps/v1', 'StatefulSet', 'db', {
    spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
  });
  const claim = object('v1', 'PersistentVolumeClaim', 'data-db-0');
  const other = object('v1', 'PersistentVolumeClaim', 'data-other-0');
  const { nodes } = grow([service, account, set], [service, endpoints, account, token, set, claim, other]);
  expect(names(nodes)).toEqual([
    '>Service web',
    'web>Endpoints web',
    '>ServiceAccount sa',
    'sa>Secret sa-token',
    '>StatefulSet db',
    'db>PersistentVolumeClaim data-db-0',
  ]);
});

test('an owner without a uid is found by its name (T-9)', () => {
  const parent = object('example.com/v1', 'Thing', 't');
  const child = object('v1', 'ConfigMap', 'c', {
    metadata: {
      name: 'c',
      ownerReferences: [{ apiVersion: 'example.com/v2', kind: 'Thing', name: 't', uid: '' }],
    },
  });
  expect(names(grow([parent], [parent, child]).nodes)).toEqual(['>Thing t', 't>ConfigMap c']);
});

test('cycles are cut, and two parents are both named', () => {
  const a = object('v1', 'ConfigMap', 'a');
  const b = object('v1', 'ConfigMap', 'b', { owner: a });
  const loop = {
    ...a,
    metadata: {
      ...a.metadata,
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'b', uid: b.metadata.uid ?? '' }],
    },
  };
  expect(names(grow([loop], [loop, b]).nodes)).toEqual(['b>ConfigMap a', 'a>ConfigMap b']);
});

test('what is declared and missing is a node of its own (T-9)', () => {
  const target = object('v1', 'ConfigMap', 'gone');
  const { nodes } = resourceTree([{ key: keyOf(target), target }], indexNodes([]));
  expect(nodes).toEqual([
    { version: 'v1', kind: 'ConfigMap', namespace: 'd', name: 'gone', health: { status: 'Missing' } },
  ]);
});

test('a child that is not permitted is hidden with all below it (T-10)', () => {
  const a = object('v1', 'ConfigMap', 'a');
  const secret = object('v1', 'Secret', 's', { owner: a });
  const below = object('v1', 'ConfigMap', 'b', { owner: secret });
  expect(
    names(grow([a], [a, secret, below], { denies: ({ kind }: { kind: string }) => kind === 'Secret' }).nodes),
  ).toEqual(['>ConfigMap a']);
});

test('a node has the shape of the REST API (T-11)', () => {
  const pod = object('v1', 'Pod', 'p', {
    metadata: {
      name: 'p',
      uid: 'u',
      resourceVersion: '5',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { a: 'b' },
    },
    spec: { nodeName: 'n1', containers: [{ image: 'i:1' }], restartPolicy: 'Always' },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ ready: true, restartCount: 2, state: { running: {} } }],
    },
  });
  expect(grow([pod], [pod]).nodes).toEqual([
    {
      version: 'v1',
      kind: 'Pod',
      namespace: 'd',
      name: 'p',
      uid: 'u',
      resourceVersion: '5',
      createdAt: '2026-01-01T00:00:00Z',
      images: ['i:1'],
      health: { status: 'Healthy' },
      networkingInfo: { labels: { a: 'b' } },
      info: [
        { name: 'Status Reason', value: 'Running' },
        { name: 'Node', value: 'n1' },
        { name: 'Containers', value: '1/1' },
        { name: 'Restart Count', value: '2' },
        { name: 'cpu', value: '0' },
        { name: 'memory', value: '0' },
      ],
    },
  ]);
});

test('Knative: traffic and tags stand on the Revisions, the URL on the Service', () => {
  const knative = 'serving.knative.dev/v1';
  const status = {
    url: 'http://hello.d.example',
    traffic: [
      { revisionName: 'hello-1', percent: 70 },
      { revisionName: 'hello-2', percent: 30 },
      { revisionName: 'hello-2', tag: 'candidate' },
    ],
  };
  const service = object(knative, 'Service', 'hello', { status });
  const route = object(knative, 'Route', 'hello', { owner: service, status });
  const configuration = object(knative, 'Configuration', 'hello', { owner: service });
  const revisions = ['hello-1', 'hello-2', 'hello-3'].map((name) =>
    object(knative, 'Revision', name, { owner: configuration }),
  );
  const { nodes } = grow([service], [service, route, configuration, ...revisions]);
  const info = Object.fromEntries(
    nodes.map(({ kind, name, info: items = [] }) => [
      `${kind} ${name}`,
      items.map(({ name: key, value }) => `${key} ${value}`),
    ]),
  );
  expect(info).toEqual({
    'Service hello': ['Traffic hello-1 70%, hello-2 30%'],
    'Route hello': ['Traffic hello-1 70%, hello-2 30%'],
    'Configuration hello': [],
    'Revision hello-1': ['Traffic 70%'],
    'Revision hello-2': ['Traffic 30%', 'Tags candidate'],
    'Revision hello-3': [],
  });
  expect(nodes[0]?.networkingInfo).toEqual({ externalURLs: ['http://hello.d.example'] });
});

test('an Ingress names its services and its addresses', () => {
  const ingress = object('networking.k8s.io/v1', 'Ingress', 'web', {
    spec: {
      tls: [{ hosts: ['a.example'] }],
      rules: [
        {
          host: 'a.example',
          http: {
            paths: [
              { path: '/api/(.*)', backend: { service: { name: 'api' } } },
              { path: '/', backend: { service: { name: 'web' } } },
            ],
          },
        },
        { http: { paths: [{ path: '/x', backend: { service: { name: 'web' } } }] } },
      ],
    },
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
  });
  expect(nodeOf(ingress).networkingInfo).toEqual({
    targetRefs: [
      { kind: 'Service', namespace: 'd', name: 'api' },
      { kind: 'Service', namespace: 'd', name: 'web' },
    ],
    ingress: [{ ip: '192.0.2.1' }],
    externalURLs: ['http://192.0.2.1/x', 'https://a.example/', 'https://a.example/api/'],
  });
});

test('links are web addresses or nothing', () => {
  const link = (value: string) =>
    object('v1', 'ConfigMap', 'c', {
      metadata: { name: 'c', annotations: { 'link.argocd.argoproj.io/x': value } },
    });
  expect(nodeOf(link('Docs|https://docs.example')).networkingInfo).toEqual({
    externalURLs: ['Docs|https://docs.example'],
  });
  for (const bad of ['javascript:alert(1)', 'Docs|data:text/html,x', ' ', 'ftp://x'])
    expect(nodeOf(link(bad)).networkingInfo).toBeUndefined();
});

test('the summary is sorted and says each thing once', () => {
  const app = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'a', annotations: { 'link.argocd.argoproj.io/home': 'https://home.example' } },
    spec: { destination: {} },
  } as Application;
  const pods = ['z:1', 'a:1', 'z:1'].map((image, at) =>
    object('v1', 'Pod', `p${at}`, { spec: { containers: [{ image }] } }),
  );
  const child = object('argoproj.io/v1alpha1', 'Application', 'child');
  expect(summarize(app, grow([...pods, child], [...pods, child]))).toEqual({
    externalURLs: ['https://home.example'],
    images: ['a:1', 'z:1'],
    isAppOfApps: true,
  });
  expect(summarize({ ...app, metadata: { name: 'a' } }, grow([], []))).toEqual({});
});

test('orphans are what nobody manages, owns or excuses (T-8)', () => {
  const mine = object('v1', 'ConfigMap', 'mine');
  const stray = object('v1', 'ConfigMap', 'stray');
  const below = object('v1', 'ConfigMap', 'below', { owner: stray });
  const foreign = object('v1', 'ConfigMap', 'foreign');
  const excused = object('v1', 'Secret', 'excused');
  const builtin = object('v1', 'ConfigMap', 'kube-root-ca.crt');
  const account = object('v1', 'ServiceAccount', 'default');
  const all = [mine, stray, below, foreign, excused, builtin, account].map((one) => nodeOf(one));
  const found = orphanedNodes(all, indexNodes(all), new Set([keyOf(mine)]), {
    rules: { ignore: [{ group: '', kind: 'Sec*' }] },
    isOwned: ({ name }) => name === 'foreign',
  });
  expect(names(found)).toEqual(['>ConfigMap stray', 'stray>ConfigMap below']);
});

const reference = (apiVersion: string, kind: string, name: string) => [{ apiVersion, kind, name, uid: '' }];

test("Endpoints that have an owner are not guessed to be a Service's (T-9)", () => {
  const service = object('v1', 'Service', 'web');
  const owner = object('example.com/v1', 'Thing', 't');
  const endpoints = object('v1', 'Endpoints', 'web', { owner });
  expect(names(grow([service], [service, endpoints, owner]).nodes)).toEqual(['>Service web']);
});

test('a ClusterServiceVersion belongs to the OperatorGroup of its annotation, in its own namespace (T-9)', () => {
  const api = 'operators.coreos.com/v1';
  const group = object(api, 'OperatorGroup', 'og');
  const version = object('operators.coreos.com/v1alpha1', 'ClusterServiceVersion', 'csv', {
    metadata: {
      name: 'csv',
      annotations: { 'olm.operatorGroup': 'og', 'olm.operatorNamespace': 'elsewhere' },
    },
  });
  expect(names(grow([group], [group, version]).nodes)).toEqual([
    '>OperatorGroup og',
    'og>ClusterServiceVersion csv',
  ]);
});

test('a cluster-wide parent owns namespaced children, by uid or by name, to any depth (T-9)', () => {
  const wide = { ...object('example.com/v1', 'Wide', 'w'), metadata: { name: 'w', uid: 'wide' } };
  const byUid = object('v1', 'ConfigMap', 'a', { owner: wide });
  const byName = object('v1', 'ConfigMap', 'b', {
    metadata: { name: 'b', ownerReferences: reference('example.com/v1', 'Wide', 'w') },
  });
  const below = object('v1', 'Secret', 'c', { owner: byName });
  expect(names(grow([wide], [wide, byUid, byName, below]).nodes)).toEqual([
    '>Wide w',
    'w>ConfigMap a',
    'w>ConfigMap b',
    'b>Secret c',
  ]);
});

test("a token Secret of another type is nobody's (T-9)", () => {
  const account = object('v1', 'ServiceAccount', 'sa');
  const other = object('v1', 'Secret', 's', {
    metadata: { name: 's', annotations: { 'kubernetes.io/service-account.name': 'sa' } },
  });
  expect(names(grow([account], [account, other]).nodes)).toEqual(['>ServiceAccount sa']);
});

test('a claim with an owner, or without a number, is not guessed (T-9)', () => {
  const set = object('apps/v1', 'StatefulSet', 'db', {
    spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }, {}] },
  });
  const keeper = object('example.com/v1', 'Keeper', 'k');
  const owned = object('v1', 'PersistentVolumeClaim', 'data-db-0', { owner: keeper });
  const odd = object('v1', 'PersistentVolumeClaim', 'data-db-x');
  expect(names(grow([set], [set, owned, odd, keeper]).nodes)).toEqual(['>StatefulSet db']);
});

test('an orphan is told of only where the project wants a warning (T-8)', () => {
  const nodes = grow([object('v1', 'ConfigMap', 'a')], []).nodes;
  const stray: TreeNode = { version: 'v1', kind: 'ConfigMap', namespace: 'd', name: 'stray' };
  const below: TreeNode = { ...stray, name: 'below', parentRefs: [stray] };
  expect(nodes).toEqual([]);
  expect(orphanWarning({ warn: true }, [stray, below])?.message).toContain('ConfigMap stray in');
  expect(orphanWarning({ warn: true }, [stray, { ...stray, name: 'b' }])?.message).toContain('and 1 more');
  expect(orphanWarning({ warn: true }, [stray])?.type).toBe('OrphanedResourceWarning');
  expect(orphanWarning({ warn: false }, [stray])).toBeUndefined();
  expect(orphanWarning({}, [stray])).toBeUndefined();
  expect(orphanWarning(undefined, [stray])).toBeUndefined();
  expect(orphanWarning({ warn: true }, [])).toBeUndefined();
});

test.each([
  ['an empty group is the core group only', {}, ['Thing a']],
  ['a star is any group', { group: '*' }, []],
  ['a kind by glob', { group: '*', kind: 'Th*' }, ['ConfigMap c', 'Secret a']],
  ['a name by glob', { group: '*', name: 'a*' }, ['ConfigMap c']],
  ['all of them must fit', { group: '', kind: 'Secret', name: 'b' }, ['ConfigMap c', 'Secret a', 'Thing a']],
])('an ignore rule of the project: %s (T-8)', (_name, rule, wanted) => {
  const all = [
    object('v1', 'ConfigMap', 'c'),
    object('v1', 'Secret', 'a'),
    object('example.com/v1', 'Thing', 'a'),
  ].map((one) => nodeOf(one));
  const options = { rules: { ignore: [rule] }, isOwned: () => false };
  const found = orphanedNodes(all, indexNodes(all), new Set(), options);
  expect(found.map(({ kind, name }) => `${kind} ${name}`)).toEqual(wanted);
});

test('what the project does not permit, and what Kubernetes itself brings, is no orphan (T-8)', () => {
  const all = [
    { ...object('v1', 'Service', 'kubernetes'), metadata: { name: 'kubernetes', namespace: 'default' } },
    object('v1', 'Service', 'kubernetes'),
    object('v1', 'ServiceAccount', 'default'),
    object('v1', 'Secret', 's'),
  ].map((one) => nodeOf(one));
  const options = {
    rules: {},
    isOwned: () => false,
    denies: ({ kind }: { kind: string }) => kind === 'Secret',
  };
  const found = orphanedNodes(all, indexNodes(all), new Set(), options);
  expect(found.map(({ kind, namespace }) => `${kind} ${namespace}`)).toEqual(['Service d']);
});
