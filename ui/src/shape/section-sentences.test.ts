import { expect, test } from 'vitest';
import type { AppProject } from '#base/model';
import type { AccountView, ClusterView, ConnectionState, RepositoryView } from '#serve/api';
import { sampleApplication } from './sample-application.ts';
import {
  accountsSentence,
  certificatesSentence,
  clustersSentence,
  keysSentence,
  projectsSentence,
  repositoriesSentence,
  unlistedRepositories,
} from './section-sentences.ts';
import { textOf } from './span.ts';

const now = Date.parse('2026-03-18T14:30:00Z');
const apps = [sampleApplication(), sampleApplication({}, {}, 'web')];
const project = (name: string, spec: AppProject['spec'] = {}): AppProject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name },
  spec,
});
const failure: ConnectionState = {
  status: 'Failed',
  message: 'dial tcp: connection refused',
  attemptedAt: '2026-03-18T14:28:00Z',
};
const cluster = (name: string, state: ConnectionState): ClusterView =>
  ({ name, server: `https://${name}`, info: { connectionState: state } }) as ClusterView;
const connected: ConnectionState = { status: 'Successful', message: '', attemptedAt: '2026-03-18T14:28:00Z' };

test('projects: how many, for what, and where syncs are blocked', () => {
  const deny = { kind: 'deny' as const, schedule: '0 14 * * *', duration: '1h', applications: ['*'] };
  const projects = [project('shop', { syncWindows: [deny] }), project('default')];
  expect(textOf(projectsSentence(projects, apps, now))).toBe(
    '2 projects for 2 applications, 1 without any; a deny window is open in shop.',
  );
  expect(textOf(projectsSentence([project('shop')], apps, now))).toBe('1 project for 2 applications.');
});

test('clusters: how much runs on them, or which cannot be reached and why', () => {
  expect(textOf(clustersSentence([cluster('a', connected)], apps, now))).toBe(
    '2 applications on 1 cluster, connected.',
  );
  const untried: ConnectionState = { status: 'Unknown', message: '', attemptedAt: null };
  expect(textOf(clustersSentence([cluster('a', connected), cluster('b', untried)], apps, now))).toBe(
    '2 applications on 2 clusters; 1 is not connected yet.',
  );
  expect(textOf(clustersSentence([cluster('a', connected), cluster('b', failure)], apps, now))).toBe(
    '1 of 2 clusters cannot be reached: b, tried 2 min ago: “dial tcp: connection refused”.',
  );
  expect(textOf(clustersSentence([], [], now))).toBe('No cluster is registered: nothing can be deployed.');
});

test('repositories: those without an entry count and are listed', () => {
  const charts: RepositoryView = {
    repo: 'https://charts.example.com',
    type: 'helm',
    connectionState: connected,
  };
  expect(unlistedRepositories([charts], apps)).toEqual([
    { repo: 'https://git.example.com/shop/deploy.git', count: 2 },
  ]);
  expect(unlistedRepositories([{ ...charts, repo: 'https://git.example.com/shop/deploy' }], apps)).toEqual(
    [],
  );
  expect(textOf(repositoriesSentence([charts], apps, now))).toBe(
    '2 applications read from 2 repositories: 1 connected here, 1 without an entry.',
  );
  expect(textOf(repositoriesSentence([{ ...charts, connectionState: failure }], apps, now))).toBe(
    '1 of 1 repository cannot be read: charts.example.com, tried 2 min ago: “dial tcp: connection refused”.',
  );
  expect(textOf(repositoriesSentence([], [], now))).toBe(
    'No repository is connected, and no application reads from one.',
  );
});

test('accounts: how many, and which tokens expired or never do', () => {
  const account = (more: Partial<AccountView>): AccountView => ({
    name: 'a',
    enabled: true,
    capabilities: ['apiKey'],
    ...more,
  });
  const tokens = [
    { id: '1', issuedAt: 1, expiresAt: 2 },
    { id: '2', issuedAt: 1 },
  ];
  expect(textOf(accountsSentence([account({ tokens }), account({ enabled: false })], now))).toBe(
    '2 local accounts, 1 disabled, with 2 tokens: 1 expired, 1 without an end.',
  );
  expect(textOf(accountsSentence([account({})], now))).toBe('1 local account, with no tokens.');
});

test('certificates and keys: what is stored, and whether a project needs it', () => {
  const entry = (certType: 'https' | 'ssh', serverName: string) => ({
    serverName,
    certType,
    certSubType: '',
    certInfo: '',
  });
  expect(textOf(certificatesSentence([entry('ssh', 'a'), entry('https', 'a'), entry('ssh', 'b')]))).toBe(
    '2 hosts are recognised by 2 SSH host keys and 1 TLS certificate.',
  );
  expect(textOf(certificatesSentence([]))).toContain('No certificate is stored');
  expect(textOf(keysSentence([], [project('a')]))).toBe(
    'No signing key is stored; no project requires signed commits.',
  );
  const signed = project('b', { signatureKeys: [{ keyID: 'x' }] });
  const key = { keyID: 'x', fingerprint: '', owner: '', trust: '', subType: '', keyData: '' };
  expect(textOf(keysSentence([key], [signed]))).toBe(
    '1 signing key is stored; 1 project requires signed commits.',
  );
});
