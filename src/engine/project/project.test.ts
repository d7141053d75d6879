import { expect, test } from 'vitest';
import type { Application, AppProject, KubeObject, ProjectSpec } from '#base/model';
import { cases } from '../../../test/cases.ts';
import { denyApplication } from './application.ts';
import { projectProblems, projectWarnings } from './check.ts';
import { denyProjectDeletion } from './deletion.ts';
import { denyDestination, denyInCluster, type ResolvedDestination } from './destinations.ts';
import { effectiveProject, globalsOf } from './effective.ts';
import { identityFor, type SyncIdentity } from './impersonation.ts';
import { denyLocalManifests, type IntegrityRule, integrityOf } from './integrity.ts';
import { denyKind, denyObject } from './kinds.ts';
import { denyNamespace, isApplicationNamespace } from './namespaces.ts';
import { denySource } from './sources.ts';

type Ask = {
  source?: string;
  destination?: ResolvedDestination;
  kind?: { group: string; kind: string; name: string };
  object?: KubeObject;
  namespaced?: boolean;
  namespace?: string;
};
const projectOf = (spec: ProjectSpec, name = 'p'): AppProject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name },
  spec,
});

function answer(
  project: AppProject,
  { source, destination, kind, object, namespaced = true, namespace = '' }: Ask,
) {
  if (source) return denySource(project, source);
  if (destination) return denyDestination(project, destination);
  if (kind) return denyKind(project, kind, namespaced);
  if (object) return denyObject(project, object, namespaced, { server: 'https://c1.example', name: 'c1' });
  return denyNamespace(project, namespace, 'argocd');
}

test.each(cases<string | null>(new URL('./testdata/deny/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { project, globals = [], repositories, clusters, ask } = input[0];
    const effective = effectiveProject(projectOf(project), {
      repositories,
      clusters,
      globals: globals.map((spec: ProjectSpec) => projectOf(spec, 'global')),
    });
    expect(answer(effective, ask) ?? null).toBe(wanted);
  },
);

test('an application is told everything its project has against it (A-18)', () => {
  const app = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'app' },
    spec: {
      sources: [
        { repoURL: 'https://a.example/r', path: '.' },
        { repoURL: 'https://b.example/r', path: '.' },
      ],
      destination: { name: 'c1', namespace: 'apps' },
    },
  } satisfies Application;
  const found = denyApplication(app, projectOf({ sourceRepos: ['https://a.example/*'] }), {
    server: 's',
    name: 'c1',
    namespace: 'apps',
  });
  expect(found).toEqual([
    {
      type: 'InvalidSpecError',
      message: 'project p does not permit the repository https://b.example/r; add it to spec.sourceRepos',
    },
    {
      type: 'InvalidSpecError',
      message: 'project p does not permit namespace "apps" on c1; add it to spec.destinations',
    },
  ]);
});

test('a destination that an entry denies is told by which, as adding another would not help (P-11)', () => {
  const destinations = [
    { server: '*', namespace: '*' },
    { server: '*', namespace: '!team-secret' },
  ];
  const at = (namespace: string) =>
    denyDestination(projectOf({ destinations }), { server: 'https://c.example', name: 'c1', namespace });
  expect(at('team-secret')).toBe(
    'project p does not permit namespace "team-secret" on c1; the entry server "*", namespace "!team-secret" of ' +
      'spec.destinations denies it, whatever else is permitted; change that entry',
  );
  expect(at('team-open')).toBeUndefined();
});

test('what a project may not have meant is said (P-8, P-19)', () => {
  expect(
    projectWarnings(
      projectOf({ signatureKeys: [{ keyID: 'x' }], sourceIntegrity: { git: {} }, sourceRepos: ['!a'] }),
    ),
  ).toEqual([
    'spec.signatureKeys is ignored beside spec.sourceIntegrity.git; move its keys there',
    'spec.sourceRepos holds only denials, which permits every other repository; add what you mean to permit',
  ]);
  expect(projectWarnings(projectOf({ sourceRepos: ['*'] }))).toEqual([]);
  const windows = [{ kind: 'deny' as const, schedule: '@daily', duration: '1h', applications: ['*'] }];
  expect(projectWarnings(projectOf({ syncWindows: windows }))).toHaveLength(1);
});

test('a kind that no cluster has is told, with the one that was meant (P-18, X-24)', () => {
  const spec: ProjectSpec = {
    namespaceResourceBlacklist: [
      { group: '', kind: 'NetworkPolicy' },
      { group: '', kind: 'Pod' },
      { group: 'apps', kind: '*' },
    ],
    clusterResourceWhitelist: [{ group: '*', kind: 'Gizmo' }],
  };
  const kinds = [
    { group: 'networking.k8s.io', kind: 'NetworkPolicy' },
    { group: '', kind: 'Pod' },
    { group: 'apps', kind: 'Deployment' },
  ];
  expect(projectWarnings(projectOf(spec), { kinds })).toEqual([
    'spec.clusterResourceWhitelist names */Gizmo, which no cluster has; the rule never matches',
    'spec.namespaceResourceBlacklist names core/NetworkPolicy, which no cluster has; did you mean networking.k8s.io/NetworkPolicy?',
  ]);
  expect(projectWarnings(projectOf(spec))).toEqual([]);
});

test('global projects are found by labels, in their order, and never the project itself (P-2)', () => {
  const named = (name: string, labels = {}) => ({
    ...projectOf({}, name),
    metadata: { name, labels },
  });
  const all = new Map(['g1', 'g2', 'g3'].map((name) => [name, named(name, { team: 'shop' })]));
  const configured = [
    { projectName: 'g2', labelSelector: { matchLabels: { team: 'shop' } } },
    { projectName: 'gone', labelSelector: {} },
    { projectName: 'g1', labelSelector: {} },
    { projectName: 'g3', labelSelector: { matchLabels: { team: 'bank' } } },
    { projectName: 'g3', labelSelector: { matchLabels: { 'not a label!': 'x' } } },
  ];
  const globals = (project: AppProject) =>
    globalsOf(project, configured, (name) => all.get(name)).map(({ metadata }) => metadata.name);
  expect(globals(named('p', { team: 'shop' }))).toEqual(['g2', 'g1']);
  expect(globals(named('p'))).toEqual(['g1']);
  expect(globals(named('g1', { team: 'shop' }))).toEqual(['g2']);
});

test('what a global project must not hand down stays at home (P-2)', () => {
  const global = projectOf({
    roles: [{ name: 'r' }],
    orphanedResources: { warn: true },
    sourceNamespaces: ['*'],
    signatureKeys: [{ keyID: 'x' }],
    sourceIntegrity: { git: {} },
    permitOnlyProjectScopedClusters: true,
    syncWindows: [{ kind: 'deny' }],
    destinationServiceAccounts: [{ server: '*', defaultServiceAccount: 'a' }],
  });
  expect(effectiveProject(projectOf({}), { globals: [global] }).spec).toEqual({
    syncWindows: [{ kind: 'deny' }],
    destinationServiceAccounts: [{ server: '*', defaultServiceAccount: 'a' }],
  });
});

test('scoped repositories and clusters come before what global projects add (P-1)', () => {
  const effective = effectiveProject(projectOf({ sourceRepos: ['own'] }), {
    repositories: ['scoped'],
    clusters: [{ server: 'https://c1', namespaces: ['a', 'b'] }],
    globals: [projectOf({ sourceRepos: ['global'], destinations: [{ server: '*' }] })],
  });
  expect(effective.spec.sourceRepos).toEqual(['own', 'scoped', 'global']);
  expect(effective.spec.destinations).toEqual([
    { server: 'https://c1', namespace: 'a' },
    { server: 'https://c1', namespace: 'b' },
    { server: '*' },
  ]);
});

test.each([
  ['argocd', [], true],
  ['team-a', [], false],
  ['team-a', ['team-*'], true],
  ['team-a', ['/^team-[a-c]$/'], true],
  ['my-team-a', ['/team-[a-c]/'], true],
  ['team-d', ['/^team-[a-c]$/'], false],
  ['team-a', ['/team-(/'], false],
  ['team-a', ['/', '//'], false],
])(
  'applications in namespace %s are looked at where %j is enabled: %j (A-3)',
  (namespace, enabled, wanted) => {
    expect(isApplicationNamespace(namespace, 'argocd', enabled)).toBe(wanted);
  },
);

const appIn = (namespace: string, project: string): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'web', namespace },
  spec: { project, destination: { namespace: 'shop' } },
});

test('a project stays while an application it lets in refers to it (P-3, P-4)', () => {
  const deny = (project: AppProject, ...apps: Application[]) => denyProjectDeletion(project, apps, 'argocd');
  expect(deny(projectOf({}), appIn('argocd', 'other'))).toBeUndefined();
  expect(deny(projectOf({}), appIn('team', 'p'))).toBeUndefined();
  expect(deny(projectOf({ sourceNamespaces: ['team'] }), appIn('team', 'p'))).toBe(
    'project p is used by application team/web; move or delete it first',
  );
  expect(deny(projectOf({}), appIn('argocd', 'p'))).toContain('argocd/web');
  expect(deny(projectOf({}, 'default'))).toContain('cannot be deleted');
});

test('the cluster we run in can be switched off (A-15)', () => {
  expect(denyInCluster('https://kubernetes.default.svc', true)).toBeUndefined();
  expect(denyInCluster('https://c1.example', false)).toBeUndefined();
  expect(denyInCluster('https://kubernetes.default.svc', false)).toContain('cluster.inClusterEnabled');
});

test.each(cases<IntegrityRule | null>(new URL('./testdata/integrity/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { project, source } = input[0];
    expect(integrityOf(projectOf(project), source) ?? null).toEqual(wanted);
  },
);

test('local manifests are refused where commits must be signed (P-19)', () => {
  const project = projectOf({ signatureKeys: [{ keyID: 'x' }] });
  const git = { repoURL: 'https://git.example/r', path: '.' };
  const chart = { repoURL: 'https://charts.example', chart: 'web' };
  expect(denyLocalManifests(project, [chart, git])).toContain('https://git.example/r');
  expect(denyLocalManifests(project, [chart])).toBeUndefined();
});

test.each(cases<SyncIdentity>(new URL('./testdata/identity/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { accounts, destination, namespace = 'argocd', enabled = true, enforced = true } = input[0];
    const app = { ...appIn(namespace, 'p'), spec: { destination } };
    const project = projectOf({ destinationServiceAccounts: accounts });
    expect(identityFor(project, app, 'https://c1.example', { enabled, enforced })).toEqual(wanted);
  },
);

test.each(cases<string[]>(new URL('./testdata/check/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    expect(projectProblems(projectOf(input[0].project))).toEqual(wanted);
  },
);

test('a hydrator must be permitted where it reads and where it writes (P-9)', () => {
  const app: Application = {
    ...appIn('argocd', 'p'),
    spec: {
      destination: { namespace: 'shop' },
      sourceHydrator: {
        drySource: { repoURL: 'https://dry.example/r', path: '.' },
        syncSource: { repoURL: 'https://wet.example/r', targetBranch: 'main', path: 'out' },
      },
    },
  };
  const destinations = [{ server: '*', namespace: '*' }];
  const deny = (...sourceRepos: string[]) =>
    denyApplication(app, projectOf({ sourceRepos, destinations }), {
      server: 's',
      name: 'c',
      namespace: 'shop',
    }).map(({ message }) => /https:..(dry|wet)/.exec(message)?.[1]);
  expect(deny('https://dry.example/*')).toEqual(['wet']);
  expect(deny('https://wet.example/*')).toEqual(['dry']);
  expect(deny('https://wet.example/*', 'https://dry.example/*')).toEqual([]);
});

test('the scope of an object is what its cluster says of its kind, not what it happens to carry (P-16)', () => {
  const cluster = { server: 'https://c1.example', name: 'c1' };
  const project = projectOf({
    clusterResourceWhitelist: [{ group: '', kind: 'Namespace' }],
    namespaceResourceWhitelist: [{ group: '', kind: 'ConfigMap' }],
    destinations: [{ server: '*', namespace: 'shop' }],
  });
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  expect(denyObject(project, map, true, cluster)).toBeUndefined();
  expect(denyObject(project, map, false, cluster)).toContain('clusterResourceWhitelist');
  const stray = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', namespace: 'elsewhere' } };
  expect(denyObject(project, stray, false, cluster)).toBeUndefined();
});

test('an application is moved where its new project permits its source and destination (X-52)', () => {
  const app = {
    ...appIn('argocd', 'emergency'),
    spec: { source: { repoURL: 'https://a.example/r', path: '.' }, destination: { namespace: 'shop' } },
  };
  const place = { server: 's', name: 'c', namespace: 'shop' };
  const open = { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] };
  expect(denyApplication(app, projectOf(open, 'emergency'), place)).toEqual([]);
  expect(denyApplication(app, projectOf({}, 'emergency'), place)).toHaveLength(2);
});
