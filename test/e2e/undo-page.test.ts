import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { eventually } from '../eventually.ts';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';
import { barriersOf, keepScreenshot, overlapsOn } from './page-checks.ts';

// compat rollouts RK-14 on the page: the way back of a Rollout over a Knative Service of the embedded cluster, as a commit.
const namespace = 'basket';
let fairlead: Fairlead;
let repository: GitRepositoryFixture;
let browser: Browser | undefined;
let page: Page;

const service = (version: string) => `# the cart of the shop
apiVersion: serving.knative.dev/v1
kind: Service
metadata: { name: cart }
spec:
  template:
    spec:
      containers:
        - image: "ghcr.io/demo/cart:${version}" # built by CI
`;
const rollout = {
  ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'cart' } },
  spec: {
    rollbackWindow: { revisions: 3 },
    strategy: {
      canary: { trafficRouting: { plugins: { 'fairlead.io/knative': { service: 'cart' } } }, steps: [] },
    },
  },
};
const application = () => ({
  ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' },
  metadata: { name: namespace, namespace: 'argocd' },
  spec: {
    source: { repoURL: `file://${repository.dir}`, path: 'app', targetRevision: 'main' },
    destination: { server: 'https://kubernetes.default.svc', namespace },
    syncPolicy: { automated: { selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
  },
});

const until = (what: string, isSo: (app: Application) => boolean) => fairlead.until(namespace, what, isSo);
const healthyAt = (commit: string) =>
  until(commit, (app) => isSettled(app) && app.status?.sync?.revision === commit);
const tip = () => repository.git('rev-parse', 'main');
const inFile = () => readFile(join(repository.dir, 'app/service.yaml'), 'utf8');
const traffic = async (): Promise<string> => {
  const path = '{range .spec.traffic[*]}{.revisionName} {.percent};{end}';
  return (await fairlead.kubectl('get', 'ksvc', 'cart', '-n', namespace, '-o', `jsonpath=${path}`)).stdout;
};
const panel = () => page.getByRole('complementary', { name: 'Resource cart' });
const backTo = (revision: number) =>
  panel().getByRole('button', { name: `Go back to revision ${revision}`, exact: true });
const commitButton = () => page.getByRole('dialog').getByRole('button', { name: 'Commit and push' });

beforeAll(async () => {
  fairlead = await startFairlead('--no-demo');
  repository = await gitRepository(join(fairlead.folder, 'repository'));
  await repository.git('config', 'receive.denyCurrentBranch', 'updateInstead');
  const files = { 'app/service.yaml': service('v1'), 'app/rollout.yaml': JSON.stringify(rollout) };
  const first = await repository.commit(files);
  expect(await fairlead.apply(application())).toMatchObject({ code: 0 });
  await healthyAt(first);
  await healthyAt(await repository.commit({ 'app/service.yaml': service('v2') }));
  browser = await launchBrowser();
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(30_000);
  const node = `argoproj.io/Rollout/${namespace}/cart`;
  await page.goto(`${fairlead.url}/applications/argocd/${namespace}?node=${node}`);
  await page.getByLabel('Password').fill(fairlead.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
});
afterAll(async () => {
  await browser?.close();
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

test('going back opens on the commit, with its branch, repository, file and diff, and writes nothing yet', async () => {
  const before = await tip();
  await panel().getByText('Healthy: revision 2 (cart:v2) has all requests.').waitFor();
  await backTo(1).click();
  const dialog = page.getByRole('dialog', { name: 'Go back to revision 1 (cart:v1)' });
  const preview = dialog.getByRole('region', { name: 'What would happen' });
  await preview.getByText('restore the template of cart-00001 (generation 1)', { exact: true }).waitFor();
  for (const place of ['app/service.yaml', 'main', `file://${repository.dir}`])
    await preview.getByText(place, { exact: true }).waitFor();
  await preview.getByText('- image: "ghcr.io/demo/cart:v2" # built by CI').waitFor();
  await preview.getByText('- image: "ghcr.io/demo/cart:v1" # built by CI').waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await keepScreenshot(page, 'undo-commit');
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  expect(await barriersOf(page, ['color-contrast', 'link-in-text-block'])).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 360, height: 740 });
  expect((await overlapsOn(page)).beyond).toBe(0);
  await page.setViewportSize({ width: 1280, height: 900 });
  expect(await tip()).toBe(before);
});

test('a commit that changes the file meanwhile makes the plan another one, which the dialog says', async () => {
  await healthyAt(await repository.commit({ 'app/service.yaml': `${service('v2')}# more\n` }));
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Reason/).fill('errors in checkout');
  const before = await tip();
  await commitButton().click();
  await dialog.getByRole('alert').getByText('the plan is another one by now').waitFor();
  expect(await tip()).toBe(before);
});

test('a confirmed plan is the commit, with its reason, and the traffic returns', async () => {
  const before = await tip();
  const dialog = page.getByRole('dialog');
  // another branch is another plan
  await dialog.getByLabel('Branch').fill('way-back');
  await dialog.getByRole('region', { name: 'What would happen' }).waitFor({ state: 'detached' });
  await dialog.getByLabel('Branch').fill('');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByRole('alert').waitFor({ state: 'detached' });
  await commitButton().click();
  await dialog.waitFor({ state: 'detached' });
  const commit = await tip();
  expect(await repository.git('rev-parse', 'main^')).toBe(before);
  expect(await inFile()).toBe(`${service('v1')}# more\n`);
  expect(await repository.git('log', '-1', '--format=%an%n%B')).toMatch(
    /^admin\nundo\(cart\): restore the template of cart-00001[\s\S]*\nerrors in checkout\n\nRequested-by: admin/,
  );
  await healthyAt(commit);
  await eventually(async () => expect(await traffic()).toBe('cart-00003 100;'));
  await panel().getByText('Healthy: revision 3 (cart:v1) has all requests.').waitFor();
});

test('a template that Git has already offers nothing to confirm', async () => {
  const before = await tip();
  await backTo(1).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Nothing would change: it is so already.').waitFor();
  expect(await commitButton().count()).toBe(0);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await tip()).toBe(before);
});

test('the dialog says why the server refuses: the Service is not as Git declares it', async () => {
  const syncPolicy = JSON.stringify({ spec: { syncPolicy: { automated: null } } });
  const patch = ['patch', 'application', namespace, '-n', 'argocd', '--type=merge', '-p', syncPolicy];
  expect(await fairlead.kubectl(...patch)).toMatchObject({ code: 0 });
  const before = await repository.commit({ 'app/service.yaml': service('v4') });
  await backTo(2).click();
  const refusal = `Service cart is not as Git declares it: sync application ${namespace} first, then undo`;
  await page.getByRole('dialog').getByRole('alert').getByText(refusal).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await tip()).toBe(before);
});
