import { expect, test } from 'vitest';
import {
  type Application,
  type AppProject,
  type KubeObject,
  readApplication,
  readProject,
} from '#base/model';
import { FairleadError } from '#base/std';
import { applicationHints } from './hints.ts';
import { normalizeSpec } from './normalize-spec.ts';
import { denyApplication } from './project/application.ts';
import { projectProblems, projectWarnings } from './project/check.ts';
import { effectiveProject } from './project/effective.ts';
import { identityFor } from './project/impersonation.ts';
import { integrityOf } from './project/integrity.ts';
import { denyKind } from './project/kinds.ts';
import { denyNamespace } from './project/namespaces.ts';
import { projectPolicy } from './rbac/project-policy.ts';
import { readSyncOptions } from './sync/options.ts';
import { gateAutomation } from './windows/gate.ts';

const project: KubeObject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'p' },
  spec: {
    description: 'all of it',
    sourceRepos: ['https://git.example/*', '!https://git.example/secret'],
    sourceNamespaces: ['team-*', '/^x$/'],
    destinations: [
      { server: '*', namespace: '!kube-system' },
      { name: 'c1', namespace: '*' },
    ],
    destinationServiceAccounts: [{ server: '*', namespace: '*', defaultServiceAccount: 'deployer' }],
    clusterResourceWhitelist: [{ group: '*', kind: 'Namespace', name: 'shop' }],
    clusterResourceBlacklist: [{ group: '', kind: 'Node' }],
    namespaceResourceWhitelist: [{ group: '*', kind: '*' }],
    namespaceResourceBlacklist: [{ group: '', kind: 'Secret' }],
    orphanedResources: { warn: true, ignore: [{ group: '', kind: 'Secret', name: 'x' }] },
    syncWindows: [
      { kind: 'deny', schedule: '* * * * *', duration: '1h', applications: ['*'], timeZone: 'UTC' },
    ],
    signatureKeys: [{ keyID: 'ABCD' }],
    sourceIntegrity: {
      git: { policies: [{ repos: [{ url: '*' }], gpg: { mode: 'head', keys: ['ABCD'] } }] },
    },
    roles: [
      {
        name: 'ci',
        policies: ['p, proj:p:ci, applications, sync, p/*, allow'],
        groups: ['g'],
        jwtTokens: [{ iat: 1 }],
      },
    ],
  },
};

const application: KubeObject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'a', namespace: 'team-a' },
  spec: {
    project: 'p',
    sources: [
      {
        repoURL: 'https://git.example/a',
        path: '.',
        helm: { valueFiles: ['v.yaml'], parameters: [{ name: 'a', value: 'b' }] },
      },
      {
        repoURL: 'https://git.example/b',
        path: '.',
        kustomize: { images: ['a=b'], commonLabels: { a: 'b' } },
      },
      {
        repoURL: 'https://git.example/c',
        ref: 'values',
        directory: { jsonnet: { tlas: [{ name: 'a', value: 'b' }] } },
      },
    ],
    destination: { server: 'https://c1.example', namespace: 'shop' },
    syncPolicy: {
      automated: { prune: true },
      syncOptions: ['CreateNamespace=true'],
      retry: { limit: 2, backoff: { duration: '5s', factor: 2 } },
      managedNamespaceMetadata: { labels: { a: 'b' } },
    },
    ignoreDifferences: [{ kind: 'Deployment', jsonPointers: ['/spec/replicas'], jqPathExpressions: ['.x'] }],
    info: [{ name: 'a', value: 'b' }],
    revisionHistoryLimit: 3,
  },
};

/** The object with another value at one place of its spec, for every place. */
function* mutants(object: KubeObject, value: unknown): Generator<[string, KubeObject]> {
  function* inside(part: unknown, place: string): Generator<[string, unknown]> {
    yield [place, value];
    if (typeof part !== 'object' || part === null) return;
    for (const [name, inner] of Object.entries(part)) {
      for (const [at, next] of inside(inner, `${place}.${name}`)) {
        const copy = Array.isArray(part) ? [...part] : { ...part };
        Object.assign(copy, { [name]: next });
        yield [at, copy];
      }
    }
  }
  for (const [place, spec] of inside(object.spec, 'spec')) yield [place, { ...object, spec }];
}

/** Everything a reconcile decides from the two objects before it fetches anything. */
function decideAll(app: Application, rules: AppProject): void {
  const effective = effectiveProject(rules, { globals: [rules] });
  const where = { server: 'https://c1.example', name: 'c1', namespace: 'shop' };
  projectProblems(effective);
  projectWarnings(effective, { kinds: [] });
  projectPolicy(effective);
  denyNamespace(effective, 'team-a', 'argocd');
  denyKind(effective, { group: '', kind: 'Secret', name: 'x' }, true);
  denyKind(effective, { group: '', kind: 'Node', name: 'x' }, false);
  if (!app.spec?.destination) return;
  const normal = normalizeSpec(app);
  if (!normal.unreadable) denyApplication(normal, effective, where);
  identityFor(effective, normal, where.server, { enabled: true, enforced: true });
  gateAutomation(effective, normal, new Date(0));
  applicationHints(normal, effective.spec.syncWindows);
  readSyncOptions(normal.spec.syncPolicy?.syncOptions ?? []);
  integrityOf(effective, { repoURL: 'https://git.example/a', path: '.' });
}

const wrongs = [null, 5, 'x', '', true, [], {}, [null], [5], [[]], { a: null }];

test.each(wrongs.map((value) => [JSON.stringify(value), value]))(
  '%s at any place of a project or an application breaks nothing',
  (_, value) => {
    const broken: string[] = [];
    const attempt = (place: string, run: () => void): void => {
      try {
        run();
      } catch (error) {
        if (!(error instanceof FairleadError)) broken.push(`${place}: ${String(error)}`);
      }
    };
    for (const [place, object] of mutants(project, value))
      attempt(`project ${place}`, () => decideAll(readApplication(application), readProject(object)));
    for (const [place, object] of mutants(application, value))
      attempt(`application ${place}`, () => decideAll(readApplication(object), readProject(project)));
    expect(broken).toEqual([]);
  },
);

test('a sync window that is null is passed over', () => {
  const read = readProject({ ...project, spec: { syncWindows: [null] } });
  expect(projectProblems(read)).toEqual([]);
  expect(gateAutomation(read, readApplication(application), new Date(0))).toMatchObject({ allowed: true });
});
