import { expect, test } from 'vitest';
import {
  type Application,
  type AppProject,
  encodeBase64Text,
  type KubeObject,
  RepositoryBook,
} from '#base/model';
import { affectedByRepositories, affectedByTrust } from './repository-change.ts';

let made = 0;
const secret = (type: string, data: Record<string, string>): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `s-${++made}`, labels: { 'argocd.argoproj.io/secret-type': type } },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encodeBase64Text(value)])),
  }) as KubeObject;
const repository = (data: Record<string, string>) => secret('repository', data);
const template = (data: Record<string, string>) => secret('repo-creds', data);

const appOf = (repoURL: string, more: Partial<Application['spec']> = {}, status = {}): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app' },
  spec: { destination: {}, source: { repoURL, path: '.' }, ...more },
  status,
});
const change = (before: readonly KubeObject[], after: readonly KubeObject[]) =>
  affectedByRepositories({ before: new RepositoryBook(before), after: new RepositoryBook(after) });

test('new credentials wake those who ask with them, however they spell the URL, and nobody else', () => {
  const isWoken = change(
    [repository({ url: 'https://h/org/a', password: 'old' })],
    [repository({ url: 'https://h/org/a', password: 'new' })],
  );
  expect(isWoken(appOf('https://h/org/a.git'))).toBe(true);
  expect(isWoken(appOf('https://H/org/a'))).toBe(true);
  expect(isWoken(appOf('https://h/org/b'))).toBe(false);
  const both = { sources: [{ repoURL: 'https://h/org/b' }, { repoURL: 'https://h/org/a' }] };
  expect(isWoken(appOf('', both))).toBe(true);
});

test('credentials that are gone wake those who asked with them', () => {
  const isWoken = change([repository({ url: 'https://h/org/a', password: 'old' })], []);
  expect([isWoken(appOf('https://h/org/a')), isWoken(appOf('https://h/org/b'))]).toEqual([true, false]);
});

test('a template wakes whose credentials come from it, and not who has his own', () => {
  const own = repository({ url: 'https://h/org/own', password: 'own' });
  const isWoken = change([own], [own, template({ url: 'https://h/org/', password: 'new' })]);
  expect(isWoken(appOf('https://h/org/a'))).toBe(true);
  expect(isWoken(appOf('https://h/org/own'))).toBe(false);
  expect(isWoken(appOf('https://elsewhere/a'))).toBe(false);
});

test('a repository of a project wakes applications of that project alone', () => {
  const isWoken = change([], [repository({ url: 'https://h/a', project: 'shop', password: 'pw' })]);
  expect(isWoken(appOf('https://h/a', { project: 'shop' }))).toBe(true);
  expect(isWoken(appOf('https://h/a', { project: 'other' }))).toBe(false);
});

test('a repository of charts wakes charts, which may depend on it, and who fails for want of it', () => {
  const isWoken = change([], [repository({ url: 'https://charts', type: 'helm', name: 'c' })]);
  expect(isWoken(appOf('https://h/a', {}, { sourceType: 'Helm' }))).toBe(true);
  expect(isWoken(appOf('https://h/a', {}, { sourceType: 'Kustomize' }))).toBe(false);
  const conditions = [{ type: 'ComparisonError', message: 'source failure' }];
  expect(isWoken(appOf('https://h/a', {}, { sourceType: 'Kustomize', conditions }))).toBe(true);
});

test('Secrets written anew with what they held wake nobody', () => {
  const data = { url: 'https://h/a', password: 'pw' };
  expect(change([repository(data)], [repository(data)])(appOf('https://h/a'))).toBe(false);
});

test('certificates, known hosts and keys wake those who are asked about them', () => {
  const project = (spec: object) => () => ({ metadata: { name: 'p' }, spec }) as AppProject;
  const told = (name: string, after: Record<string, string>, spec: object = {}) =>
    affectedByTrust({ name, before: { old: 'x' }, after: { old: 'x', ...after } }, project(spec));
  const certificates = told('argocd-tls-certs-cm', { 'git.example': 'PEM' });
  expect(certificates(appOf('https://git.example:8443/a'))).toBe(true);
  expect(certificates(appOf('https://old/a'))).toBe(false);
  const hosts = told('argocd-ssh-known-hosts-cm', { ssh_known_hosts: 'h ssh-rsa x' });
  expect(['ssh://git@h/a', 'git@h:a.git', 'https://h/a', '/srv/a'].map((url) => hosts(appOf(url)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const keys = { signatureKeys: [{ keyID: 'ABCD' }] };
  expect(told('argocd-gpg-keys-cm', { ABCD: 'key' }, keys)(appOf('https://h/a'))).toBe(true);
  expect(told('argocd-gpg-keys-cm', { ABCD: 'key' })(appOf('https://h/a'))).toBe(false);
  expect(told('kube-root-ca.crt', { 'ca.crt': 'x' })(appOf('https://h/a'))).toBe(false);
});
