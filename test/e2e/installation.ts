import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '#base/model';
import { dataOf, fragment, manifest } from '../seeds/documents.ts';

// Seeds 000, 001 and 003 in one repository and one set of settings, as their readers would put them together.

type Row = { readonly wave: number; readonly kind: string; readonly names: readonly string[] };
type Config = { readonly configs: Record<string, Record<string, string>> };

const components = join(import.meta.dirname, '../../examples/bootstrap/components');
const component = (path: string): string => readFileSync(join(components, path), 'utf8');
const text = (value: unknown): string => JSON.stringify(value);

const configMap = (namespace: string, name: string, data: Record<string, string>): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data }) as KubeObject;

/** Every setting of the three documents: argocd-cm, argocd-cmd-params-cm and the network settings of Knative. */
export function settings(): readonly KubeObject[] {
  const { global } = fragment<{ global: Record<string, string> }>('003/ignore-map.yaml');
  const cm = {
    ...dataOf('001/argocd-cm.yaml'),
    ...fragment('003/health-application.yaml'),
    ...fragment<Config>('003/server-side-diff.yaml').configs.cm,
    ...fragment<Config>('003/reconciliation.yaml').configs.cm,
    ...global,
  };
  const params = fragment<Config>('003/controller-performance.yaml').configs.params ?? {};
  const { spec } = fragment<{ spec: { config: { network: Record<string, string> } } }>(
    '000/network-config.yaml',
  );
  return [
    configMap('argocd', 'argocd-cm', cm),
    configMap('argocd', 'argocd-cmd-params-cm', params),
    configMap('knative-serving', 'config-network', spec.config.network),
  ];
}

const { syncOptions } = fragment<{ syncOptions: string[] }>('003/sync-options.yaml');
const ignored = fragment<{ ignoreDifferences: object[] }>('003/ignore-differences.yaml').ignoreDifferences;
const runtimeOwned = fragment<{ ignoreDifferences: object[] }>(
  '000/ignore-differences.yaml',
).ignoreDifferences;
const ignoreMap = fragment<Record<string, object[]>>('003/ignore-map.yaml');
const waves = fragment<Row[]>('003/waves.yaml');

/** Applications of the last wave, with the folder of each: the Knative Services of seeds 000 and 001. */
const services: Readonly<Record<string, { path: string; ignores: readonly object[] }>> = {
  'import-staging': { path: 'apps/product-import/overlays/staging', ignores: runtimeOwned },
  'import-production': { path: 'apps/product-import/overlays/production', ignores: runtimeOwned },
  agent: { path: 'apps/agent', ignores: runtimeOwned },
  // declared traffic is not ignored: Git owns it
  'import-blue-green': { path: 'apps/blue-green', ignores: [] },
};

const standalone = waves.filter(({ kind }) => kind === 'Application').flatMap(({ names }) => names);

/** Names of all applications but the root. */
export const children: readonly string[] = [...standalone, ...Object.keys(services)];

type Child = { readonly wave: number; readonly path: string; readonly ignores: readonly object[] };

function application(repoURL: string, name: string, { wave, path, ignores }: Child): object {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd', annotations: { 'argocd.argoproj.io/sync-wave': String(wave) } },
    spec: {
      project: 'default',
      source: { repoURL, path, targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace: name },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions },
      ignoreDifferences: [...ignored, ...ignores],
    },
  };
}

/** The one application that is applied by hand. */
export const rootOf = (repoURL: string): KubeObject =>
  application(repoURL, 'root', { wave: 0, path: 'root', ignores: [] }) as KubeObject;

function applicationSet(repoURL: string, name: string, wave: number): object {
  const template = {
    metadata: { name: '{{name}}' },
    spec: { project: 'default', destination: { name: 'in-cluster' }, source: { repoURL, path: '{{path}}' } },
  };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name, namespace: 'argocd', annotations: { 'argocd.argoproj.io/sync-wave': String(wave) } },
    spec: { generators: [{ list: { elements: [] } }], template },
  };
}

function rootFiles(repoURL: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const { wave, kind, names } of waves) {
    for (const name of names) {
      const child = { wave, path: `components/${name}`, ignores: ignoreMap[name] ?? [] };
      const one =
        kind === 'Application' ? application(repoURL, name, child) : applicationSet(repoURL, name, wave);
      files[`root/${name}.yaml`] = text(one);
    }
  }
  for (const [name, { path, ignores }] of Object.entries(services))
    files[`root/${name}.yaml`] = text(application(repoURL, name, { wave: 6, path, ignores }));
  return files;
}

/** What the operators of seed 003 bring besides a Deployment: the kinds that its ignore rules name. */
const brought: Readonly<Record<string, string>> = {
  'components/kyverno/webhook.yaml': text({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'installation-kyverno' },
    webhooks: [
      {
        name: 'mutate.kyverno.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Ignore',
        clientConfig: { service: { name: 'kyverno', namespace: 'kyverno' } },
        rules: [
          {
            apiGroups: ['nothing.example.com'],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['*'],
          },
        ],
      },
    ],
  }),
  'components/longhorn/store.yaml': text({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'store' },
    spec: {
      replicas: 0,
      serviceName: 'store',
      selector: { matchLabels: { app: 'store' } },
      template: {
        metadata: { labels: { app: 'store' } },
        // the form that seed 003 calls bad: 1000m is stored as it is and means 1
        spec: {
          containers: [
            { name: 'main', image: 'example/store:1.0', ...fragment<object>('003/quantity-bad.yaml') },
          ],
        },
      },
      volumeClaimTemplates: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  }),
};

const componentFiles = (): Record<string, string> => ({
  ...Object.fromEntries(
    standalone
      .filter((name) => name !== 'argocd')
      .map((name) => [`components/${name}/deployment.yaml`, component(`${name}/deployment.yaml`)]),
  ),
  'components/argocd/projects.yaml': component('argocd/projects.yaml'),
  ...brought,
});

/** The base Service of seed 001 with another image tag. */
export const importService = (tag: string): string => {
  const service = manifest('001/knative-service.yaml');
  return text(service).replace('product-import:latest', `product-import:${tag}`);
};

const agent = (): string =>
  text({
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name: 'agent' },
    spec: {
      template: {
        spec: {
          containers: [
            {
              image: 'ghcr.io/demo/agent:v1',
              ports: [{ containerPort: 8000 }],
              ...fragment<object>('000/probes.yaml'),
            },
          ],
        },
      },
    },
  });

type Named = { spec: { template: { metadata: { name: string } }; traffic?: unknown } };

/** The blue-green Service of seed 001: `first` alone, `candidate` as printed, `promoted` with the validated traffic. */
export function blueGreen(stage: 'first' | 'candidate' | 'promoted'): string {
  const service = structuredClone(manifest('001/blue-green.yaml')) as KubeObject & Named;
  if (stage === 'first') {
    service.spec.template.metadata.name = 'product-import-v1';
    delete service.spec.traffic;
  }
  if (stage === 'promoted')
    service.spec.traffic = fragment<{ traffic: unknown }>('001/traffic-validated.yaml').traffic;
  return text(service);
}

const overlay = (...patches: string[]): string =>
  text({ resources: ['../../base'], patches: patches.map((path) => ({ path })) });

const importFiles = (): Record<string, string> => ({
  'apps/product-import/base/knative-service.yaml': importService('v1'),
  'apps/product-import/base/kustomization.yaml': text({ resources: ['knative-service.yaml'] }),
  'apps/product-import/overlays/staging/kustomization.yaml': overlay(),
  'apps/product-import/overlays/production/kustomization.yaml': overlay('patches/scale.yaml'),
  'apps/product-import/overlays/production/patches/scale.yaml': text(manifest('001/scale-patch.yaml')),
});

/** Every file of the repository before the first commit of a user. */
export const files = (repoURL: string): Record<string, string> => ({
  ...rootFiles(repoURL),
  ...componentFiles(),
  ...importFiles(),
  'apps/agent/service.yaml': agent(),
  'apps/blue-green/service.yaml': blueGreen('first'),
});
