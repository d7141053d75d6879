import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAll } from '#lang/yaml';
import { selfSigned } from '#platform/certificates';
import { forget } from '../e2e/fairlead.ts';
import { type Argocd, startArgocd, typeAll } from './argocd.ts';

// compat server §3.5, §8.2: every command of proj, cluster, repo, repocreds, cert, gpg and account, typed at a started program.

let argocd: Argocd;
beforeAll(async () => {
  argocd = await startArgocd();
  const { prints, host, fairlead } = argocd;
  await prints(['login', host, '--username', 'admin', '--password', fairlead.password, '--plaintext']);
});
afterAll(async () => {
  await argocd.fairlead.stop();
  forget(argocd.fairlead);
});

test('projects, with roles, tokens and windows', async () => {
  const project = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'shop' },
    spec: {},
  };
  writeFileSync(join(argocd.folder, 'shop.yaml'), JSON.stringify(project));
  const server = 'https://kubernetes.default.svc';
  await typeAll(argocd, [
    ['proj create shop -f shop.yaml', 0, /^$/],
    ['proj create shop -f shop.yaml', 0, /^$/],
    ['proj create shop --description Other', 20, /existing project spec is different/],
    ['proj set shop --description Shop', 0, /^$/],
    ['proj add-source shop https://git.example.com/shop.git', 0, /^$/],
    [`proj add-destination shop ${server} shop`, 0, /^$/],
    ["proj allow-cluster-resource shop '' Namespace", 0, /added to allowed cluster resources/],
    ["proj deny-namespace-resource shop '' Secret", 0, /added to denied namespaced resources/],
    ["proj add-orphaned-ignore shop '' ConfigMap", 0, /^$/],
    ['proj add-source-namespace shop team', 0, /^$/],
    [`proj add-destination-service-account shop ${server} shop deployer`, 0, /^$/],
    ['proj get shop', 0, /Description: +Shop[\s\S]*Repositories: +https:\/\/git.example.com\/shop.git/],
    ['proj get shop -o yaml', 0, /name: shop/],
    ['proj list', 0, /^shop +Shop +https:\/\/kubernetes.default.svc,shop/m],
    ['proj remove-source shop https://git.example.com/shop.git', 0, /^$/],
    [`proj remove-destination shop ${server} shop`, 0, /^$/],
    ["proj deny-cluster-resource shop '' Namespace", 0, /removed from allowed cluster resources/],
    ['proj role create shop ci', 0, /Role 'ci' created/],
    ["proj role add-policy shop ci --action get --permission allow --object '*'", 0, /^$/],
    ['proj role add-group shop ci devs', 0, /Group 'devs' added to role 'ci'/],
    ['proj role list shop', 0, /^ci/m],
    [
      'proj role get shop ci',
      0,
      /p, proj:shop:ci, applications, get, shop\/\*, allow\ng, devs, proj:shop:ci/,
    ],
    [
      'proj role create-token shop ci --expires-in 24h --id first',
      0,
      /Create token succeeded for proj:shop:ci/,
    ],
    ['proj role create-token shop ci --id first', 20, /code = InvalidArgument/],
    ['proj role list-tokens shop ci', 0, /^first +\d{4}-/m],
    ["proj windows add shop --kind deny --schedule '0 22 * * *' --duration 1h --applications '*'", 0, /^$/],
    ['proj windows list shop', 0, /^0 +\w+ +deny +0 22 \* \* \* +1h/m],
    ['proj windows enable-manual-sync shop 0', 0, /^$/],
    ['proj windows disable-manual-sync shop 0', 0, /^$/],
    ['proj windows update shop 0 --duration 2h', 0, /^$/],
    ['proj windows delete shop 0', 0, /^$/],
  ]);
  const token = (await argocd.prints(['proj', 'role', 'create-token', 'shop', 'ci', '--token-only'])).trim();
  const as = ['--auth-token', token];
  await argocd.prints(['proj', 'get', 'shop', ...as], /Name: +shop/);
  expect((await argocd.run('proj', 'get', 'default', ...as)).code).toBe(20);
  const rows = await argocd.prints(['proj', 'role', 'list-tokens', 'shop', 'ci', '--unixtime']);
  const [, issued = ''] = /^first +(\d+)/m.exec(rows) ?? [];
  await typeAll(argocd, [
    [`proj role delete-token shop ci ${issued}`, 0, /^/],
    ["proj role remove-policy shop ci --action get --permission allow --object '*'", 0, /^$/],
    ['proj role remove-group shop ci devs', 0, /Group 'devs' removed/],
    ['proj role delete shop ci', 0, /Role 'ci' deleted/],
    ['proj delete shop', 0, /^$/],
    ['proj get shop', 20, /code = NotFound/],
    ['proj delete default', 20, /./],
  ]);
});

function armoredKey(): string {
  const file = '../../src/sources/repositories/git/openpgp/testdata/signed-ed.yaml';
  const [document] = parseAll(readFileSync(join(import.meta.dirname, file), 'utf8'));
  return (document as unknown as { value: { key: string } }).value.key;
}

/** What a user does in the editor that opens. */
function editor(change: string): void {
  const file = join(argocd.folder, 'editor');
  writeFileSync(file, `#!/bin/sh\nexec sed -i '${change}' "$1"\n`);
  chmodSync(file, 0o755);
}

test('a project and an application are edited', async () => {
  const { fairlead, prints } = argocd;
  const server = 'https://kubernetes.default.svc';
  const origin = `--repo file://${fairlead.demo} --path guestbook --revision HEAD`;
  await typeAll(argocd, [
    [`proj create edited --description Before -d ${server},edited`, 0, /^$/],
    [`app create edited ${origin} --dest-server ${server} --dest-namespace edited`, 0, /created/],
  ]);
  editor('s/description: Before/description: After/');
  await prints(['proj', 'edit', 'edited']);
  await prints(['proj', 'get', 'edited'], /Description: +After/);
  editor('s/targetRevision: HEAD/targetRevision: main/');
  await prints(['app', 'edit', 'edited']);
  await prints(['app', 'get', 'edited'], /Target: +main/);
  await typeAll(argocd, [
    ['app delete edited -y', 0, /deleted/],
    ['proj delete edited', 0, /^$/],
  ]);
});

test('clusters', async () => {
  const { fairlead, folder, prints } = argocd;
  // where it looks for a context, as kubectl does
  mkdirSync(join(folder, '.kube'));
  copyFileSync(join(fairlead.dataDir, 'kubeconfig'), join(folder, '.kube/config'));
  await typeAll(argocd, [
    ['cluster list', 0, /^https:\/\/kubernetes.default.svc +in-cluster +\S+ +Successful/m],
    ['cluster get in-cluster', 0, /name: in-cluster/],
    ['cluster get https://kubernetes.default.svc -o json', 0, /"status": "Successful"/],
    [
      'cluster add fairlead -y',
      0,
      /Cluster 'https:.*' added[\s\S]*ClusterRole .*argocd-manager-role.* created/,
    ],
    ['cluster add fairlead -y --name staging --upsert --namespace default --namespace argocd', 0, /added/],
    ['cluster get staging', 0, /name: staging/],
    ['cluster set staging --label stage=test', 0, /Cluster 'staging' updated/],
    ['cluster get staging -o json', 0, /"stage": "test"/],
    ['cluster get nothing', 20, /code = PermissionDenied/],
  ]);
  await prints(['cluster', 'add', 'fairlead', '-y', '--upsert'], /added/);
  await prints(['cluster', 'rm', 'fairlead', '-y'], /Cluster 'fairlead' removed/);
  expect(await prints(['cluster', 'list'])).not.toMatch(/staging|fairlead +v/);
});

test('repositories, credentials, certificates and signing keys', async () => {
  const { fairlead, folder } = argocd;
  const { certificate } = selfSigned(
    { user: 'git.example.com' },
    { hosts: ['git.example.com'], from: new Date(), lifeMs: 3600_000 },
  );
  writeFileSync(join(folder, 'cert.pem'), certificate);
  writeFileSync(join(folder, 'key.asc'), armoredKey());
  const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIJ0qC1kBzu4BfAB4b1cJrNQeYk+3RLQ1eqXXjNm3uA5m';
  writeFileSync(join(folder, 'known_hosts'), `git.example.com ssh-ed25519 ${key}\n`);
  const repo = `file://${fairlead.demo}`;
  await typeAll(argocd, [
    [`repo add ${repo} --name demo`, 0, /Repository 'file:.*' added/],
    ['repo add https://127.0.0.1:9/x.git --username a --password b', 20, /code = InvalidArgument/],
    ['repo list', 0, /^git +demo +file:\S+ +false +false +false +false +Successful/m],
    ['repo list -o url', 0, /^file:\S+$/m],
    [`repo get ${repo}`, 0, /Successful/],
    [`repo rm ${repo}`, 0, /removed/],
    ['repocreds add https://git.example.com/ --username a --password secret-word', 0, /added/],
    ['repocreds list', 0, /^https:\/\/git.example.com\/ +a +false +false/m],
    ['repocreds list -o yaml', 0, /url: https:\/\/git.example.com\//],
    ['repocreds rm https://git.example.com/', 0, /removed/],
    ['cert add-ssh --from known_hosts --batch', 0, /created 1 SSH known host entries/],
    ['cert add-tls git.example.com --from cert.pem', 0, /Created\/updated TLS certificate entry/],
    ['cert list --hostname-pattern git.example.com', 0, /^git.example.com +https[\s\S]*CN=git.example.com/m],
    ['cert rm git.example.com', 0, /Removed cert for 'git.example.com' of type 'ssh'/],
    ['cert list --cert-type https', 0, /HOSTNAME/],
    ['gpg add --from key.asc', 0, /Created 1 key/i],
    ['gpg list', 0, /KEYID/],
    ['gpg get 0123456789ABCDEF', 20, /./],
  ]);
  expect((await argocd.run('repocreds', 'list', '-o', 'json')).stdout).not.toContain('secret-word');
});

test('accounts', async () => {
  const { fairlead } = argocd;
  const data = JSON.stringify({ data: { 'accounts.ci': 'apiKey, login' } });
  await fairlead.kubectl('-n', 'argocd', 'patch', 'cm', 'argocd-cm', '--type=merge', '-p', data);
  await expect.poll(async () => (await argocd.run('account', 'list')).stdout).toMatch(/^ci +true/m);
  const { password } = fairlead;
  await typeAll(argocd, [
    ['account list', 0, /^admin +true +login$/m],
    ['account get --account ci', 0, /Name: +ci\nEnabled: +true/],
    ["account can-i sync applications '*/*'", 0, /^yes$/m],
    ["account can-i create clusters '*'", 0, /^yes$/m],
    ['account generate-token --account ci --id first --expires-in 1h', 0, /^\w+\.\w+\.[\w-]+$/m],
    ['account generate-token --account admin', 20, /does not have apiKey capability/],
    ['account get --account ci', 0, /first/],
    ['account delete-token --account ci first', 0, /^$/],
    [
      `account update-password --account ci --current-password ${password} --new-password ci-password-1`,
      0,
      /Password updated/,
    ],
    [
      `account update-password --account ci --current-password ${password} --new-password short`,
      20,
      /code = InvalidArgument/,
    ],
    [
      `account update-password --current-password ${password} --new-password changed-password`,
      0,
      /Password updated/,
    ],
    [
      `account update-password --current-password wrong --new-password another-password`,
      20,
      /code = InvalidArgument/,
    ],
    ['account get-user-info', 0, /Username: admin/],
  ]);
  const token = (await argocd.prints(['account', 'generate-token', '--account', 'ci'])).trim();
  const as = ['--auth-token', token];
  await argocd.prints(['account', 'can-i', 'sync', 'applications', '*/*', ...as], /^no$/m);
  expect((await argocd.run('app', 'sync', 'guestbook', ...as)).code).toBe(20);
  await argocd.prints(['app', 'list', '-o', 'name', ...as], /^$/);
});
