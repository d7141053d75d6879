import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// Since when something is broken: of a resource its own time, never that of the application.

let fairlead: Fairlead;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [fairlead, browser] = await Promise.all([startFairlead('--no-demo'), launchBrowser()]);
  const { url, password } = fairlead;
  await fairlead.apply({ apiVersion: 'v1', kind: 'List', items: [deployment, configMap, application] });
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  page.setDefaultTimeout(30_000);
  const data = { username: 'admin', password };
  await page.request.post(`${url}/api/v1/session`, { data, headers: { origin: url } });
});
afterAll(async () => {
  await browser?.close();
  await fairlead?.stop();
  forget(fairlead);
});

const labels = { app: 'web' };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: 'web', image: 'web:image-pull-error' }] },
    },
  },
};
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain', namespace: 'default' } };
const ofTheApplication = '2026-01-01T03:33:00Z';
/** As a controller left it: in trouble long before its Deployment was made. */
const application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: {
    name: 'shop',
    namespace: 'argocd',
    annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' },
  },
  spec: {
    project: 'default',
    source: { repoURL: 'https://git.example/shop', path: '.' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
  },
  status: {
    sync: { status: 'Synced' },
    health: { status: 'Progressing', lastTransitionTime: ofTheApplication },
    resources: [
      {
        group: 'apps',
        version: 'v1',
        kind: 'Deployment',
        name: 'web',
        namespace: 'default',
        status: 'Synced',
      },
      { version: 'v1', kind: 'ConfigMap', name: 'plain', namespace: 'default', status: 'Synced' },
    ],
  },
};

/** What the cluster says, as the page prints times of today. */
async function notSince(...object: string[]): Promise<string> {
  const time = '{.status.conditions[?(@.status=="False")].lastTransitionTime}';
  const { stdout } = await fairlead.kubectl('get', ...object, '-o', `jsonpath=${time}`);
  const first = stdout.split(' ').sort()[0] ?? '';
  return page.evaluate((text) => {
    const options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    return new Date(text).toLocaleTimeString('en-GB', options);
  }, first);
}

test('the sentence has the time of the Deployment that it blames', async () => {
  await page.goto(`${fairlead.url}/applications/argocd/shop`);
  const sentence = page.getByRole('heading', { level: 1 });
  await sentence.getByText(/Deployment web/).waitFor();
  await expect.poll(() => sentence.textContent()).toMatch(/0 of 1 pods ready .* since \d\d:\d\d/);
  const since = await notSince('deployment', 'web');
  expect(await sentence.textContent()).toContain(` since ${since}`);
  expect(await sentence.textContent()).not.toContain('1 Jan');
});

test('the panel of a Deployment and of its pod have their own', async () => {
  for (const [node, ...object] of [
    ['apps/Deployment/default/web', 'deployment', 'web'],
    ['', 'pods', '-l', 'app=web'],
  ]) {
    if (node) await page.goto(`${fairlead.url}/applications/argocd/shop?node=${node}&tab=summary`);
    else await page.getByRole('treeitem', { name: /Pod/ }).first().click();
    const health = page
      .getByRole('complementary', { name: /^Resource web/ })
      .locator('dd')
      .first();
    await expect
      .poll(() => health.textContent())
      .toMatch(/^(Progressing|Degraded) since (at least )?\d\d:\d\d$/);
    if (node) expect(await health.textContent()).toContain(`since ${await notSince(...object)}`);
  }
});
