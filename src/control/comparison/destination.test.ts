import { expect, test } from 'vitest';
import {
  type Application,
  type AppProject,
  defaultProjectSpec,
  defaultSettings,
  inCluster,
  type KubeObject,
  type ProjectSpec,
} from '#base/model';
import type { LiveCluster } from '#control/live';
import { type AppDestination, resolveDestination } from './destination.ts';

const projectOf = (spec: Partial<ProjectSpec>): AppProject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'team' },
  spec: { ...defaultProjectSpec, ...spec },
});
const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app', namespace: 'argocd' },
  spec: {
    project: 'team',
    source: { repoURL: 'https://git.example/apps', path: 'a' },
    destination: { name: 'far', namespace: 'shop' },
  },
};
const objectOf = (apiVersion: string, kind: string, namespace?: string): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'a', ...(namespace && { namespace }) },
});
const configMap = objectOf('v1', 'ConfigMap', 'shop');

function placed(project: AppProject, clusterProject = ''): AppDestination {
  const record = { ...inCluster, project: clusterProject };
  const cluster = { server: 'https://far.example', name: 'far', record } as LiveCluster;
  const found = resolveDestination(
    {
      clusters: { resolve: () => cluster },
      projects: { get: () => project },
      scripts: { judge: async () => () => undefined, run: async () => undefined },
      settings: () => defaultSettings,
      namespace: 'argocd',
    },
    app,
  );
  if ('conditions' in found) throw new Error(found.conditions.map(({ message }) => message).join());
  return found.destination;
}

test('a project of its own clusters permits what goes to one of them (P-13)', () => {
  const own = projectOf({ permitOnlyProjectScopedClusters: true });
  expect(placed(own, 'team').denies(configMap, true)).toBeUndefined();
  expect(() => placed(own, 'other')).toThrow('permits only clusters scoped to it');
});

test('a project is asked anew for every kind, namespace and cluster-wide name, and after it was changed (P-17)', () => {
  const project = projectOf({
    namespaceResourceBlacklist: [{ group: '', kind: 'Secret' }],
    clusterResourceWhitelist: [{ group: '', kind: 'Namespace', name: 'a' }],
    destinations: [{ server: '*', namespace: 'shop' }],
  });
  for (const { denies } of [placed(project), placed(project)]) {
    expect(denies(configMap, true)).toBeUndefined();
    expect(denies(objectOf('v1', 'ConfigMap', 'other'), true)).toMatch('does not permit namespace "other"');
    expect(denies(objectOf('v1', 'Secret', 'shop'), true)).toMatch('denies core/Secret');
    expect(denies(objectOf('v1', 'Namespace'), false)).toBeUndefined();
    const other = { ...objectOf('v1', 'Namespace'), metadata: { name: 'b' } };
    expect(denies(other, false)).toMatch('does not permit core/Namespace');
  }
  const changed = projectOf({ namespaceResourceBlacklist: [{ group: '', kind: 'ConfigMap' }] });
  expect(placed(changed).denies(configMap, true)).toMatch('denies core/ConfigMap');
});
