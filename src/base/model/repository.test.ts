import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBase64, decodeBase64Text, encodeBase64, encodeBase64Text } from './base64.ts';
import { clusterFrom, clusterSecretName, inCluster } from './cluster.ts';
import type { KubeObject, SecretFields } from './kube-object.ts';
import { normalizeRepoUrl, sameRepo, withoutUserInfo } from './repo-url.ts';
import {
  anonymousRepository,
  credentialTemplateFrom,
  hasCredentials,
  isManagedSecret,
  repositoryFrom,
  repositorySecretName,
  repositorySecretType,
  templateFor,
  withTemplate,
} from './repository.ts';
import { secretText } from './secret.ts';

const secret = (
  data: Record<string, string>,
  metadata: Partial<KubeObject['metadata']> = {},
): KubeObject & Partial<SecretFields> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', ...metadata },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encodeBase64Text(value)])),
});

describe('base64', () => {
  test('is that of the platform, both ways', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(decodeBase64(encodeBase64(bytes))).toEqual(Uint8Array.from(bytes));
      }),
    );
  });
  test('may be folded, and nothing else', () => {
    expect(decodeBase64Text('aGVs\nbG8=\r\n')).toBe('hello');
    for (const text of ['aGVsbG8', 'a', 'aG?s', 'é==='])
      expect(() => decodeBase64(text), text).toThrow(/illegal base64/);
  });
});

describe('a Secret', () => {
  test('is read as text, and stringData wins', () => {
    expect(secretText({ ...secret({ a: 'é', b: '1' }), stringData: { b: '2' } } as KubeObject)).toEqual({
      a: 'é',
      b: '2',
    });
    expect(secretText({ ...secret({}), data: undefined } as unknown as KubeObject)).toEqual({});
  });
  test('that is not base64 is named by key, never by value', () => {
    const broken = { ...secret({}), data: { password: 'hunter2!' } } as KubeObject;
    expect(() => secretText(broken)).toThrow('secret s: data["password"] is not base64');
    expect(repositoryFrom(broken).problem).not.toContain('hunter2');
  });
});

describe('a repository', () => {
  test('is read with every field in its type', () => {
    const repository = repositoryFrom(
      secret({
        url: 'https://example.com/x.git',
        name: 'x',
        project: 'p',
        username: 'u',
        password: 'w',
        insecure: 'true',
        enableLfs: '1',
        depth: '5',
        proxy: 'http://proxy',
        githubAppID: '42',
        azureServicePrincipalClientId: 'c',
      }),
    );
    expect(repository).toEqual({
      ...anonymousRepository('https://example.com/x.git'),
      name: 'x',
      project: 'p',
      insecure: true,
      enableLfs: true,
      depth: 5,
      proxy: 'http://proxy',
      credentials: { username: 'u', password: 'w', githubAppId: 42, azureServicePrincipalClientId: 'c' },
    });
  });
  test('takes its type from its URL when it names none', () => {
    expect(repositoryFrom(secret({ url: 'oci://r/x' })).type).toBe('oci');
    expect(repositoryFrom(secret({ url: 'https://x', type: 'helm' })).type).toBe('helm');
    expect(anonymousRepository('oci://r/x').type).toBe('oci');
  });
  test('with bad text is set aside, not fatal', () => {
    const { problem } = repositoryFrom(secret({ insecure: 'yes', depth: 'deep', type: 'svn' }));
    expect(problem).toBe(
      'Configuration error: url is missing; type "svn" must be git, helm or oci; insecure must be "true" or "false"; depth must be an integer',
    );
  });
  test('template ids are read in both spellings', () => {
    const template = credentialTemplateFrom(
      secret({
        url: 'https://example.com',
        azureServicePrincipalTenantID: 't',
        azureServicePrincipalClientID: 'c',
      }),
    );
    expect(template.credentials).toEqual({
      azureServicePrincipalTenantId: 't',
      azureServicePrincipalClientId: 'c',
    });
    expect('project' in template).toBe(false);
  });
  test('knows its Secret', () => {
    const labelled = secret({}, { labels: { 'argocd.argoproj.io/secret-type': 'repo-creds' } });
    expect(repositorySecretType(labelled)).toBe('repo-creds');
    expect(
      repositorySecretType(secret({}, { labels: { 'argocd.argoproj.io/secret-type': 'cluster' } })),
    ).toBeUndefined();
    expect(isManagedSecret(secret({}, { annotations: { 'managed-by': 'argocd.argoproj.io' } }))).toBe(true);
    expect(isManagedSecret(labelled)).toBe(false);
    expect(repositorySecretName('repo', 'https://github.com/argoproj/argo-cd', '')).toBe('repo-42374749');
  });
});

describe('credential templates', () => {
  const template = (url: string, extra: Record<string, string> = {}) =>
    credentialTemplateFrom(secret({ url, password: `for ${url}`, ...extra }));
  test('the longest text prefix of the normal form wins (CRED-2)', () => {
    const templates = [template('https://h/org'), template('https://h/org/team'), template('https://other')];
    expect(templateFor('https://H/org/team/x.git', templates)?.url).toBe('https://h/org/team');
    expect(templateFor('https://h/organisation/x', templates)?.url).toBe('https://h/org');
    expect(templateFor('https://elsewhere/x', templates)).toBeUndefined();
  });
  test('fill what is empty and overwrite the switches (CRED-3)', () => {
    const bare = {
      ...anonymousRepository('https://h/org/x'),
      enableOci: true,
      proxy: 'http://mine',
      insecure: true,
    };
    const full = withTemplate(
      bare,
      template('https://h', { proxy: 'http://theirs', noProxy: 'local', forceHttpBasicAuth: 'true' }),
    );
    expect(full).toMatchObject({
      credentials: { password: 'for https://h' },
      enableOci: false,
      forceHttpBasicAuth: true,
      proxy: 'http://mine',
      noProxy: 'local',
      insecure: true,
    });
  });
  test('a GCP key alone does not count as credentials (CRED-4)', () => {
    const having = (credentials: object) => hasCredentials({ ...anonymousRepository('u'), credentials });
    expect(having({})).toBe(false);
    expect(having({ gcpServiceAccountKey: '{}' })).toBe(false);
    expect(having({ username: 'u' })).toBe(true);
    expect(having({ tlsClientCertData: 'x' })).toBe(true);
    expect(having({ useAzureWorkloadIdentity: true })).toBe(true);
  });
});

describe('repository URLs', () => {
  const cases: [string, string][] = JSON.parse(
    readFileSync(new URL('./testdata/repository-urls.json', import.meta.url), 'utf8'),
  ).cases;
  test.each(cases)('%j has the normal form %j', (url, normal) => {
    expect(normalizeRepoUrl(url)).toBe(normal);
  });
  test('name the same repository in several ways', () => {
    expect(sameRepo('git@github.com:Org/x.git', 'ssh://git@github.com/org/x')).toBe(true);
    expect(sameRepo('https://github.com/org/x', 'https://github.com/org/y')).toBe(false);
    expect(sameRepo('https://h:p/x', 'https://h:p/x')).toBe(false);
  });
  test('are shown without user and password (CRED-11)', () => {
    expect(withoutUserInfo('https://user:p@ss@host/x')).toBe('https://host/x');
    expect(withoutUserInfo('https://host/a@b')).toBe('https://host/a@b');
    expect(withoutUserInfo('git@host:x')).toBe('git@host:x');
  });
});

describe('a cluster', () => {
  test('is read from its Secret', () => {
    const cluster = clusterFrom(
      secret(
        {
          name: 'prod',
          server: 'https://10.0.0.1:6443/',
          config: '{"bearerToken":"t","tlsClientConfig":{"caData":"Q0E="}}',
          namespaces: 'a, b,',
          clusterResources: 'true',
          shard: '2',
          project: 'p',
        },
        {
          labels: { 'argocd.argoproj.io/secret-type': 'cluster', env: 'prod' },
          annotations: {
            'managed-by': 'argocd.argoproj.io',
            'argocd.argoproj.io/refresh': '2024-01-01T00:00:00Z',
            'argocd.argoproj.io/skip-reconcile': 'true',
          },
        },
      ),
    );
    expect(cluster).toEqual({
      name: 'prod',
      server: 'https://10.0.0.1:6443',
      config: { bearerToken: 't', tlsClientConfig: { caData: 'Q0E=' } },
      namespaces: ['a', 'b'],
      clusterResources: true,
      shard: 2,
      project: 'p',
      labels: { env: 'prod' },
      annotations: {
        'argocd.argoproj.io/refresh': '2024-01-01T00:00:00Z',
        'argocd.argoproj.io/skip-reconcile': 'true',
      },
      refreshRequestedAt: '2024-01-01T00:00:00Z',
      skipReconcile: true,
    });
  });
  test('may have no config at all', () => {
    expect(clusterFrom(secret({ server: 'https://x' }))).toEqual({
      ...inCluster,
      name: '',
      server: 'https://x',
    });
  });
  test('that cannot be used says why, without its token', () => {
    const problem = (data: Record<string, string>) =>
      clusterFrom(secret({ server: 'https://x', ...data })).problem;
    expect(problem({ config: '{"bearerToken": "t0ken"' })).toBe('config is not a JSON object');
    expect(problem({ config: '[]' })).toBe('config is not a JSON object');
    expect(problem({ shard: 'first' })).toBe('shard "first" must be an integer');
    expect(problem({ server: '' })).toBe('server is missing');
    expect(problem({ config: '{"tlsClientConfig":{"insecure":true,"caData":"Q0E="}}' })).toContain(
      'remove one of them',
    );
    expect(clusterFrom({ ...secret({}), data: { server: '?' } } as KubeObject).problem).toContain(
      'is not base64',
    );
  });
  test('has a Secret named after its host', () => {
    expect(clusterSecretName('https://example.com:6443')).toBe('cluster-example.com-2304746204');
    expect(clusterSecretName('https://[fe80::1]:6443')).toBe('cluster-fe80--1-625363313');
  });
});
