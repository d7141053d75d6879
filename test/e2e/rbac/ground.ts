import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from '#lang/yaml';
import { type GitRepositoryFixture, gitRepository } from '../../git-repository.ts';
import { configMap } from '../../manifests.ts';
import { type OciRegistry, ociRegistry } from '../../oci-registry.ts';
import { type StaticServer, staticServer } from '../../static-server.ts';
import { tgzOf } from '../../tar.ts';
import { forget, isSettled } from '../fairlead.ts';
import { applicationOf, startTenants, type Tenants } from '../tenants.ts';
import type { Row } from './row.ts';

/** What a row sends, once its marks are filled in. */
export type Sent = { readonly path: string; readonly body?: unknown };

/** A started program in which the object of every row of the route table exists. */
export type RbacGround = Tenants & {
  /** The row with the addresses of this program; resolves when its object is ready for the request. */
  prepare(row: Row): Promise<Sent>;
  close(): Promise<void>;
};

const pod = `apiVersion: v1
kind: Pod
metadata: { name: one }
spec: { containers: [{ name: web, image: "web:1" }] }
`;
const knativeService = `apiVersion: serving.knative.dev/v1
kind: Service
metadata: { name: hello }
spec:
  template:
    metadata: { name: hello-v1 }
    spec: { containers: [{ image: "hello:1" }] }
  traffic: [{ revisionName: hello-v1, percent: 100 }]
`;
const action = `discovery.lua: |
  return { mark = {} }
definitions:
- name: mark
  action.lua: |
    obj.data.marked = "true"
    return obj
`;
const index = `apiVersion: v1
entries:
  web: [{ name: web, version: 1.0.0, urls: [web-1.0.0.tgz] }]
`;
const chart = 'apiVersion: v2\nname: web\nversion: 1.0.0\ndescription: a chart\nhome: https://example.com\n';

const layer = {
  mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
  bytes: tgzOf([{ name: 'settings.yaml', content: configMap('settings') }]),
};

export async function startRbacGround(): Promise<RbacGround> {
  const tenants = await startTenants();
  const { fairlead } = tenants;
  const main = await gitRepository(join(fairlead.folder, 'main'));
  await main.commit({ 'web/settings.yaml': configMap('settings'), 'web/pod.yaml': pod });
  await main.commit({ 'fn/hello.yaml': knativeService });
  await main.git('config', 'receive.denyCurrentBranch', 'updateInstead');
  const second = await gitRepository(join(fairlead.folder, 'second'));
  await second.commit({ 'settings.yaml': configMap('settings') });
  const charts = await chartServer(join(fairlead.folder, 'charts'));
  const registry = await ociRegistry();
  const DIGEST = registry.put('org/app', 'v7', { layers: [layer] });
  const commit = await deploy(tenants, { main, charts, registry });
  const marks = {
    ...{ PASSWORD: fairlead.password, COMMIT: commit, ...clusterOf(fairlead.dataDir) },
    ...{ REPO: `file://${main.dir}`, SECOND: `file://${second.dir}` },
    ...{ CHARTS: charts.url, ARTIFACT: `oci://${registry.host}/org/app`, DIGEST },
  };
  return {
    ...tenants,
    prepare: async ({ path, body, whenIdle }) => {
      if (whenIdle) await fairlead.until(whenIdle, 'idle', isSettled);
      return {
        path: filled(path, marks, encodeURIComponent),
        ...(body !== undefined && { body: inside(body, marks) }),
      };
    },
    close: async () => {
      await fairlead.stop();
      forget(fairlead);
      await Promise.all([charts.close(), registry.close()]);
    },
  };
}

type Marks = Readonly<Record<string, string>>;

const filled = (text: string, marks: Marks, as: (value: string) => string): string =>
  text.replace(/\{([A-Z_]+)\}/g, (mark, name: string) => as(marks[name] ?? mark));

/** Within the quotes of JSON. */
const inside = (body: unknown, marks: Marks): unknown =>
  JSON.parse(filled(JSON.stringify(body), marks, (value) => JSON.stringify(value).slice(1, -1)));

/** The cluster of the program, by the address that its kubeconfig has: another entry than the one of the program itself. */
function clusterOf(dataDir: string) {
  const { clusters, users } = parse(
    readFileSync(join(dataDir, 'kubeconfig'), 'utf8'),
  ) as unknown as Kubeconfig;
  const { server, 'certificate-authority-data': CLUSTER_CA } = clusters[0].cluster;
  const { 'client-certificate-data': CLUSTER_CERT, 'client-key-data': CLUSTER_KEY } = users[0].user;
  return { CLUSTER: server, CLUSTER_CA, CLUSTER_CERT, CLUSTER_KEY };
}

type Kubeconfig = {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
};

async function chartServer(root: string): Promise<StaticServer> {
  await mkdir(root);
  await writeFile(join(root, 'index.yaml'), index);
  await writeFile(join(root, 'web-1.0.0.tgz'), tgzOf([{ name: 'web/Chart.yaml', content: chart }]));
  return staticServer({ root });
}

type Servers = {
  readonly main: GitRepositoryFixture;
  readonly charts: StaticServer;
  readonly registry: OciRegistry;
};

/** Registers the repositories and deploys the applications `web` and `fn`; the commit that is deployed. */
async function deploy(
  { fairlead, configure }: Tenants,
  { main, charts, registry }: Servers,
): Promise<string> {
  await configure('argocd-cm', { 'resource.customizations.actions.ConfigMap': action });
  const artifact = `oci://${registry.host}/org/app`;
  const repositories = {
    main: { url: `file://${main.dir}` },
    charts: { url: charts.url, type: 'helm', name: 'charts' },
    artifact: { url: artifact, type: 'oci', insecureOCIForceHttp: 'true' },
  };
  for (const [name, stringData] of Object.entries(repositories)) {
    const labels = { 'argocd.argoproj.io/secret-type': 'repository' };
    const metadata = { name, namespace: 'argocd', labels };
    await fairlead.apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData });
  }
  const at = (name: string, source: object) => {
    const app = applicationOf(name, 'shop', '');
    return { ...app, spec: { ...app.spec, source } };
  };
  const git = { repoURL: `file://${main.dir}`, targetRevision: 'main' };
  await fairlead.apply(at('charted', { repoURL: charts.url, chart: 'web', targetRevision: '1.0.0' }));
  await fairlead.apply(at('packed', { repoURL: artifact, path: '.', targetRevision: 'v7' }));
  for (const [name, path] of [
    ['web', 'web'],
    ['fn', 'fn'],
  ] as const) {
    await fairlead.kubectl('create', 'namespace', name);
    const { spec, ...app } = at(name, { ...git, path });
    // one sync, and none after it: the requests of the rows are the only ones
    await fairlead.apply({ ...app, spec, operation: { sync: {} } });
  }
  await fairlead.until('fn', 'settled', isSettled);
  const web = await fairlead.until('web', 'settled', isSettled);
  return web.status?.sync?.revision ?? '';
}
