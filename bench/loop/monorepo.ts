import { join } from 'node:path';
import { type GitHttpServer, gitHttpServer } from '../../test/git-http-server.ts';
import { type GitRepositoryFixture, gitRepository } from '../../test/git-repository.ts';

/** One Git repository with a Kustomize overlay of ten objects for each application, served over http. */
export type Monorepo = {
  readonly url: string;
  /** Changes one file, of one application. */
  change(name: string, value: string): Promise<{ readonly commit: string; readonly file: string }>;
  close(): Promise<void>;
};

export const nameOf = (index: number): string => `app-${String(index).padStart(4, '0')}`;

/** More pods than one node takes would stay pending, and nothing would become healthy. */
const mostPods = 200;

export async function monorepo(folder: string, applications: number): Promise<Monorepo> {
  const repository = await gitRepository(join(folder, 'repositories/monorepo'));
  const names = Array.from({ length: applications }, (_one, index) => nameOf(index));
  const overlays = names.flatMap((name) => Object.entries(overlay(name)));
  const files = { ...base(applications <= mostPods ? 1 : 0), ...Object.fromEntries(overlays) };
  await repository.commit(files);
  const server: GitHttpServer = await gitHttpServer({ root: join(folder, 'repositories') });
  return {
    url: `${server.url}/monorepo`,
    change: (name, value) => change(repository, name, value),
    close: () => server.close(),
  };
}

async function change(repository: GitRepositoryFixture, name: string, value: string) {
  const file = `apps/${name}/settings.yaml`;
  const commit = await repository.commit({ [file]: settings(value) }, value);
  return { commit, file };
}

/** The files of one application, and of the base that all have. */
export const overlayFiles = (name: string): Record<string, string> => ({ ...base(1), ...overlay(name) });

const settings = (value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  value: ${value}\n`;

function overlay(name: string): Record<string, string> {
  return {
    [`apps/${name}/kustomization.yaml`]: [
      'apiVersion: kustomize.config.k8s.io/v1beta1',
      'kind: Kustomization',
      `namePrefix: ${name}-`,
      'resources: [../../base]',
      'patches: [{ path: settings.yaml }]',
      '',
    ].join('\n'),
    [`apps/${name}/settings.yaml`]: settings('first'),
  };
}

function base(replicas: number): Record<string, string> {
  const labels = { app: 'web' };
  const container = {
    name: 'web',
    image: 'registry.example.com/web:1.0.0',
    ports: [{ containerPort: 8080 }],
  };
  const template = { metadata: { labels }, spec: { serviceAccountName: 'web', containers: [container] } };
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'web' };
  const named = (name: string) => ({ metadata: { name } });
  const objects = [
    { apiVersion: 'v1', kind: 'ConfigMap', ...named('settings'), data: { value: 'none' } },
    { apiVersion: 'v1', kind: 'ConfigMap', ...named('routes'), data: { routes: '/ -> web' } },
    { apiVersion: 'v1', kind: 'ConfigMap', ...named('flags'), data: { beta: 'off' } },
    { apiVersion: 'v1', kind: 'Secret', ...named('token'), stringData: { token: 'not-a-secret' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', ...named('web') },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', ...named('web'), rules },
    {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', ...named('web'), roleRef },
      subjects: [{ kind: 'ServiceAccount', name: 'web' }],
    },
    {
      ...{ apiVersion: 'v1', kind: 'Service', ...named('web') },
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
    },
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', ...named('web') },
      spec: { replicas, selector: { matchLabels: labels }, template },
    },
    {
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', ...named('web') },
      spec: { podSelector: { matchLabels: labels }, policyTypes: ['Ingress'] },
    },
  ];
  const files = objects.map((object, index) => [`base/${index}.yaml`, JSON.stringify(object)] as const);
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: 'bench',
    resources: files.map(([path]) => path.slice('base/'.length)),
  };
  return { ...Object.fromEntries(files), 'base/kustomization.yaml': JSON.stringify(kustomization) };
}
