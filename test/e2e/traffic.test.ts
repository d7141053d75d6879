import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { eventually } from '../eventually.ts';
import { gitHttpServer } from '../git-http-server.ts';
import type { GitRepositoryFixture } from '../git-repository.ts';
import { launchBrowser } from './browser.ts';
import { isSettled } from './fairlead.ts';
import { barriersOf, keepScreenshot } from './page-checks.ts';
import { namespace, type Seeds, startSeeds } from './seeds.ts';

// Decision 56: traffic through Git, on the embedded cluster or on the Knative of FAIRLEAD_TEST_KUBECONFIG (npm run test:knative).
// The tree is that of seed 001: a base, and an overlay whose patch declares the split.
let seeds: Seeds;
let repository: GitRepositoryFixture;
const overlay = 'apps/product-import/overlays/production';
const patchFile = `${overlay}/patches/scale.yaml`;
const application = 'product-import';

const patch = (version: string, traffic: string) => `# production
apiVersion: serving.knative.dev/v1
kind: Service
metadata:
  name: product-import
spec:
  template:
    metadata:
      name: product-import-${version} # one name for each release
      annotations:
        autoscaling.knative.dev/max-scale: "10"
${traffic}`;

const first = patch('v1', '');
const candidate = patch(
  'v2',
  `  traffic:
    # 100% to the old revision until validated
    - revisionName: product-import-v1
      percent: 100
    # reachable by its tag only
    - revisionName: product-import-v2
      percent: 0
      tag: candidate
`,
);

const files = (version: string, text: string) => ({
  'apps/product-import/base/kustomization.yaml': 'resources: [knative-service.yaml]\n',
  'apps/product-import/base/knative-service.yaml': seeds
    .text('001/knative-service.yaml')
    .replace(':latest', `:${version}`),
  [`${overlay}/kustomization.yaml`]: 'resources: [../../base]\npatches: [{ path: patches/scale.yaml }]\n',
  [patchFile]: text,
});

const until = (what: string, isSo: (app: Application) => boolean) =>
  seeds.fairlead.until(application, what, isSo);
const healthyAt = (commit: string) => (app: Application) =>
  isSettled(app) && app.status?.sync?.revision === commit;
const traffic = (...words: string[]) => seeds.cli('knative', 'traffic', ...words);
const json = async (...words: string[]) => JSON.parse(await traffic(...words, '-o', 'json'));
const specTraffic = async (): Promise<unknown> =>
  JSON.parse(await seeds.kubectl('get', 'ksvc', 'product-import', '-n', application, '-o', 'json')).spec
    .traffic;
const tip = () => repository.git('rev-parse', 'main');
const to = (revisionName: string) => [expect.objectContaining({ revisionName, percent: 100 })];
const isOverridden = ({ status }: Application): boolean =>
  status?.conditions?.some(({ type }) => type === 'TrafficOverrideWarning') ?? false;

beforeAll(async () => {
  seeds = await startSeeds();
  repository = await seeds.repository('acme/ecommerce-infra');
  await repository.git('config', 'receive.denyCurrentBranch', 'updateInstead');
  const commit = await repository.commit(files('v1.0.0', first));
  await seeds.apply(namespace(application), {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: application, namespace: 'argocd' },
    spec: {
      source: { repoURL: `file://${repository.dir}`, path: overlay, targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: application },
      syncPolicy: { automated: { prune: true, selfHeal: true }, retry: { limit: 0 } },
    },
  });
  await until('healthy at v1', healthyAt(commit));
});
afterAll(() => seeds?.stop());

test('a candidate gets a URL of its own and no traffic; a preview shows the diff, a promotion commits it', async () => {
  const [before] = await json('show', application);
  expect(before).toMatchObject({
    owner: 'knative',
    revisions: [{ name: 'product-import-v1', percent: 100 }],
  });
  const commit = await repository.commit(files('v2.0.0', candidate));
  await until('healthy with a candidate', healthyAt(commit));
  const [shown] = await json('show', application);
  expect(shown).toMatchObject({
    owner: 'git',
    may: { commit: true, override: true },
    revisions: [
      {
        name: 'product-import-v2',
        percent: 0,
        tags: [{ tag: 'candidate', url: expect.stringContaining('candidate-product-import.product-import') }],
      },
      { name: 'product-import-v1', percent: 100, declaredPercent: 100 },
    ],
  });
  const preview = await traffic('promote', application, '--dry-run');
  expect(preview).toContain('promote product-import-v2, which has the tag candidate');
  expect(preview).toContain(`+++ b/${patchFile}`);
  expect(await tip()).toBe(commit); // nothing was written
  const done = await json('promote', application, '--reason', 'validated\nby QA');
  expect(done).toMatchObject({ done: true, file: patchFile, branch: 'main', commit: await tip() });
  await until('promoted', healthyAt(done.commit));
  expect(await specTraffic()).toEqual(to('product-import-v2'));
  // the rest of the file is as it was, and the log says who, what and why
  expect(await readFile(join(repository.dir, patchFile), 'utf8')).toBe(
    candidate.replace(
      / {4}# 100%[\s\S]*$/,
      '    # reachable by its tag only\n    - revisionName: product-import-v2\n      percent: 100\n',
    ),
  );
  const log = await repository.git('log', '-1', '--format=%an%n%B');
  expect(log).toMatch(/^admin\ntraffic\(product-import\): promote product-import-v2/);
  expect(log).toContain('requested as candidate');
  expect(log).toContain('validated by QA');
  // the same again is no second commit
  expect(await traffic('promote', application, '--to', 'product-import-v2')).toContain('nothing to do');
  expect(await tip()).toBe(done.commit);
});

test('an override holds against self-heal, is shown with its reason, and ends when Git catches up', async () => {
  await traffic('rollback', application, '--override', '--reason', 'errors after the deployment');
  expect(await specTraffic()).toEqual(to('product-import-v1'));
  const app = await until('overridden', isOverridden);
  const warning = app.status?.conditions?.find(({ type }) => type === 'TrafficOverrideWarning')?.message;
  expect(warning).toMatch(
    /^admin overrode the traffic of Service product-import at .*\(errors after the deployment\): product-import-v1 100%/,
  );
  expect(app.status?.sync?.status).toBe('OutOfSync');
  const [shown] = await json('show', application);
  expect(shown).toMatchObject({ owner: 'override', override: { intent: 'previous-ready', by: 'admin' } });
  // another person's edit is healed to the override, not to Git
  const edit = JSON.stringify({ spec: { traffic: [{ latestRevision: true, percent: 100 }] } });
  await seeds.kubectl('patch', 'ksvc', 'product-import', '-n', application, '--type=merge', '-p', edit);
  const jsonpath = '{.spec.traffic[0].revisionName}=product-import-v1';
  await seeds.kubectl(
    'wait',
    'ksvc/product-import',
    '-n',
    application,
    '--timeout=60s',
    `--for=jsonpath=${jsonpath}`,
  );
  const { commit } = await json('rollback', application);
  const isRecorded = ({ metadata }: Application): boolean =>
    metadata.annotations?.['fairlead.io/knative-traffic-override'] !== undefined;
  await until('caught up', (one) => !isRecorded(one) && !isOverridden(one) && healthyAt(commit)(one));
  expect(await specTraffic()).toEqual(to('product-import-v1'));
});

test('a cleared override gives the Service back to Git', async () => {
  await traffic('promote', application, '--to', 'product-import-v2', '--override', '--reason', 'a try');
  expect(await specTraffic()).toEqual(to('product-import-v2'));
  expect(await traffic('clear', application)).toContain('ended');
  await until('as Git declares it', (app) => !isOverridden(app) && isSettled(app));
  expect(await specTraffic()).toEqual(to('product-import-v1'));
});

test('on the page a split is previewed as a commit and pushed, and an override shows its reason until it ends', async () => {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
    page.setDefaultTimeout(30_000);
    const node = `serving.knative.dev/Service/${application}/${application}`;
    await page.goto(`${seeds.fairlead.url}/applications/argocd/${application}?node=${node}`);
    await page.getByLabel('Password').fill(seeds.fairlead.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const panel = page.getByRole('complementary', { name: `Resource ${application}` });
    await panel.getByText('Requests go to product-import-v1 100%.').waitFor();
    await panel.getByRole('button', { name: 'Split…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('product-import-v2').fill('30');
    await dialog.getByText('The shares add up to 130%').first().waitFor();
    await dialog.getByLabel('product-import-v1').fill('70');
    await dialog.getByLabel(/^Reason/).fill('a third by the page');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    const preview = dialog.getByRole('region', { name: 'What would happen' });
    await preview.getByText(patchFile).waitFor();
    await preview.getByText('percent: 30').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await keepScreenshot(page, 'traffic-commit');
    await dialog.getByRole('button', { name: 'Commit and push' }).click();
    await panel.getByText('Requests go to product-import-v2 30%, product-import-v1 70%.').waitFor();
    expect(await repository.git('log', '-1', '--format=%B')).toContain('a third by the page');
    await panel.getByRole('button', { name: 'Roll back…' }).click();
    await dialog.getByLabel('How').selectOption('override');
    await dialog.getByLabel('Reason').fill('errors on the page');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByRole('button', { name: 'Override now' }).click();
    const override = panel.getByRole('region', { name: 'Override' });
    await override.getByText('errors on the page').waitFor();
    await panel.getByText('Requests go to product-import-v1 100%.').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await keepScreenshot(page, 'traffic-override');
    await override.getByRole('button', { name: 'End it…' }).click();
    await dialog.getByRole('button', { name: 'End the override' }).click();
    await override.waitFor({ state: 'detached' });
  } finally {
    await browser.close();
  }
  await until('as Git declares it', (app) => !isOverridden(app) && isSettled(app));
});

test('a role of a project may not push with credentials that belong to the operators', async () => {
  const policies = ['p, proj:team:dev, applications, *, team/*, allow'];
  await seeds.apply(
    namespace('team'),
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'team', namespace: 'argocd' },
      spec: {
        sourceRepos: ['*'],
        destinations: [{ server: '*', namespace: 'team' }],
        roles: [{ name: 'dev', policies }],
      },
    },
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'team', namespace: 'argocd' },
      spec: {
        project: 'team',
        source: { repoURL: `file://${repository.dir}`, path: overlay, targetRevision: 'main' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'team' },
        syncPolicy: { automated: {} },
      },
    },
  );
  await seeds.fairlead.until('team', 'synced', (app) => app.status?.sync?.status === 'Synced');
  const token = (await seeds.cli('proj', 'role', 'create-token', 'team', 'dev', '--token-only')).trim();
  const before = await tip();
  const ask = (path: string, body: object) =>
    fetch(`${seeds.fairlead.url}/api/v1/applications/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const split = { action: 'split', targets: [{ revision: 'latest', percent: 100 }] };
  const refused = await ask('team/knative/traffic', split);
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining('write-repositories, update'),
  ]);
  // nor in the project of another
  expect((await ask(`${application}/knative/traffic?project=team`, split)).status).toBe(404);
  expect((await ask(`${application}/knative/traffic`, split)).status).toBe(403);
  expect(await tip()).toBe(before);
});

test('a change needs update on the application, and an override needs override as well', async () => {
  const may = (...actions: string[]) =>
    actions.map((action) => `p, proj:narrow:dev, applications, ${action}, narrow/*, allow`);
  const project = (...actions: string[]) => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'narrow', namespace: 'argocd' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: 'narrow' }],
      roles: [{ name: 'dev', policies: may(...actions) }],
    },
  });
  await seeds.apply(namespace('narrow'), project('get'), {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'narrow', namespace: 'argocd' },
    spec: {
      project: 'narrow',
      source: { repoURL: `file://${repository.dir}`, path: overlay, targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'narrow' },
      syncPolicy: { automated: {} },
    },
  });
  await seeds.fairlead.until('narrow', 'synced', (app) => app.status?.sync?.status === 'Synced');
  const token = (await seeds.cli('proj', 'role', 'create-token', 'narrow', 'dev', '--token-only')).trim();
  const before = await tip();
  const ask = async (mode: string): Promise<string> => {
    const response = await fetch(`${seeds.fairlead.url}/api/v1/applications/narrow/knative/traffic`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'split', targets: [{ revision: 'latest', percent: 100 }], mode }),
    });
    return `${response.status} ${await response.text()}`;
  };
  expect(await ask('commit')).toMatch(/^403 .*applications, update/);
  expect(await ask('override')).toMatch(/^403 .*applications, update/);
  await seeds.apply(project('get', 'update'));
  // the role may commit now, but not with the operators' credentials
  await eventually(async () => expect(await ask('commit')).toMatch(/^403 .*write-repositories, update/));
  expect(await ask('override')).toMatch(/^403 .*applications, override/);
  expect(await tip()).toBe(before);
});

test('a role pushes over HTTP with the credentials of its project, and with those of no other', async () => {
  const authorization = `Basic ${Buffer.from('pusher:of-shop').toString('base64')}`;
  const served = await seeds.repository('acme/served');
  await served.git('config', 'http.receivepack', 'true');
  await served.git('config', 'receive.denyCurrentBranch', 'updateInstead');
  const commit = await served.commit(files('v1.0.0', first));
  const server = await gitHttpServer({
    root: dirname(served.dir),
    first: ({ url, headers }, response) => {
      if (!url?.includes('receive-pack') || headers.authorization === authorization) return false;
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return true;
    },
  });
  try {
    const repoURL = `${server.url}/served/.git`;
    const [policies, namespaced] = [
      ['p, proj:shop:dev, applications, *, shop/*, allow'],
      { namespace: 'argocd' },
    ];
    const credentials = (project: string, password: string) => ({
      ...{ apiVersion: 'v1', kind: 'Secret' },
      metadata: {
        ...{ name: `push-${project}`, ...namespaced },
        labels: { 'argocd.argoproj.io/secret-type': 'repository-write' },
      },
      stringData: { url: repoURL, project, username: 'pusher', password },
    });
    await seeds.apply(
      namespace('shop'),
      {
        ...{
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'AppProject',
          metadata: { name: 'shop', ...namespaced },
        },
        spec: {
          sourceRepos: ['*'],
          destinations: [{ server: '*', namespace: 'shop' }],
          roles: [{ name: 'dev', policies }],
        },
      },
      credentials('elsewhere', 'of-elsewhere'),
      {
        ...{
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'Application',
          metadata: { name: 'shop', ...namespaced },
        },
        spec: {
          project: 'shop',
          source: { repoURL, path: overlay, targetRevision: 'main' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
          syncPolicy: { automated: {} },
        },
      },
    );
    await seeds.fairlead.until('shop', 'healthy', healthyAt(commit));
    const token = (await seeds.cli('proj', 'role', 'create-token', 'shop', 'dev', '--token-only')).trim();
    const split = async (): Promise<string> => {
      const targets = [{ revision: 'product-import-v1', percent: 100 }];
      const response = await fetch(`${seeds.fairlead.url}/api/v1/applications/shop/knative/traffic`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ action: 'split', targets }),
      });
      return `${response.status} ${await response.text()}`;
    };
    expect(await split()).toMatch(/^400 .*no credentials for pushing to .* are declared/);
    expect(server.requests.join('\n')).not.toContain('receive-pack');
    await seeds.apply(credentials('shop', 'of-shop'));
    await eventually(async () => expect(await split()).toMatch(/^200 /));
    expect(server.requests).toContain(`POST /served/.git/git-receive-pack ${authorization}`);
    expect(await served.git('show', `main:${patchFile}`)).toContain('revisionName: product-import-v1');
  } finally {
    await server.close();
  }
});

test('a canary on a branch is left for a pull request; what is generated is refused by name', async () => {
  const before = await tip();
  const { branch, commit } = await json(
    'promote',
    application,
    '--to',
    'product-import-v2',
    '--percent',
    '20',
    '--branch',
    'canary',
  );
  expect(branch).toBe('canary');
  expect(await tip()).toBe(before);
  expect(await repository.git('show', `${commit}:${patchFile}`)).toContain('percent: 20');
  await repository.commit({
    [patchFile]: undefined,
    [`${overlay}/kustomization.yaml`]: 'resources: [../../base]\n',
  });
  const { code, stderr } = await seeds.fairlead.cli(
    'knative',
    'traffic',
    'promote',
    application,
    '--to',
    'product-import-v2',
  );
  expect(code).not.toBe(0);
  expect(stderr).toContain('apps/product-import/base/knative-service.yaml declares it outside');
  expect(stderr).toContain(`add a patch with spec.traffic below ${overlay}`);
});
