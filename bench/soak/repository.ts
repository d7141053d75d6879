import { join } from 'node:path';
import { type GitHttpServer, gitHttpServer } from '../../test/git-http-server.ts';
import { gitRepository } from '../../test/git-repository.ts';

/** One repository with a folder for each application; every tenth application has a PreSync hook. */
export type SoakRepository = {
  readonly url: string;
  /** Commits another value into one application's ConfigMap. */
  change(name: string, value: string): Promise<void>;
  close(): Promise<void>;
};

export const nameOf = (index: number): string => `soak-${String(index).padStart(4, '0')}`;
const hasHook = (index: number): boolean => index % 10 === 0;

/** Over http where the program works on a cluster that is not its own: local repositories are for the embedded one. */
export async function soakRepository(
  folder: string,
  applications: number,
  overHttp: boolean,
): Promise<SoakRepository> {
  const repository = await gitRepository(join(folder, 'repositories/soak'));
  const files = Array.from({ length: applications }, (_one, index) => filesOf(index));
  await repository.commit(Object.assign({}, ...files));
  const server: GitHttpServer | undefined = overHttp
    ? await gitHttpServer({ root: join(folder, 'repositories') })
    : undefined;
  return {
    url: server ? `${server.url}/soak` : `file://${repository.dir}`,
    async change(name, value) {
      await repository.commit({ [`${name}/settings.yaml`]: settings(name, value) }, value);
    },
    close: async () => server?.close(),
  };
}

function filesOf(index: number): Record<string, string> {
  const name = nameOf(index);
  const labels = { app: name };
  const containers = [{ name: 'web', image: 'registry.example.com/web:1.0.0' }];
  const template = { metadata: { labels }, spec: { containers } };
  const objects: Record<string, object> = {
    routes: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${name}-routes` },
      data: { routes: '/ -> web' },
    },
    service: {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name } },
      spec: { selector: labels, ports: [{ port: 80 }] },
    },
    deployment: {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    },
    ...(hasHook(index) && { hook: hook(name) }),
  };
  const texts = Object.entries(objects).map(([file, object]) => [
    `${name}/${file}.yaml`,
    JSON.stringify(object),
  ]);
  return { ...Object.fromEntries(texts), [`${name}/settings.yaml`]: settings(name, 'first') };
}

const settings = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}-settings\ndata:\n  value: ${value}\n`;

function hook(name: string): object {
  const annotations = {
    'argocd.argoproj.io/hook': 'PreSync',
    'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
  };
  const containers = [{ name: 'migrate', image: 'registry.example.com/migrate:1.0.0' }];
  return {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: `${name}-migrate`, annotations } },
    spec: { template: { spec: { restartPolicy: 'Never', containers } } },
  };
}
