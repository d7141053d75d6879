import { expect, test } from 'vitest';
import type { Application, AppProject, KubeObject } from '#base/model';
import {
  denyApplication,
  denyDestination,
  denyKind,
  denySource,
  indexNodes,
  nodeOf,
  orphanedNodes,
  orphanWarning,
  projectProblems,
  projectWarnings,
  questionsToMove,
} from '#engine';
import { manifest, manifests } from './documents.ts';

// the projects of "GitOps with ArgoCD": what each lets in, and what it is told to be careful about
const projects = {
  payments: manifest<AppProject>('002/project-payments.yaml'),
  platform: manifest<AppProject>('002/project-platform.yaml'),
  production: manifest<AppProject>('002/project-production.yaml'),
  emergency: manifest<AppProject>('002/project-emergency.yaml'),
};
type Name = keyof typeof projects;
const verdict = (denied: string | undefined): string => (denied ? 'no' : 'yes');

test.each(Object.entries(projects))('the project %s is accepted', (_, project) => {
  expect(projectProblems(project)).toEqual([]);
});

test.each<[Name, string, string]>([
  ['payments', 'payments-manifests', 'yes'],
  ['payments', 'payments-manifests.git', 'yes'],
  ['payments', 'shared-charts', 'yes'],
  ['payments', 'platform-base', 'no'],
  ['payments', 'payments-manifests-fork', 'no'],
  ['platform', 'platform-base', 'yes'],
  ['platform', 'payments-manifests', 'no'],
  ['production', 'anything', 'yes'],
  ['production', 'deep/er', 'no'],
  ['emergency', 'anything', 'yes'],
])('%s may read your-org/%s: %s (P-8)', (name, repository, wanted) => {
  expect(verdict(denySource(projects[name], `https://github.com/your-org/${repository}`))).toBe(wanted);
});

const here = 'https://kubernetes.default.svc';
const prod = 'https://prod-cluster.example.com';

test.each<[Name, string, string, string]>([
  ['payments', here, 'payments-dev', 'yes'],
  ['payments', here, 'payments-staging', 'yes'],
  ['payments', prod, 'payments-prod', 'yes'],
  ['payments', here, 'payments-prod', 'no'],
  ['payments', prod, 'payments-dev', 'no'],
  ['payments', here, 'kube-system', 'no'],
  ['platform', here, 'monitoring', 'yes'],
  ['platform', prod, 'monitoring', 'no'],
  ['platform', prod, 'argocd', 'yes'],
  ['production', here, 'anywhere', 'yes'],
  ['production', prod, 'anywhere', 'no'],
])('%s may deploy to %s, namespace %s: %s (P-10)', (name, server, namespace, wanted) => {
  expect(verdict(denyDestination(projects[name], { server, name: '', namespace }))).toBe(wanted);
});

test.each<[Name, string, 'namespaced' | 'cluster-wide', string]>([
  ['payments', 'apps/Deployment', 'namespaced', 'yes'],
  ['payments', '/ResourceQuota', 'namespaced', 'no'],
  ['payments', '/LimitRange', 'namespaced', 'no'],
  // the document means this one to be denied, but names the core group
  ['payments', 'networking.k8s.io/NetworkPolicy', 'namespaced', 'yes'],
  ['payments', '/Namespace', 'cluster-wide', 'no'],
  ['payments', 'rbac.authorization.k8s.io/ClusterRole', 'cluster-wide', 'no'],
  ['platform', '/Namespace', 'cluster-wide', 'yes'],
  ['platform', 'rbac.authorization.k8s.io/ClusterRoleBinding', 'cluster-wide', 'yes'],
  ['platform', 'networking.k8s.io/IngressClass', 'cluster-wide', 'yes'],
  ['platform', 'apiextensions.k8s.io/CustomResourceDefinition', 'cluster-wide', 'no'],
])('%s may have %s, which is %s: %s (P-14, X-24)', (name, what, scope, wanted) => {
  const [group = '', kind = ''] = what.split('/');
  const denied = denyKind(projects[name], { group, kind, name: 'x' }, scope === 'namespaced');
  expect(verdict(denied)).toBe(wanted);
});

test('a rule for a kind that no cluster has is told, with the group that was meant (X-24)', () => {
  const kinds = [
    { group: '', kind: 'ResourceQuota' },
    { group: '', kind: 'LimitRange' },
    { group: 'networking.k8s.io', kind: 'NetworkPolicy' },
  ];
  expect(projectWarnings(projects.payments, { kinds })).toEqual([
    'spec.namespaceResourceBlacklist names core/NetworkPolicy, which no cluster has; did you mean networking.k8s.io/NetworkPolicy?',
  ]);
});

test('an application of payments that aims at kube-system is refused, and told how to be let in', () => {
  const app = manifest<Application>('002/app-basic.yaml');
  const stray: Application = {
    ...app,
    spec: { ...app.spec, destination: { server: here, namespace: 'kube-system' } },
  };
  const found = denyApplication(stray, projects.payments, {
    server: here,
    name: '',
    namespace: 'kube-system',
  });
  expect(found.map(({ type, message }) => `${type}: ${message}`)).toEqual([
    'InvalidSpecError: project team-payments does not permit the repository https://github.com/your-org/my-app-manifests; add it to spec.sourceRepos',
    `InvalidSpecError: project team-payments does not permit namespace "kube-system" on ${here}; add it to spec.destinations`,
  ]);
});

test('what nobody declares is warned of in payments, but for what every namespace has (T-8)', () => {
  const { orphanedResources: rules } = projects.payments.spec;
  if (!rules) throw new Error('the document asks for orphans');
  const configMap = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'payments-dev', uid: name },
  });
  const nodes = [configMap('kube-root-ca.crt'), configMap('leftover')].map((object) => nodeOf(object));
  const orphans = orphanedNodes(nodes, indexNodes(nodes), new Set(), { rules, isOwned: () => false });
  expect(orphans.map(({ name }) => name)).toEqual(['leftover']);
  expect(orphanWarning(rules, orphans)?.type).toBe('OrphanedResourceWarning');
  expect(orphanWarning({ ...rules, warn: false }, orphans)).toBeUndefined();
});

test('the canary’s manifests may all be deployed by production, and its cluster-wide role by none but platform', () => {
  for (const { apiVersion, kind, metadata } of manifests('002/rollout-canary.yaml')) {
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    expect(denyKind(projects.production, { group, kind, name: metadata.name }, true)).toBeUndefined();
  }
  const role = { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'argocd-manager-role' };
  const answers = Object.values(projects).map((project) => verdict(denyKind(project, role, false)));
  expect(answers).toEqual(['no', 'yes', 'no', 'no']);
});

test('moving an application to the emergency project asks for both sides, and that project must let it in (X-52)', () => {
  const app = manifest<Application>('002/app-with-retry.yaml');
  expect(
    questionsToMove(
      { name: 'my-app-prod', namespace: 'argocd' },
      ['production', 'emergency-override'],
      'argocd',
    ),
  ).toEqual([
    { resource: 'applications', action: 'update', object: 'production/my-app-prod' },
    { resource: 'applications', action: 'create', object: 'emergency-override/my-app-prod' },
  ]);
  const destination = { server: here, name: 'in-cluster', namespace: 'my-app-prod' };
  expect(denyApplication(app, projects.emergency, destination)).toEqual([]);
  expect(denyApplication(app, projects.emergency, { ...destination, server: prod, name: '' })).toHaveLength(
    1,
  );
});
