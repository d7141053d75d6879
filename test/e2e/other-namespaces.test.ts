import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gitRepository } from '../git-repository.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// A team's own application in its own namespace, asked for with -N and appNamespace wherever a name is.

let fairlead: Fairlead;

beforeAll(async () => {
  fairlead = await startFairlead('--no-demo');
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  await apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'team', namespace: 'argocd' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: 'team' }],
      sourceNamespaces: ['team'],
    },
  });
  await apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cmd-params-cm', namespace: 'argocd' },
    data: { 'application.namespaces': 'team' },
  });
  const repository = await gitRepository(join(fairlead.folder, 'team'));
  await repository.commit({
    'shop/cm.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs' } }),
  });
  const host = new URL(fairlead.url).host;
  const login = await fairlead.cli('login', host, '--username', 'admin', '--password', fairlead.password);
  expect(login.code).toBe(0);
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const apply = async (object: object): Promise<void> => {
  expect(await fairlead.apply(object)).toMatchObject({ code: 0 });
};
const lines = async (...args: string[]): Promise<string[]> =>
  (await fairlead.cli(...args)).stdout.trim().split('\n');

test('the command line makes, reads, syncs and deletes it by -N, and by namespace/name', async () => {
  const source = ['--repo', `file://${join(fairlead.folder, 'team')}`, '--path', 'shop', '--project', 'team'];
  const dest = ['--dest-server', 'https://kubernetes.default.svc', '--dest-namespace', 'team'];
  const create = await fairlead.cli('app', 'create', 'shop', '-N', 'team', ...source, ...dest);
  expect(create).toMatchObject({ code: 0 });
  expect((await fairlead.cli('app', 'get', 'shop')).code).not.toBe(0); // there is none at home
  const sync = await fairlead.cli('app', 'sync', 'shop', '-N', 'team', '--timeout', '60');
  expect(sync).toMatchObject({ code: 0, stdout: expect.stringContaining('Succeeded') });
  expect(await fairlead.cli('app', 'wait', 'team/shop', '--timeout', '60')).toMatchObject({ code: 0 });
  expect(await lines('app', 'list', '-o', 'name')).toEqual(['team/shop']);
  const mark = await fairlead.kubectl(
    ...['get', 'cm', 'theirs', '-n', 'team'],
    ...['-o', 'jsonpath={.metadata.annotations.argocd\\.argoproj\\.io/tracking-id}'],
  );
  expect(mark.stdout).toBe('team_shop:/ConfigMap:team/theirs');
});

test('REST answers for the one that appNamespace names, and for no other', async () => {
  const login = await fetch(new URL('/api/v1/session', fairlead.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: fairlead.password }),
  });
  const { token } = (await login.json()) as { token: string };
  const get = async (query: string): Promise<readonly [number, string | undefined]> => {
    const url = new URL(`/api/v1/applications/shop${query}`, fairlead.url);
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const body = (await answer.json()) as { metadata?: { namespace?: string } };
    return [answer.status, body.metadata?.namespace];
  };
  expect(await get('?appNamespace=team')).toEqual([200, 'team']);
  expect((await get(''))[0]).toBeGreaterThanOrEqual(400);
  expect((await get('?appNamespace=kube-system'))[0]).toBeGreaterThanOrEqual(400);
});

test('deleted with -N it goes, and takes along what it deployed', async () => {
  expect(await fairlead.cli('app', 'delete', 'shop', '-N', 'team', '--yes')).toMatchObject({ code: 0 });
  const gone = await fairlead.kubectl(
    'wait',
    '--for=delete',
    'application/shop',
    '-n',
    'team',
    '--timeout=60s',
  );
  expect(gone.code).toBe(0);
  const left = await fairlead.kubectl('get', 'cm', 'theirs', '-n', 'team');
  expect(left.stderr).toContain('not found');
});
