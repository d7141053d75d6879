import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { Repositories } from './repositories.ts';

let cluster: EmbeddedCluster;
let kube: KubeClient;
let stop: AbortController;
let ctx: Ctx;
let running: Promise<void>;
let repositories: Repositories;
let secrets = 0;

beforeEach(async () => {
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  repositories = new Repositories({ kube, namespace: 'default' });
});
afterEach(async () => {
  stop.abort();
  await running;
  await cluster.close();
});

async function start(): Promise<void> {
  running = repositories.run(ctx).catch(() => {});
  await repositories.whenSynced(ctx);
}

const secret = (type: 'repository' | 'repo-creds', stringData: Record<string, string>) =>
  kube.create(ctx, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `s-${++secrets}`,
      namespace: 'default',
      labels: { 'argocd.argoproj.io/secret-type': type },
    },
    stringData,
  } as KubeObject);

describe('the repositories of charts', () => {
  test('are those of the project or of none, and no Git repositories among them (CRED-10)', async () => {
    await secret('repo-creds', { url: 'https://h', password: 'template' });
    await secret('repository', { url: 'https://h/charts', type: 'helm', name: 'ours' });
    await secret('repository', { url: 'oci://h/x', project: 'shop' });
    await secret('repository', { url: 'https://h/theirs', type: 'helm', project: 'other' });
    await secret('repository', { url: 'https://h/org/repo' });
    await start();
    expect(repositories.charts('shop')).toMatchObject([
      { url: 'https://h/charts', name: 'ours', credentials: { password: 'template' } },
      { url: 'oci://h/x', name: '', credentials: {} },
    ]);
    expect(repositories.charts('x')).toMatchObject([{ name: 'ours' }]);
  });
});

describe('the record of a repository', () => {
  test('is that of the project, then that of no project, then nobody (CRED-1)', async () => {
    await secret('repository', { url: 'https://h/org/repo.git', password: 'any' });
    await secret('repository', { url: 'https://H/org/repo', project: 'shop', password: 'shop' });
    await secret('repository', { url: 'https://h/private', project: 'shop', password: 'private' });
    await start();
    const password = (url: string, project: string) => repositories.find(url, project).credentials.password;
    expect(password('https://h/org/repo', 'shop')).toBe('shop');
    expect(password('https://h/org/repo.git', 'other')).toBe('any');
    expect(password('https://h/private', 'shop')).toBe('private');
    expect(password('https://h/private', 'other')).toBeUndefined();
    expect(repositories.find('https://h/Org/Repo', 'x').url).toBe('https://h/Org/Repo');
    // the queues for hosts count by it
    for (const project of ['shop', 'other'])
      expect(repositories.find('https://h/org/repo', project).tenant).toBe(project);
  });

  test('is completed from the longest template when it has no credentials (CRED-2, CRED-3)', async () => {
    await secret('repo-creds', { url: 'https://h', password: 'short', proxy: 'http://p' });
    await secret('repo-creds', { url: 'https://h/org/', password: 'long', forceHttpBasicAuth: 'true' });
    await secret('repository', { url: 'https://h/org/own', password: 'own' });
    await secret('repository', { url: 'https://h/org/bare', insecure: 'true', depth: '3' });
    await start();
    expect(repositories.find('https://h/x', 'p')).toMatchObject({
      credentials: { password: 'short' },
      proxy: 'http://p',
      warnings: [],
    });
    expect(repositories.find('https://h/org/repo', 'p').credentials.password).toBe('long');
    expect(repositories.find('https://h/org/own', 'p').credentials.password).toBe('own');
    expect(repositories.find('https://h/org/bare', 'p')).toMatchObject({
      credentials: { password: 'long' },
      forceHttpBasicAuth: true,
      insecure: true,
      depth: 3,
    });
    expect(repositories.find('https://other/x', 'p').credentials).toEqual({});
  });

  test('a key of Google alone does not keep a template away (CRED-4)', async () => {
    await secret('repo-creds', { url: 'https://h', password: 'template' });
    await secret('repository', { url: 'https://h/gcp', gcpServiceAccountKey: '{}' });
    await start();
    expect(repositories.find('https://h/gcp', 'p').credentials).toEqual({
      gcpServiceAccountKey: '{}',
      password: 'template',
    });
  });

  test('a template that ends within a name serves, and that is told (DEV-4)', async () => {
    await secret('repo-creds', { url: 'https://h/org', password: 'pw' });
    await start();
    expect(repositories.find('https://h/organisation/x', 'p')).toMatchObject({
      credentials: { password: 'pw' },
      warnings: [expect.stringContaining('ends within a name')],
    });
    expect(repositories.find('https://h/org/x', 'p').warnings).toEqual([]);
  });

  test('follows its Secret', async () => {
    await start();
    expect(repositories.find('https://h/late', 'p').credentials).toEqual({});
    await secret('repository', { url: 'https://h/late', password: 'now' });
    await expect.poll(() => repositories.find('https://h/late', 'p').credentials.password).toBe('now');
  });

  test('with a value that cannot be read says so and spoils no other', async () => {
    await secret('repository', { url: 'https://h/bad', insecure: 'perhaps' });
    await secret('repository', { url: 'https://h/good', password: 'pw' });
    await start();
    expect(repositories.find('https://h/bad', 'p').problem).toContain('insecure must be');
    expect(repositories.find('https://h/good', 'p').problem).toBeUndefined();
  });
});
