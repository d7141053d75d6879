import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application, Source } from '#base/model';
import { type Fairlead, forget, startFairlead } from '../e2e/fairlead.ts';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';

// Attacks 4 and 26 on the started program: `fairlead up --kubeconfig` on a cluster that is another program's. An operator listed
// one folder of repositories, and nothing else of this machine may be reached.

let cluster: { readonly dir: string; readonly child: ChildProcess };
let fairlead: Fairlead;
let listed: string;
let repository: GitRepositoryFixture;
let internal: Server;
const requests: string[] = [];

beforeAll(async () => {
  internal = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end('secret: hunter2\n');
  });
  await new Promise<void>((resolve) => internal.listen(0, '127.0.0.1', resolve));
  listed = await mkdtemp(join(tmpdir(), 'fairlead-listed-'));
  repository = await gitRepository(join(listed, 'shop'));
  await repository.commit({
    'plain/cm.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: plain }\n',
    'chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 0.1.0\n',
    'chart/templates/cm.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: taken }\ndata: { all: {{ .Values | toJson | quote }} }\n',
  });
  cluster = await startCluster();
  const kubeconfig = join(cluster.dir, 'kubeconfig');
  fairlead = await startFairlead('--kubeconfig', kubeconfig, '--local-repositories', listed);
  await fairlead.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'narrow', namespace: 'argocd' },
    spec: {
      sourceRepos: [repository.dir],
      destinations: [{ server: '*', namespace: '*' }],
    },
  });
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
  cluster?.child.kill('SIGINT');
  if (cluster) await once(cluster.child, 'exit');
  await Promise.all([cluster?.dir, listed].map((dir) => rm(dir, { recursive: true, force: true })));
  await new Promise((resolve) => internal.close(resolve));
});

async function startCluster() {
  const dir = await mkdtemp(join(tmpdir(), 'fairlead-cluster-'));
  const program = join(import.meta.dirname, '../../dist/main/fairlead.js');
  const child = spawn(process.execPath, [program, 'up', '--cluster-only', '--data-dir', dir, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('kubectl:')) break;
  return { dir, child };
}

const application = (name: string, source: Partial<Source>, project = 'default'): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project,
    source: { repoURL: repository.dir, path: 'chart', targetRevision: 'main', ...source },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    syncPolicy: { automated: {} },
  },
});

/** What an application was refused with. */
async function refusalOf(name: string, source: Partial<Source>, project?: string): Promise<string> {
  expect(await fairlead.apply(application(name, source, project))).toMatchObject({ code: 0 });
  const wrong = ({ status }: Application) =>
    (status?.conditions ?? []).filter(({ type }) => type.endsWith('Error'));
  const refused = await fairlead.until(name, 'refused', (app) => wrong(app).length > 0);
  const { stdout } = await fairlead.kubectl('get', 'configmaps', '-A', '-o', 'json');
  expect(stdout).not.toContain('hunter2');
  expect(requests).toEqual([]);
  return wrong(refused)
    .map(({ message }) => message)
    .join('\n');
}

const internalUrl = (): string => `http://127.0.0.1:${(internal.address() as AddressInfo).port}`;

test('a repository in the folder that was listed is deployed', async () => {
  await fairlead.apply(application('plain', { path: 'plain' }));
  await fairlead.until('plain', 'synced', ({ status }) => status?.sync?.status === 'Synced');
});

test('a value file on loopback is not fetched', async () => {
  const valueFiles = [`${internalUrl()}/values.yaml`];
  expect(await refusalOf('values', { helm: { valueFiles } })).toContain('at a loopback address');
});

test('a value file that the project does not permit is not fetched', async () => {
  const valueFiles = [`${internalUrl()}/values.yaml`];
  expect(await refusalOf('narrow', { helm: { valueFiles } }, 'narrow')).toContain(
    `project 'narrow' does not permit ${internalUrl()}/values.yaml: add it to spec.sourceRepos`,
  );
});

test('a repository on loopback is not asked', async () => {
  expect(await refusalOf('web', { repoURL: `${internalUrl()}/repo` })).toContain('at a loopback address');
});

test('the mirror of another repository is not read', async () => {
  await fairlead.until('plain', 'synced', ({ status }) => status?.sync?.status === 'Synced');
  const mirrors = join(fairlead.dataDir, 'cache/git/git');
  const [mirror = ''] = (await readdir(mirrors)).filter((name) => name.endsWith('.git'));
  const source = { repoURL: `file://${join(mirrors, mirror)}`, path: 'plain', targetRevision: 'refs/kept/x' };
  expect(await refusalOf('mirror', source)).toContain('such repositories are not allowed here');
});

test('a folder that was not listed is not read', async () => {
  const other = await gitRepository(join(fairlead.folder, 'unlisted'));
  await other.commit({ 'cm.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: hunter2 }\n' });
  expect(await refusalOf('unlisted', { repoURL: other.dir, path: '.' })).toContain('--local-repositories');
});
