import { expect, test } from 'vitest';
import type { RepositoryView, TemplateView } from '#serve/api';
import {
  borrowedBy,
  borrowedFrom,
  emptyRepository,
  redirectedBy,
  repositoryFormOf,
  repositoryInput,
  templateInput,
  wayOf,
  whyNotRepository,
} from './repository-draft.ts';

const address = 'https://git.example.com/shop/deploy.git';
const form = { ...emptyRepository, address };

test('the address suggests how the repository recognises its reader', () => {
  expect(wayOf(form)).toBe('none');
  for (const one of ['ssh://git@example.com/a.git', 'git@example.com:a/b.git'])
    expect(wayOf({ ...form, address: one })).toBe('ssh');
  expect(wayOf({ ...form, address: 'https://me@example.com/a.git' })).toBe('none');
});

test('what is sent has the credentials of the chosen way and of no other', () => {
  const github = {
    ...form,
    way: 'github' as const,
    password: 'typed before',
    githubAppID: ' 7 ',
    githubAppPrivateKey: '-----BEGIN KEY-----\nx\n-----END KEY-----',
  };
  expect(repositoryInput(github)).toMatchObject({
    repo: address,
    githubAppID: 7,
    githubAppInstallationID: null,
    githubAppPrivateKey: '-----BEGIN KEY-----\nx\n-----END KEY-----\n',
    password: null,
    sshPrivateKey: null,
  });
  const azure = { ...form, way: 'azure' as const, azureServicePrincipalTenantId: 't' };
  expect(repositoryInput(azure)).toMatchObject({
    azureServicePrincipalTenantId: 't',
    useAzureWorkloadIdentity: false,
    githubAppID: null,
  });
  expect(repositoryInput({ ...form, way: 'workload' })).toMatchObject({ useAzureWorkloadIdentity: true });
  const withProxy = { ...form, proxy: 'http://proxy:3128', noProxy: 'a.example', insecure: true };
  expect(repositoryInput(withProxy)).toMatchObject({
    proxy: 'http://proxy:3128',
    noProxy: 'a.example',
    insecure: true,
  });
  expect(templateInput({ ...form, way: 'token', bearerToken: 't' })).toMatchObject({
    url: address,
    bearerToken: 't',
  });
  expect(templateInput(form)).not.toHaveProperty('insecure');
});

test('an edit keeps what the form does not show, and the stored secrets', () => {
  const view: RepositoryView = {
    repo: address,
    type: 'git',
    username: 'ci',
    depth: 3,
    githubAppID: 7,
    useAzureWorkloadIdentity: true,
    connectionState: { status: 'Successful', message: '', attemptedAt: null },
  };
  const sent = repositoryInput({ ...repositoryFormOf(view), name: 'deploy' }, view);
  expect(sent).toMatchObject({
    ...{ repo: address, name: 'deploy', depth: 3, githubAppID: 7, useAzureWorkloadIdentity: true },
  });
  for (const field of ['connectionState', 'username', 'password', 'sshPrivateKey'])
    expect(sent).not.toHaveProperty(field);
  const changed = repositoryInput({ ...repositoryFormOf(view), way: 'none' }, view);
  expect(changed).toMatchObject({ githubAppID: null, username: null, password: null });
  const inherited = { ...view, inheritedCreds: true };
  expect(repositoryInput(repositoryFormOf(inherited), inherited)).not.toHaveProperty('githubAppID');
});

test('stored credentials are needed again where they would be sent another way', () => {
  const view = { repo: address, proxy: 'http://old:3128' } as RepositoryView;
  const by = (changes: object, before = view) =>
    redirectedBy({ ...repositoryFormOf(before), ...changes }, before);
  expect(by({ proxy: 'http://new:3128', insecure: true })).toEqual(['proxy', 'insecure']);
  expect(by({ way: 'password', insecure: true })).toEqual(['insecure']);
  expect(by({ way: 'password', password: 'again', insecure: true })).toEqual([]);
  // the same proxy or none, an identity that was not checked before, and credentials of a template
  expect([by({}), by({ proxy: '' }), by({ way: 'none', insecure: true })]).toEqual([[], [], []]);
  expect(by({}, { ...view, insecure: true })).toEqual([]);
  expect(by({ insecure: true }, { ...view, inheritedCreds: true })).toEqual([]);
});

test('a repository without credentials of its own says which template lends them, the longest that fits', () => {
  const view = { repo: address, inheritedCreds: true } as RepositoryView;
  const templates = ['https://git.example.com', 'https://git.example.com/SHOP', 'https://other.example'].map(
    (url) => ({ url }) as TemplateView,
  );
  expect(borrowedFrom(view, templates)).toContain(
    'those of the template https://git.example.com/SHOP are used',
  );
  expect(borrowedFrom(view)).toContain('those of a credential template are used'); // it may not be listed
  expect(borrowedFrom({ repo: address }, templates)).toBeUndefined();
  const by = (changes: object) => borrowedBy({ ...repositoryFormOf(view), ...changes }, view);
  expect(by({ proxy: 'http://new:3128', insecure: true })).toEqual(['proxy', 'insecure']);
  expect([by({}), by({ way: 'password', insecure: true })]).toEqual([[], []]);
  expect(borrowedBy({ ...form, way: 'stored', insecure: true }, { repo: address })).toEqual([]);
});

test.each([
  [{ ...emptyRepository }, 'address'],
  [{ ...form, way: 'github' as const, githubAppID: 'x' }, 'number'],
  [{ ...form, way: 'github' as const, githubAppID: '1' }, 'private key'],
  [{ ...form, tlsClientCertData: 'PEM' }, 'both'],
  [form, undefined],
])('what is missing is named: %#', (one, why) => {
  if (why === undefined) expect(whyNotRepository(one)).toBeUndefined();
  else expect(whyNotRepository(one)).toContain(why);
});
