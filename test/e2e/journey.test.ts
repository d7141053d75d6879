import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';
import { barriersOf, keepScreenshot, overlapsOn } from './page-checks.ts';

// What a person sees: sign in, the applications, one of them, a change rolling out, drift and its undoing.
const names = ['demo', 'guestbook', 'storefront', 'catalog', 'hello', 'product-import-staging'];
let fairlead: Fairlead;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  [fairlead, browser] = await Promise.all([startFairlead(), launchBrowser()]);
  for (const name of names) {
    await fairlead.until(name, 'synced and healthy', isSettled);
  }
  page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(30_000);
  page.on('pageerror', (error) => complaints.push(error.message));
});

afterAll(async () => {
  await browser?.close();
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const barriers = () => barriersOf(page);
const see = (name: string) => keepScreenshot(page, name);
const read = (path: string): string => readFileSync(join(fairlead.demo, path), 'utf8');

test('whoever is not signed in is asked to, and comes back to where they wanted to go', async () => {
  await page.goto(`${fairlead.url}/applications?health=Healthy`);
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('Invalid username or password').waitFor();
  expect(await barriers()).toEqual([]);
  await see('login');
  await page.getByLabel('Password').fill(fairlead.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'guestbook' }).first().waitFor();
  expect(new URL(page.url()).search).toBe('?health=Healthy');
});

test('the list shows the six demo applications, each synced and healthy', async () => {
  await page.goto(`${fairlead.url}/applications`);
  for (const name of names) {
    const row = page.getByRole('row', { name: new RegExp(`^${name}\\b`) });
    await row.getByText('Synced', { exact: true }).first().waitFor();
    await row.getByText('Healthy', { exact: true }).first().waitFor();
  }
  expect(await barriers()).toEqual([]);
  await see('applications');
});

test('one application opens with a sentence and its tree', async () => {
  await page.goto(`${fairlead.url}/applications/argocd/guestbook`);
  await page.getByRole('heading', { level: 1 }).getByText('Healthy').waitFor();
  await page
    .getByRole('treeitem', { name: /web.*Deployment|Deployment.*web/ })
    .first()
    .waitFor();
  await page.getByRole('treeitem', { name: /Pod/ }).first().waitFor();
  expect(await barriers()).toEqual([]);
  await see('application');
});

test('a commit is seen to roll out without touching the page', async () => {
  const text = read('guestbook/web.yaml').replace('replicas: 2', 'replicas: 4');
  const commit = await fairlead.commit({ 'guestbook/web.yaml': text }, 'four of them');
  await page.getByText(commit.slice(0, 7)).first().waitFor();
  await expect.poll(() => page.getByRole('treeitem', { name: /web-.*Pod|Pod.*web-/ }).count()).toBe(4);
});

test('drift shows field by field with who wrote it, and Sync undoes it after a preview', async () => {
  await fairlead.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'by-hand', namespace: 'argocd' },
    spec: {
      source: { repoURL: `file://${fairlead.demo}`, path: 'guestbook' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'by-hand' },
      syncPolicy: { syncOptions: ['CreateNamespace=true'] },
    },
  });
  await page.goto(`${fairlead.url}/applications/argocd/by-hand`);
  await page.getByRole('button', { name: /^Sync/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Sync \d+ change/ })
    .click();
  await fairlead.until('by-hand', 'settled', isSettled);

  await fairlead.kubectl('scale', 'deployment/web', '-n', 'by-hand', '--replicas=1');
  await fairlead.until('by-hand', 'drifted', ({ status }) => status?.sync?.status === 'OutOfSync');
  await page.goto(`${fairlead.url}/applications/argocd/by-hand?view=changes`);
  await page.getByText('spec.replicas').first().waitFor();
  await page.getByText('kubectl').first().waitFor();
  expect(await barriers()).toEqual([]);
  await see('changes');

  await page.keyboard.press('s');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Sync 1 change/ })
    .click();
  await fairlead.until('by-hand', 'settled', isSettled);
  await page.getByRole('heading', { level: 1 }).getByText('Healthy').waitFor();
});

test('the running operation is told wave by wave', async () => {
  await page.goto(`${fairlead.url}/applications/argocd/demo?view=timeline`);
  for (const name of ['prepare', 'guestbook', 'storefront', 'hello', 'product-import-staging'])
    await page.getByText(name).first().waitFor();
  await page.getByRole('region', { name: 'PreSync' }).waitFor();
  expect(await barriers()).toEqual([]);
  await see('timeline');
});

test('the traffic of a Knative Service is on its route', async () => {
  await page.goto(`${fairlead.url}/applications/argocd/hello`);
  await page.getByRole('treeitem', { name: /Route/ }).first().waitFor();
  await page.getByText('100').first().waitFor();
  await see('knative');
  await page.goto(`${fairlead.url}/applications/argocd/hello?node=serving.knative.dev/Service/hello/hello`);
  const panel = page.getByRole('complementary', { name: 'Resource hello' });
  await panel.getByText('Requests go to hello-00001 100%.').waitFor();
  await panel.getByRole('img', { name: 'Shares: hello-00001 100 percent' }).waitFor();
  await panel.getByText('Knative sends all traffic to the latest ready revision').waitFor();
});

test('everything can be found from the keyboard', async () => {
  await page.goto(`${fairlead.url}/applications`);
  await page.getByRole('link', { name: 'guestbook' }).first().waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('storefr');
  await page.keyboard.press('Enter');
  await page.waitForURL(/applications\/argocd\/storefront/);
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});

test('on a telephone nothing lies over anything else, and no page is wider than it', async () => {
  await page.setViewportSize({ width: 420, height: 860 });
  const views = ['', '?view=list', '?view=changes', '?view=timeline', '?view=history', '?view=manifest'];
  const paths = ['', ...views.map((view) => `/argocd/guestbook${view}`)];
  for (const path of paths) {
    await page.goto(`${fairlead.url}/applications${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const edges = await overlapsOn(page);
    expect({ path, ...edges }).toEqual({ path, over: 0, beyond: 0 });
  }
  await see('telephone');
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('a lost connection is said, and found again', async () => {
  await page.goto(`${fairlead.url}/applications`);
  await page.getByText('Live', { exact: true }).waitFor();
  await fairlead.stop();
  await page
    .getByRole('status')
    .getByText(/lost|since|offline|reconnect/i)
    .first()
    .waitFor();
  await see('lost');
});

test('no script of the page ever failed', () => {
  expect(complaints).toEqual([]);
});
