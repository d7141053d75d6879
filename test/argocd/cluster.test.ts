import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forget, onCluster } from '../e2e/fairlead.ts';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';
import { type Argocd, startArgocd, typeAll } from './argocd.ts';

// What scripts with the real argocd do every day, on whatever cluster there is: that of FAIRLEAD_TEST_KUBECONFIG
// (npm run test:argocd -- --kubernetes), or the embedded one.
const { FAIRLEAD_TEST_KUBECONFIG: kubeconfig } = process.env;

let argocd: Argocd;
let repository: GitRepositoryFixture;
let repo: string;

const settings = (value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { value: ${value} }\n`;
const web = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: "example/web:1.0" }] }
`;

beforeAll(async () => {
  argocd = await startArgocd(...(kubeconfig ? onCluster(kubeconfig) : ['--no-demo']));
  const { prints, host, fairlead } = argocd;
  repository = await gitRepository(join(fairlead.folder, 'repository'));
  await repository.commit({ 'app/settings.yaml': settings('one'), 'app/web.yaml': web });
  repo = `file://${repository.dir}`;
  await prints(['login', host, '--username', 'admin', '--password', fairlead.password, '--plaintext']);
});
afterAll(async () => {
  await argocd?.fairlead.stop();
  if (argocd) forget(argocd.fairlead);
});

test('a repository and an application, from its creation to its deletion', async () => {
  const create = [
    `app create shop --repo ${repo} --path app --dest-server https://kubernetes.default.svc`,
    '--dest-namespace shop --sync-option CreateNamespace=true',
  ].join(' ');
  await typeAll(argocd, [
    [`repo add ${repo}`, 0, /added/],
    ['repo list', 0, /Successful/],
    [create, 0, /application 'shop' created/],
    ['app diff shop', 1, /===== \/ConfigMap shop\/settings ======/],
    ['app sync shop --timeout 90', 0, /Phase: +Succeeded/],
    ['app wait shop --health --timeout 90', 0, /Health Status: +Healthy/],
    ['app diff shop', 0, /^$/],
    ['app diff shop --server-side-diff', 0, /./],
    ['app history shop -o id', 0, /^0\n$/],
  ]);
  await repository.commit({ 'app/settings.yaml': settings('two') });
  await typeAll(argocd, [
    ['app diff shop --hard-refresh', 1, /< +value: one\n---\n> +value: two/],
    ['app sync shop --prune --timeout 90', 0, /Phase: +Succeeded/],
    ['app wait shop --sync --health --operation --timeout 90', 0, /Sync Status: +Synced/],
    ['app history shop', 0, /^1 /m],
    ['app rollback shop 0 --timeout 90', 0, /Phase: +Succeeded/],
    ['app manifests shop --source live', 0, /^ +value: one$/m],
    ['app resources shop', 0, /Deployment +shop +web/],
    ['app get shop -o tree', 0, /Deployment\/web/],
  ]);
  const local = join(argocd.folder, 'local');
  mkdirSync(local, { recursive: true });
  writeFileSync(join(local, 'settings.yaml'), settings('three'));
  writeFileSync(join(local, 'web.yaml'), web);
  await typeAll(argocd, [
    ['app diff shop --local local --server-side-generate', 1, /> +value: three/],
    ['app sync shop --local local --local-repo-root . --timeout 90', 0, /Phase: +Succeeded/],
    ['app manifests shop --source live', 0, /^ +value: three$/m],
    ['app delete shop -y --wait', 0, /application 'shop' deleted/],
    ['app get shop', 20, /code = PermissionDenied/],
    [`repo rm ${repo}`, 0, /removed/],
  ]);
});

test('a project with a token, a set, and what the caller may do', async () => {
  const set = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'stages' },
    spec: {
      goTemplate: true,
      generators: [{ list: { elements: [{ stage: 'test' }, { stage: 'live' }] } }],
      template: {
        metadata: { name: 'stage-{{.stage}}' },
        spec: {
          project: 'default',
          source: { repoURL: repo, path: 'app', targetRevision: 'HEAD' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'stage-{{.stage}}' },
          syncPolicy: { automated: {}, syncOptions: ['CreateNamespace=true'] },
        },
      },
    },
  };
  writeFileSync(join(argocd.folder, 'set.yaml'), JSON.stringify(set));
  await typeAll(argocd, [
    ['proj create team', 0, /^$/],
    ['proj role create team ci', 0, /Role 'ci' created/],
    ["proj role add-policy team ci --action sync --permission allow --object '*'", 0, /^$/],
    ['proj role create-token team ci --expires-in 1h', 0, /Create token succeeded for proj:team:ci/],
    ["account can-i sync applications 'team/*'", 0, /^yes$/m],
    ['appset create set.yaml', 0, /ApplicationSet 'stages' created/],
  ]);
  const isThere = async () => (await argocd.run('app', 'list', '-o', 'name')).stdout;
  await expect.poll(isThere, { timeout: 60_000 }).toMatch(/stage-live[\s\S]*stage-test/);
  await typeAll(argocd, [
    ['app wait stage-live stage-test --timeout 90', 0, /Health Status: +Healthy/],
    ['appset delete stages -y', 0, /deleted/],
    ['proj delete team', 0, /^$/],
  ]);
  await expect.poll(isThere, { timeout: 60_000 }).not.toMatch(/stage-/);
});

type Kubeconfig = { 'current-context': string; users: { user: object }[] };

test('a cluster is added with a service account of its own, gets a new token, and is removed', async () => {
  const { fairlead, folder } = argocd;
  const viewed = await fairlead.kubectl('config', 'view', '--raw', '--minify', '--output=json');
  const config = JSON.parse(viewed.stdout) as Kubeconfig;
  const context = config['current-context'];
  mkdirSync(join(folder, '.kube'), { recursive: true });
  writeFileSync(join(folder, '.kube/config'), viewed.stdout);
  await typeAll(argocd, [
    [`cluster add ${context} -y --name staging`, 0, /Cluster 'https:.*' added/],
    ['cluster list', 0, /staging/],
    ['cluster get staging', 0, /name: staging/],
    // its kubeconfig has a certificate, which argocd stores instead of the token that it has made
    ['cluster rotate-auth staging', 20, /it is not managed with the token of a service account/],
  ]);
  const secret = ['-n', 'kube-system', 'get', 'secret', 'argocd-manager-long-lived-token'];
  const { stdout } = await fairlead.kubectl(...secret, '-o', 'jsonpath={.data.token}');
  const token = Buffer.from(stdout, 'base64').toString();
  writeFileSync(
    join(folder, '.kube/config'),
    JSON.stringify({ ...config, users: config.users.map((one) => ({ ...one, user: { token } })) }),
  );
  await typeAll(argocd, [
    [`cluster add ${context} -y --name staging --upsert`, 0, /added/],
    ['cluster rotate-auth staging', 0, /rotated auth/],
  ]);
  expect((await fairlead.kubectl(...secret)).stderr).toMatch(/not found/); // the old one
  writeFileSync(join(folder, '.kube/config'), viewed.stdout);
  // with the new token it is reached, as soon as it was watched
  const status = async () => (await argocd.run('cluster', 'get', 'staging', '-o', 'json')).stdout;
  await expect.poll(status, { timeout: 60_000 }).toMatch(/"status": "Successful"/);
  await typeAll(argocd, [
    // argocd then searches the kubeconfig for a context of the same name, to remove what it made there
    ['cluster rm staging -y', 20, /Cluster 'staging' removed/],
    ['cluster get staging', 20, /code = PermissionDenied/],
  ]);
});
