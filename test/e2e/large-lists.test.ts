import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { atOnce, type Ctx, realClock, silent } from '#base/std';
import { createKubeClient, loadKubeconfig, networkTransport } from '#kubernetes/client';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// What keeps long lists and large trees smooth, and whole on a phone: only what is in view is in the page.

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
let fairlead: Fairlead;
let browser: Browser;

beforeAll(async () => {
  [fairlead, browser] = await Promise.all([startFairlead('--no-demo'), launchBrowser()]);
  await fill();
});
afterAll(async () => {
  await browser?.close();
  await fairlead?.stop();
  forget(fairlead);
});

const application = (name: string, resources: number): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd', annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } },
  spec: {
    project: 'default',
    source: { repoURL: 'https://git.example/shop', path: '.' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
  },
  status: {
    sync: { status: 'Synced' },
    health: { status: 'Healthy' },
    resources: numbers(resources).map((at) => ({
      ...{ version: 'v1', kind: 'ConfigMap', name: `settings-${at}`, namespace: 'default', status: 'Synced' },
    })),
  },
});

async function fill(): Promise<void> {
  const kubeconfig = await loadKubeconfig(ctx, { files: [join(fairlead.dataDir, 'kubeconfig')] });
  const transport = networkTransport(kubeconfig, { log: ctx.log, environment: {} });
  const kube = createKubeClient({ transport });
  await atOnce(16, numbers(240), (at) => kube.create(ctx, application(`shop-${at}`, 1)));
  await kube.create(ctx, application('large', 1500));
  transport.close();
}

async function opened(path: string, width: number): Promise<Page> {
  const { url, password } = fairlead;
  const context = await browser.newContext({ viewport: { width, height: 800 } });
  const data = { username: 'admin', password };
  await context.request.post(`${url}/api/v1/session`, { data, headers: { origin: url } });
  const page = await context.newPage();
  await page.goto(`${url}${path}`);
  return page;
}

const scroll = (page: Page, by: number) =>
  page.evaluate(
    (step) => (globalThis as any).document.querySelector('[data-scroller]').scrollBy(0, step),
    by,
  );

test.each([
  ['the names stand in a long list', '/applications', 360],
  ['and in one by project', '/applications?group=project', 360],
])('%s, as wide as in a short one', async (_, path, width) => {
  const nameOn = async (page: Page): Promise<number> => {
    await page.locator('tbody a[data-open]').first().waitFor();
    const cell = page.locator('tbody tr:has(a[data-open]) > th').first();
    return (await cell.boundingBox())?.width ?? 0;
  };
  const long = await opened(path, width);
  const short = await opened(`${path}${path.includes('?') ? '&' : '?'}search=shop-17`, width);
  expect(await nameOn(long)).toBeCloseTo(await nameOn(short), 0);
  expect(await nameOn(long)).toBeGreaterThan(120);
  await long.context().close();
  await short.context().close();
});

test('a long list has the rows in view, wherever it is scrolled', async () => {
  const page = await opened('/applications', 1280);
  const rows = page.locator('tbody [data-open]');
  await rows.first().waitFor();
  await expect.poll(() => rows.count()).toBeLessThan(70);
  const before = await rows.first().textContent();
  await scroll(page, 5000);
  await expect.poll(() => rows.first().textContent()).not.toBe(before);
  expect(await rows.count()).toBeLessThan(70);
  await page.context().close();
});

test('of a large tree the page has what is in view: boxes, edges and as many shapes in its map as that has pixels', async () => {
  const page = await opened('/applications/argocd/large?view=tree', 1280);
  const boxes = page.getByRole('treeitem');
  await boxes.filter({ hasText: '1500 × ConfigMap' }).click();
  await expect.poll(() => boxes.count()).toBeGreaterThan(20);
  for (const step of [0, 40_000]) {
    await scroll(page, step);
    await expect.poll(() => linesOf(page, '.edges')).toBeGreaterThan(10);
    expect(await boxes.count()).toBeLessThan(60);
    expect(await linesOf(page, '.edges')).toBeLessThan(60);
    expect(await linesOf(page, '.minimap')).toBeLessThan(120);
  }
  await page.context().close();
});

/** The lines, or shapes, that the paths of a drawing have. */
const linesOf = (page: Page, drawing: string): Promise<number> =>
  page
    .locator(`${drawing} path`)
    .evaluateAll((paths) =>
      paths.reduce((sum: number, path: any) => sum + path.getAttribute('d').split('M').length - 1, 0),
    );
