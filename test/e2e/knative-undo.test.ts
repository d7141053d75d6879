import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { eventually } from '../eventually.ts';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';
import { type Fairlead, forget, isSettled, onCluster, startFairlead } from './fairlead.ts';

// compat rollouts RK-14: the way back of a Rollout over a Knative Service, as a commit and as an override, with Knative as the
// embedded cluster has it or as FAIRLEAD_TEST_KUBECONFIG has it (npm run test:knative).
const { FAIRLEAD_TEST_KUBECONFIG: kubeconfig } = process.env;
const namespace = 'basket';
let fairlead: Fairlead;
let repository: GitRepositoryFixture;

const service = (version: string, more = '') => `# the cart of the shop
apiVersion: serving.knative.dev/v1
kind: Service
metadata: { name: cart }
spec:
  template:
    metadata:
      annotations:
        team: shop # who to call
    spec:
      containers:
        - image: "ghcr.io/demo/cart:${version}" # built by CI
${more}          ports:
            - containerPort: 8080 # of the framework
  # no traffic: the Rollout moves it
`;
const env = `          env:
            # only since v2
            - name: FAST_CHECKOUT
              value: "true"
`;
const rollout = {
  ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'cart' } },
  spec: {
    rollbackWindow: { revisions: 3 },
    strategy: {
      canary: {
        trafficRouting: { plugins: { 'fairlead.io/knative': { service: 'cart' } } },
        steps: [{ setWeight: 20 }, { pause: {} }],
      },
    },
  },
};
const application = (name: string, path: string, more: object = {}) => ({
  ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name, namespace: 'argocd' } },
  spec: {
    source: { repoURL: `file://${repository.dir}`, path, targetRevision: 'main' },
    destination: { server: 'https://kubernetes.default.svc', namespace: name },
    syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
    ...more,
  },
});

const until = (what: string, isSo: (app: Application) => boolean) => fairlead.until(namespace, what, isSo);
const healthyAt = (commit: string) => (app: Application) =>
  isSettled(app) && app.status?.sync?.revision === commit;
const rollouts = (verb: string, ...flags: string[]) =>
  fairlead.cli('rollouts', verb, 'cart', '-n', namespace, ...flags);
const tip = () => repository.git('rev-parse', 'main');
const inFile = () => readFile(join(repository.dir, 'app/service.yaml'), 'utf8');
const traffic = async (): Promise<string> => {
  const path = '{range .spec.traffic[*]}{.revisionName} {.percent} {.tag};{end}';
  return (await fairlead.kubectl('get', 'ksvc', 'cart', '-n', namespace, '-o', `jsonpath=${path}`)).stdout;
};
const warningOf = ({ status }: Application): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'TrafficOverrideWarning')?.message;
const isPaused = ({ status }: Application): boolean => status?.health?.status === 'Suspended';

async function login(): Promise<void> {
  const { host } = new URL(fairlead.url);
  const words = ['login', host, '--username', 'admin', '--password', fairlead.password];
  expect(await fairlead.cli(...words)).toMatchObject({ code: 0 });
}

beforeAll(async () => {
  fairlead = await startFairlead(...(kubeconfig ? [...onCluster(kubeconfig), '--rollouts'] : ['--no-demo']));
  repository = await gitRepository(join(fairlead.folder, 'repository'));
  await repository.git('config', 'receive.denyCurrentBranch', 'updateInstead');
  const first = await repository.commit({
    'app/service.yaml': service('v1'),
    'app/rollout.yaml': JSON.stringify(rollout),
  });
  await login();
  expect(await fairlead.apply(application(namespace, 'app'))).toMatchObject({ code: 0 });
  await until('healthy at v1', healthyAt(first));
  const second = await repository.commit({ 'app/service.yaml': service('v2', env) });
  await until('paused at its canary', (app) => isPaused(app) && app.status?.sync?.revision === second);
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

test('during an update the previous template is that of the stable version; a preview writes nothing', async () => {
  const before = await tip();
  const { code, stdout } = await rollouts('undo', '--dry-run');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^would commit to branch main of file:.*: restore the template of cart-00001 \(generation 1\)/,
  );
  expect(stdout).toContain('-        - image: "ghcr.io/demo/cart:v2" # built by CI\n');
  expect(stdout).toContain('+        - image: "ghcr.io/demo/cart:v1" # built by CI\n');
  // for a pull request
  expect(await rollouts('undo', '--yes', '--branch', 'way-back')).toMatchObject({ code: 0 });
  expect(await repository.git('show', 'way-back:app/service.yaml')).toBe(service('v1').trimEnd());
  expect(await tip()).toBe(before);
  expect(await rollouts('promote', '--full')).toMatchObject({ code: 0 });
  await until('healthy at v2', healthyAt(before));
  expect(await traffic()).toBe('cart-00002 100 ;');
});

test('undo commits the earlier template, with its author and reason, and it is promoted at once', async () => {
  const reason = 'errors\n\nRequested-by: someone else';
  const undone = await rollouts('undo', '--yes', '--reason', reason);
  expect(undone).toMatchObject({ code: 0, stderr: '' });
  const commit = await tip();
  expect(undone.stdout).toContain(`committed ${commit.slice(0, 7)} to branch main of file:`);
  // what v2 added is gone, and the rest of the file is as it was
  expect(await inFile()).toBe(service('v1'));
  expect(await repository.git('log', '-1', '--format=%an%n%B')).toMatch(
    /^admin\nundo\(cart\): restore the template of cart-00001 \(generation 1\)\n\nService cart in namespace basket, application basket\nbefore: cart-00002\nrequested as the previous Revision\n\nerrors Requested-by: someone else\n\nRequested-by: admin/,
  );
  await until('healthy at v1 again', healthyAt(commit));
  expect(await traffic()).toBe('cart-00003 100 ;');
  const { stdout } = await fairlead.kubectl('get', 'events', '-n', namespace, '-o', 'json');
  expect(stdout).toContain('Rollback to a version that was stable before');
  // the same Revision again is no second commit
  expect((await rollouts('undo', '--yes', '--to-revision', '1')).stdout).toContain('nothing to do');
  expect(await tip()).toBe(commit);
});

test('undo --now pins the traffic, and the application says so, also after a kill -9', async () => {
  const commit = await tip();
  const pinned = await rollouts('undo', '--now', '--reason', 'the old checkout is slow');
  expect(pinned).toMatchObject({ code: 0, stderr: '' });
  expect(pinned.stdout).toContain('sends all traffic to cart-00002 (generation 2)');
  const app = await until('overridden', (one) => isPaused(one) && warningOf(one) !== undefined);
  expect(app.status?.health?.message).toMatch(/^Rollout cart \(manual traffic override by \S+\)$/);
  expect(warningOf(app)).toMatch(
    /overrode the traffic of Rollout cart at .* \(the old checkout is slow\): all of it goes to cart-00002; .*undo cart -n basket --clear$/,
  );
  expect(app.status?.sync).toMatchObject({ status: 'Synced', revision: commit });
  await eventually(async () => expect(await traffic()).toBe('cart-00002 100 ;cart-00003 0 ;'));
  await fairlead.kill();
  fairlead = await fairlead.restart();
  await login();
  await until('overridden still', (one) => isPaused(one) && warningOf(one) !== undefined);
  expect((await rollouts('status')).stdout).toContain('Paused - manual traffic override by');
  expect((await fairlead.cli('knative', 'traffic', 'show', namespace)).stdout).toContain(
    'all traffic to cart-00002',
  );
  expect(await traffic()).toBe('cart-00002 100 ;cart-00003 0 ;');
});

test('a commit meanwhile gets no traffic and no promotion; --clear lifts the override, and its steps begin', async () => {
  const commit = await repository.commit({ 'app/service.yaml': service('v4') });
  await until('synced', ({ status }) => status?.sync?.revision === commit && status.sync.status === 'Synced');
  const refused = await rollouts('promote', '--full');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('end it first with fairlead rollouts undo cart -n basket --clear');
  // past the command, as any user of kubectl may
  const body = JSON.stringify({ status: { promoteFull: true } });
  const patch = [
    'patch',
    'rollout',
    'cart',
    '-n',
    namespace,
    '--subresource=status',
    '--type=merge',
    '-p',
    body,
  ];
  expect(await fairlead.kubectl(...patch)).toMatchObject({ code: 0 });
  await eventually(async () => expect((await rollouts('get')).stdout).toMatch(/4 +cart-00004 /));
  expect(await traffic()).toBe('cart-00002 100 ;cart-00003 0 ;');
  expect(await rollouts('undo', '--clear')).toMatchObject({ code: 0 });
  const isAtStep = ({ status }: Application) => status?.health?.message?.includes('CanaryPauseStep') ?? false;
  await until('at its step', (one) => isPaused(one) && isAtStep(one) && warningOf(one) === undefined);
  expect(await traffic()).toBe('cart-00003 80 ;cart-00004 20 candidate;');
});

test('a hostile annotation moves nothing, and the application says that it has no effect', async () => {
  const before = await traffic();
  const forged = JSON.stringify({
    revision: 'cart-00001',
    by: 'admin\nHealthy',
    at: '2026-01-01T00:00:00Z',
    reason: 'x',
  });
  const annotate = (text: string) =>
    fairlead.kubectl('annotate', 'rollout', 'cart', '-n', namespace, `fairlead.io/manual-traffic=${text}`);
  expect(await annotate(forged)).toMatchObject({ code: 0 });
  const app = await until('warned', ({ status }) =>
    (status?.conditions ?? []).some(({ message }) => message.includes('fairlead.io/manual-traffic')),
  );
  expect(app.status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'ConfigurationWarning',
      message: expect.stringMatching(
        /^Rollout cart: annotation .* has no effect: by has control characters; remove it/,
      ),
    }),
  );
  expect(warningOf(app)).toBeUndefined();
  expect(await traffic()).toBe(before);
  expect(await rollouts('undo', '--clear')).toMatchObject({ code: 0 });
});

test('who may only read the application can neither commit an undo nor preview one', async () => {
  const policies = ['p, proj:narrow:dev, applications, get, narrow/*, allow'];
  await fairlead.apply({
    ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject' },
    metadata: { name: 'narrow', namespace: 'argocd' },
    spec: {
      ...{ sourceRepos: ['*'], destinations: [{ server: '*', namespace: 'narrow' }] },
      roles: [{ name: 'dev', policies }],
    },
  });
  await fairlead.apply(application('narrow', 'app', { project: 'narrow' }));
  await fairlead.until('narrow', 'there', () => true);
  const created = await fairlead.cli('proj', 'role', 'create-token', 'narrow', 'dev', '--token-only');
  const headers = { authorization: `Bearer ${created.stdout.trim()}`, 'content-type': 'application/json' };
  const before = await tip();
  for (const path of ['narrow/knative/undo', 'narrow/knative/undo/plan', `${namespace}/knative/undo`]) {
    const url = `${fairlead.url}/api/v1/applications/${path}`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ generation: 1 }) });
    expect([path, response.status]).toEqual([path, 403]);
  }
  expect(await tip()).toBe(before);
});

const release = (version: string) => `apiVersion: serving.knative.dev/v1
kind: Service
metadata: { name: named }
spec:
  template:
    metadata:
      name: named-${version} # one for each release
    spec:
      containers:
        - image: ghcr.io/demo/named:${version}
`;

test('a Service that names its Revisions gets the name of the restored one, in the overlay that has it', async () => {
  const base = (version: string) => service(version).replaceAll('cart', 'named');
  const files = (version: string) => ({
    'named/base/kustomization.yaml': 'resources: [service.yaml]\n',
    'named/base/service.yaml': base('v0'),
    'named/overlay/kustomization.yaml': 'resources: [../base]\npatches: [{ path: release.yaml }]\n',
    'named/overlay/release.yaml': release(version),
  });
  const settled = (commit: string) => fairlead.until('named', commit, healthyAt(commit));
  const first = await repository.commit(files('v1'));
  expect(await fairlead.apply(application('named', 'named/overlay'))).toMatchObject({ code: 0 });
  await settled(first);
  await settled(await repository.commit(files('v2')));
  const undone = await post('named/knative/undo', { reason: 'slow' });
  expect(undone).toMatchObject({ done: true, revision: 'named-v1', file: 'named/overlay/release.yaml' });
  expect(await readFile(join(repository.dir, 'named/overlay/release.yaml'), 'utf8')).toBe(release('v1'));
  await settled(String(undone.commit));
  const latest = 'jsonpath={.status.latestReadyRevisionName}';
  expect((await fairlead.kubectl('get', 'ksvc', 'named', '-n', 'named', '-o', latest)).stdout).toBe(
    'named-v1',
  );
});

test('a Service that is not as Git declares it is to be synced first', async () => {
  await fairlead.kubectl('patch', 'application', 'named', '-n', 'argocd', '--type=merge', '-p', manual);
  const before = await repository.commit({ 'named/overlay/release.yaml': release('v3') });
  expect(await post('named/knative/undo', { generation: 2 })).toMatchObject({
    message: 'Service named is not as Git declares it: sync application named first, then undo',
  });
  expect(await tip()).toBe(before);
});
const manual = JSON.stringify({ spec: { syncPolicy: { automated: null } } });

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const json = { 'content-type': 'application/json' };
  const session = await fetch(`${fairlead.url}/api/v1/session`, {
    ...{ method: 'POST', headers: json },
    body: JSON.stringify({ username: 'admin', password: fairlead.password }),
  });
  const { token } = (await session.json()) as { token: string };
  const response = await fetch(`${fairlead.url}/api/v1/applications/${path}`, {
    ...{ method: 'POST', headers: { ...json, authorization: `Bearer ${token}` } },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
}
