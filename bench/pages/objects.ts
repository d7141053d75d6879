import type { KubeObject } from '#base/model';

const skip = { 'argocd.argoproj.io/skip-reconcile': 'true' };
const namespace = 'bench';

/** The name of the application with a large tree. */
export const large = 'large';

const healths = ['Healthy', 'Healthy', 'Healthy', 'Healthy', 'Progressing', 'Degraded'];

type Resource = { readonly kind: string; readonly name: string };

/** An application as a controller left it: compared, healthy in the most, with resources and a history. */
export function applicationOf(name: string, at: number, resources: readonly Resource[]): KubeObject {
  const source = { repoURL: `https://git.example/org/repo-${at % 400}.git`, path: `deploy/${at}` };
  const health = { status: healths[at % healths.length] };
  const revision = String(at).padStart(40, '0');
  const history = Array.from({ length: 5 }, (_, id) => ({ id, revision, deployedAt: time, source }));
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd', annotations: skip, labels: { team: `team-${at % 40}` } },
    spec: {
      project: 'default',
      source,
      destination: { server: 'https://kubernetes.default.svc', namespace },
    },
    status: {
      sync: { status: at % 9 === 0 ? 'OutOfSync' : 'Synced', revision },
      health,
      history,
      reconciledAt: time,
      resources: resources.map((one) => ({ version: 'v1', ...one, namespace, status: 'Synced', health })),
    },
  };
}

const time = '2026-01-01T00:00:00Z';

/** What an ordinary application has. */
export const fewResources: readonly Resource[] = Array.from({ length: 30 }, (_, at) => ({
  kind: at % 3 === 0 ? 'Service' : 'ConfigMap',
  name: `resource-${at}`,
}));

export const configMap = (name: string, owner?: KubeObject): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace,
    ...(owner && {
      ownerReferences: [
        { apiVersion: 'v1', kind: 'ConfigMap', name: owner.metadata.name, uid: owner.metadata.uid ?? '' },
      ],
    }),
  },
});

export const benchNamespace: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: namespace },
};
