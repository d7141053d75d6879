import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueCertificates } from '../certificates.ts';
import { type GitHttpServer, gitHttpServer } from '../git-http-server.ts';
import { gitRepository, temporaryFolder } from '../git-repository.ts';
import { type GitSshServer, gitSshServer, sshKeys } from '../git-ssh-server.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// A user's private repositories: their Secrets and ConfigMaps are written with kubectl, and applications follow.

const basic = `Basic ${Buffer.from('joe:hunter2').toString('base64')}`;
const key = sshKeys();
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let fairlead: Fairlead;
let https: GitHttpServer;
let ssh: GitSshServer;
let authority: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  const root = join(folder.path, 'srv');
  const repo = await gitRepository(join(root, 'org/repo'));
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'from-private' } };
  await repo.commit({ 'app/cm.yaml': JSON.stringify(configMap) });
  const certificates = await issueCertificates(['127.0.0.1']);
  authority = certificates.authority;
  const { certificate: cert, key: certKey } = certificates.server;
  https = await gitHttpServer({ root, authorization: basic, tls: { cert, key: certKey } });
  ssh = await gitSshServer(root, key);
  fairlead = await startFairlead('--no-demo');
});
afterAll(async () => {
  await fairlead.stop();
  forget(fairlead);
  await Promise.all([https.close(), ssh.close()]);
  await folder.remove();
});

const apply = async (object: object): Promise<void> => {
  const { code, stderr } = await fairlead.apply(object);
  expect(stderr).not.toMatch(/error/i);
  expect(code).toBe(0);
};
const secret = (name: string, stringData: Record<string, string>) =>
  apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'repository' } },
    stringData,
  });
const trust = (name: string, data: Record<string, string>) =>
  apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'argocd' }, data });
const application = (name: string, repoURL: string, project = 'default') =>
  apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project,
      source: { repoURL, path: 'app', targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    },
  });
const said = (name: string, text: string) =>
  fairlead.until(name, `a condition that says ${text}`, ({ status }) =>
    Boolean(status?.conditions?.some(({ message }) => message?.includes(text))),
  );
const known = (name: string) =>
  fairlead.until(name, 'a revision of its repository', ({ status }) => Boolean(status?.sync?.revision));
const refresh = (name: string) =>
  fairlead.kubectl(
    '-n',
    'argocd',
    'annotate',
    '--overwrite',
    'application',
    name,
    'argocd.argoproj.io/refresh=hard',
  );

describe('a private repository', () => {
  test('over https needs its authority and its login, and each is asked for by name', async () => {
    const url = `${https.url}/org/repo/.git`;
    await application('web', url);
    await said('web', 'argocd-tls-certs-cm');
    await trust('argocd-tls-certs-cm', { '127.0.0.1': authority });
    await refresh('web');
    await said('web', 'check the username and password');
    await secret('web', { url, username: 'joe', password: 'hunter2' });
    await refresh('web');
    await known('web');
  });

  test('over ssh needs its known host and its key', async () => {
    const url = `ssh://git@127.0.0.1:${ssh.port}/org/repo`;
    await secret('ssh', { url, sshPrivateKey: key.private });
    await application('shell', url);
    await said('shell', 'argocd-ssh-known-hosts-cm');
    await trust('argocd-ssh-known-hosts-cm', { ssh_known_hosts: ssh.knownAs('127.0.0.1') });
    await refresh('shell');
    await known('shell');
  });

  test('of a project that wants signed commits is not rendered without them (INT-7)', async () => {
    await apply({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'signed', namespace: 'argocd' },
      spec: {
        sourceRepos: ['*'],
        destinations: [{ server: '*', namespace: '*' }],
        signatureKeys: [{ keyID: '0123456789ABCDEF' }],
      },
    });
    await application('careful', `ssh://git@127.0.0.1:${ssh.port}/org/repo`, 'signed');
    await said('careful', 'unsigned');
  });
});
