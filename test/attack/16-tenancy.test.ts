import { expect, test } from 'vitest';
import {
  type Application,
  defaultSettings,
  inCluster,
  type KubeObject,
  type ProjectSpec,
  readApplication,
  readProject,
  type Settings,
} from '#base/model';
import { realClock, silent } from '#base/std';
import { type ComparisonDeps, generateManifests, resolveDestination } from '#control/comparison';
import type { LiveCluster } from '#control/live';

// Attack 16: an application that claims another project, leaves its destinations, or brings kinds that are not its own.

const permissive: ProjectSpec = { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] };

type Attempt = {
  readonly project?: unknown;
  readonly global?: unknown;
  readonly namespace?: string;
  readonly spec?: object;
  readonly deletionTimestamp?: string;
  readonly clusterProject?: string;
  readonly impersonation?: Settings['impersonation'];
};

const objectOf = (kind: string, metadata: KubeObject['metadata'], spec: unknown): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind,
  metadata,
  spec,
});

/** What the controller and the server decide of an application before either does anything for it. */
function placed(attempt: Attempt) {
  const { project = permissive, global, namespace = 'argocd', spec = {}, clusterProject = '' } = attempt;
  const { deletionTimestamp } = attempt;
  const stored = new Map(
    [
      objectOf('AppProject', { name: 'bank', labels: { tier: 'gold' } }, project),
      ...(global === undefined ? [] : [objectOf('AppProject', { name: 'rules' }, global)]),
    ].map((one) => [one.metadata.name, readProject(one)]),
  );
  const asUsers: string[] = [];
  const kube = { as: (user: string) => asUsers.push(user) && kube };
  const record = { ...inCluster, project: clusterProject };
  const cluster = { server: 'https://c1.example', name: 'c1', record, kube } as unknown as LiveCluster;
  const app: Application = readApplication(
    objectOf(
      'Application',
      { name: 'web', namespace, ...(deletionTimestamp && { deletionTimestamp }) },
      {
        project: 'bank',
        source: { repoURL: 'https://git.example/bank/apps', path: '.' },
        destination: { name: 'c1', namespace: 'bank-web' },
        ...spec,
      },
    ),
  );
  const found = resolveDestination(
    {
      clusters: { resolve: () => cluster },
      projects: { get: (_, name) => stored.get(name) },
      scripts: { judge: async () => () => undefined, run: async () => undefined },
      settings: () => ({
        ...defaultSettings,
        ...(attempt.impersonation && { impersonation: attempt.impersonation }),
        globalProjects: [{ projectName: 'rules', labelSelector: { matchLabels: { tier: 'gold' } } }],
      }),
      namespace: 'argocd',
    },
    app,
  );
  const refused =
    'conditions' in found ? found.conditions.map(({ message }) => message).join('\n') : undefined;
  return { app, refused, destination: 'destination' in found ? found.destination : undefined, asUsers };
}

const to = (...destinations: object[]): object => ({ ...permissive, destinations });
const from = (...sourceRepos: string[]): object => ({ ...permissive, sourceRepos });
const lets = (...sourceNamespaces: string[]): object => ({ ...permissive, sourceNamespaces });

test.each<[string, Attempt]>([
  ['an application of another namespace claims the project', { namespace: 'team-a' }],
  ['its namespace is only a part of a permitted one', { namespace: 'team', project: lets('team-a') }],
  ['its namespace differs in case', { namespace: 'Team-a', project: lets('team-*') }],
  ['its namespace is let in by an open brace alone', { namespace: 'team-b', project: lets('team-{a,b') }],
  ['its namespace is let in by a look-ahead alone', { namespace: 'team-a', project: lets('/^team-(?!b)/') }],
  ['its namespace is let in by two slashes alone', { namespace: 'team-a', project: lets('//') }],
  ['a global project lets its namespace in', { namespace: 'team-a', global: { sourceNamespaces: ['*'] } }],
  ['its project does not exist', { spec: { project: 'nothing' } }],
  ['its project cannot be read', { project: { ...permissive, namespaceResourceBlacklist: 'Secret' } }],
  ['a global project cannot be read', { global: { clusterResourceBlacklist: 5 } }],
  ['no destination is listed', { project: to() }],
  ['the namespace is another', { project: to({ server: '*', namespace: 'shop' }) }],
  [
    'the namespace is denied',
    { project: to({ server: '*', namespace: '*' }, { server: '*', namespace: '!bank-*' }) },
  ],
  [
    'the cluster is denied by name',
    { project: to({ server: '*', namespace: '*' }, { name: '!c1', namespace: 'x' }) },
  ],
  [
    'the cluster is denied by address',
    { project: to({ server: '*', namespace: '*' }, { server: '!https://c1.*', namespace: '*' }) },
  ],
  [
    'a denial has an open brace',
    { project: to({ server: '*', namespace: '*' }, { server: '*', namespace: '!{bank-web,x' }) },
  ],
  ['the address has a slash more', { project: to({ server: 'https://c1.example/', namespace: '*' }) }],
  ['the address has the default port', { project: to({ server: 'https://c1.example:443', namespace: '*' }) }],
  ['the address differs in case', { project: to({ server: 'https://C1.example', namespace: '*' }) }],
  ['the address is an IPv6 range of one', { project: to({ server: 'https://[::1]', namespace: '*' }) }],
  ['the only entry has an open brace', { project: to({ server: '*{', namespace: '*' }) }],
  ['the only entry has an empty brace', { project: to({ server: '{}*', namespace: '*' }) }],
  ['the only entry has an open range', { project: to({ server: '*', namespace: 'bank-[a-z' }) }],
  [
    'the cluster is scoped to another project',
    { project: { ...permissive, permitOnlyProjectScopedClusters: true }, clusterProject: 'shop' },
  ],
  ['no repository is listed', { project: from() }],
  ['the repository is deeper than the star', { project: from('https://git.example/*') }],
  ['the repository is denied in another case', { project: from('*', '!https://GIT.example/bank/**') }],
  [
    'the repository is denied without its ending',
    { project: from('*', '!https://git.example/bank/apps.git') },
  ],
  ['the repository is denied by an open brace', { project: from('*', '!https://git.example/bank/{apps,x') }],
  [
    'one of several sources is not permitted',
    {
      project: from('https://git.example/bank/*'),
      spec: {
        sources: [
          { repoURL: 'https://git.example/bank/a', path: '.' },
          { repoURL: 'https://git.example/shop/b', path: '.' },
        ],
      },
    },
  ],
])('%s: it is refused', (_, attempt) => {
  expect(placed(attempt).refused).toBeDefined();
});

test.each<[string, Attempt]>([
  ['everything is permitted', {}],
  ['its namespace is let in', { namespace: 'team-a', project: lets('team-*') }],
  ['by name', { project: to({ name: 'c1', namespace: 'bank-*' }) }],
  ['by address', { project: to({ server: 'https://c1.example', namespace: 'bank-web' }) }],
  [
    'the cluster is scoped to its project',
    { project: { ...permissive, permitOnlyProjectScopedClusters: true }, clusterProject: 'bank' },
  ],
])('%s: it is placed', (_, attempt) => {
  expect(placed(attempt).refused).toBeUndefined();
});

const manifest = (apiVersion: string, kind: string, namespace?: string, name = 'x'): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace && { namespace }) },
});

const guarded: ProjectSpec = {
  ...permissive,
  destinations: [{ server: '*', namespace: 'bank-*' }],
  clusterResourceWhitelist: [{ group: '', kind: 'Namespace', name: 'bank-*' }],
  namespaceResourceBlacklist: [
    { group: '', kind: 'Secret' },
    { group: 'rbac.authorization.k8s.io', kind: '*' },
  ],
};

test.each<[string, KubeObject, boolean]>([
  ['a denied kind', manifest('v1', 'Secret', 'bank-web'), true],
  ['a denied kind in another version', manifest('v9alpha1', 'Secret', 'bank-web'), true],
  [
    'a denied group in another version',
    manifest('rbac.authorization.k8s.io/v1beta1', 'Role', 'bank-web'),
    true,
  ],
  ['a cluster-wide kind that is not listed', manifest('rbac.authorization.k8s.io/v1', 'ClusterRole'), false],
  [
    'a cluster-wide kind that carries a namespace',
    manifest('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'bank-web'),
    false,
  ],
  [
    'a cluster-wide kind of a listed name in another group',
    manifest('example.com/v1', 'Namespace', undefined, 'bank-a'),
    false,
  ],
  [
    'a listed cluster-wide kind of another name',
    manifest('v1', 'Namespace', undefined, 'kube-system'),
    false,
  ],
  ['an object in another namespace', manifest('v1', 'ConfigMap', 'kube-system'), true],
])('%s is denied', (_, object, namespaced) => {
  const { destination } = placed({ project: guarded });
  expect(destination?.denies(object, namespaced)).toMatch(/denies|does not permit/);
});

test.each<[string, KubeObject, boolean]>([
  ['a kind that is not denied', manifest('v1', 'ConfigMap', 'bank-web'), true],
  ['another group with a kind of that name', manifest('example.com/v1', 'Secret', 'bank-web'), true],
  ['a listed cluster-wide kind', manifest('v1', 'Namespace', undefined, 'bank-web'), false],
])('%s is permitted', (_, object, namespaced) => {
  const { destination } = placed({ project: guarded });
  expect(destination).toBeDefined();
  expect(destination?.denies(object, namespaced)).toBeUndefined();
});

const account = (server: string, namespace: string, defaultServiceAccount: string): object => ({
  ...permissive,
  destinationServiceAccounts: [{ server, namespace, defaultServiceAccount }],
});
const lax = { enabled: true, enforced: false };

test.each<[string, Attempt]>([
  ['an unreadable server', { project: account('https://[', '*', 'deployer'), impersonation: lax }],
  ['an unreadable namespace', { project: account('*', 'bank-{web', 'deployer'), impersonation: lax }],
  ['a name that is a pattern', { project: account('*', '*', '*'), impersonation: lax }],
  [
    'no entry, where one is needed',
    { project: permissive, impersonation: { enabled: true, enforced: true } },
  ],
])('with %s for a service account nothing is written', (_, attempt) => {
  expect(() => placed(attempt).destination?.writer()).toThrow(/destinationServiceAccounts/);
});

test('a repository that the project does not permit is not read for an application that is being deleted, nor for an operation', async () => {
  const foreign = { repoURL: 'https://git.example/shop/private', path: '.' };
  const project = from('https://git.example/bank/*');
  const deleted = placed({ project, spec: { source: foreign }, deletionTimestamp: '2026-06-01T08:00:00Z' });
  const present = placed({ project });
  const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  for (const [{ app, destination }, options] of [
    [deleted, {}],
    [present, { sources: [foreign] }],
  ] as const) {
    if (!destination) throw new Error('the destination is permitted');
    await expect(
      generateManifests(
        ctx,
        {} as ComparisonDeps,
        { app, destination },
        { resolve: 'cached', hard: false, ...options },
      ),
    ).rejects.toThrow('project bank does not permit the repository https://git.example/shop/private');
  }
});

test('with an account nothing is written as the controller', () => {
  const { destination, asUsers } = placed({
    project: account('*', 'bank-*', 'deployer'),
    impersonation: lax,
  });
  destination?.writer();
  expect(asUsers).toEqual(['system:serviceaccount:bank-web:deployer']);
});
