import { expect, test } from 'vitest';
import type { Application, AppProject, KubeObject, ProjectSpec } from '#model';
import { cases } from '../../test/cases.ts';
import {
  denyApplication,
  denyDestination,
  denyKind,
  denyNamespace,
  denyObject,
  denySource,
  effectiveProject,
  projectWarnings,
  type ResolvedDestination,
} from './permit.ts';

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

test.each(cases<string | null>(new URL('./testdata/permit/', import.meta.url)))(
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

test('what a project asks for and we cannot do is said (P-8, P-19, P-40)', () => {
  expect(
    projectWarnings(
      projectOf({ syncWindows: [{ kind: 'deny' }], signatureKeys: [{ keyID: 'x' }], sourceRepos: ['!a'] }),
    ),
  ).toEqual([
    'not supported yet: sync windows',
    'not supported yet: source integrity',
    'spec.sourceRepos holds only denials, which permits every other repository; add what you mean to permit',
  ]);
  expect(projectWarnings(projectOf({ sourceRepos: ['*'] }))).toEqual([]);
});
