import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitHttpServer, gitHttpServer } from '../git-http-server.ts';
import { gitRepository, temporaryFolder } from '../git-repository.ts';
import { configMap } from '../manifests.ts';
import { type OciRegistry, ociRegistry } from '../oci-registry.ts';
import { type StaticServer, staticServer } from '../static-server.ts';

/** Private servers of every kind of repository; all of them let in joe with the password. */
export type RepositoryServers = {
  readonly git: GitHttpServer;
  readonly charts: StaticServer;
  readonly registry: OciRegistry;
  close(): Promise<void>;
};

const index = `apiVersion: v1
entries:
  web:
  - version: 1.1.0
    urls: [web-1.1.0.tgz]
  - version: 1.0.0
    urls: [web-1.0.0.tgz]
  db:
  - version: 3.0.0
    urls: [db-3.0.0.tgz]
`;
const deployment = (image: string) =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { template: { spec: { containers: [{ name: 'web', image }] } } },
  });

/** The repository `org/repo` of Git, a chart repository, and the artifact `org/app:v7`. */
export async function startRepositoryServers(password: string): Promise<RepositoryServers> {
  const folder = await temporaryFolder();
  const authorization = `Basic ${Buffer.from(`joe:${password}`).toString('base64')}`;
  await commitRepository(join(folder.path, 'git/org/repo'));
  const git = await gitHttpServer({ root: join(folder.path, 'git'), authorization });
  await mkdir(join(folder.path, 'charts'));
  await writeFile(join(folder.path, 'charts/index.yaml'), index);
  const charts = await staticServer({ root: join(folder.path, 'charts'), authorization });
  const registry = await ociRegistry({ auth: { kind: 'basic', login: `joe:${password}` } });
  registry.put('org/app', 'v7', { layers: [] });
  return {
    git,
    charts,
    registry,
    close: async () => {
      await Promise.all([git.close(), charts.close(), registry.close()]);
      await folder.remove();
    },
  };
}

async function commitRepository(dir: string): Promise<void> {
  const repo = await gitRepository(dir);
  await repo.commit({
    'plain/cm.yaml': configMap('from-rest'),
    'chart/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
    'chart/values.yaml': 'image:\n  tag: v1\nports: [80, 443]\n',
    'chart/values-prod.yaml': 'image: {tag: v2}\n',
    'kustomized/kustomization.yaml': 'resources: [web.yaml]\nimages: [{name: nginx, newTag: "9"}]\n',
    'kustomized/web.yaml': deployment('nginx:1'),
  });
  await repo.git('tag', 'v1');
  await repo.git('branch', 'release');
}
