import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { KubeObject } from '#base/model';
import { atOnce, type Ctx, realClock, silent } from '#base/std';
import { launchBrowser } from '../test/e2e/browser.ts';
import { type Fairlead, forget, startFairlead } from '../test/e2e/fairlead.ts';
import type { Figure } from './harness.ts';
import { type BenchCluster, benchCluster } from './loop/cluster.ts';
import { applicationOf, benchNamespace, configMap, fewResources, large } from './pages/objects.ts';
import { nowMs, requestedAt, scrolled, shownAt } from './pages/watch.ts';

// The web UI in Chromium on a started program: ten thousand applications in the list, a tree of 14,000 resources, and how soon a
// change is seen. The applications are as a controller left them; none is reconciled meanwhile. Build first.

const applications = 10_000;
const roots = 2_000;
const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

export async function figures(): Promise<Figure[]> {
  const [fairlead, browser] = await Promise.all([startFairlead('--no-demo'), launchBrowser()]);
  const cluster = await benchCluster(ctx, join(fairlead.dataDir, 'kubeconfig'));
  try {
    await fill(cluster);
    const context = await signedIn(fairlead, browser);
    return [
      ...(await list(fairlead, context)),
      ...(await change(fairlead, context, cluster)),
      ...(await tree(fairlead, context)),
    ];
  } finally {
    cluster.close();
    await browser.close();
    await fairlead.stop();
    forget(fairlead);
  }
}

/** The applications, and below one of them 2,000 objects with one each, which has five. */
async function fill({ kube }: BenchCluster): Promise<void> {
  const create = (object: KubeObject) => kube.create(ctx, object);
  await create(benchNamespace);
  const names = Array.from({ length: roots }, (_, at) => `root-${String(at).padStart(4, '0')}`);
  await atOnce(32, names, async (name) => {
    const root = await create(configMap(name));
    const middle = await create(configMap(`${name}-set`, root));
    for (let at = 0; at < 5; at++) await create(configMap(`${name}-pod-${at}`, middle));
  });
  await create(
    applicationOf(
      large,
      1,
      names.map((name) => ({ kind: 'ConfigMap', name })),
    ),
  );
  const numbers = Array.from({ length: applications - 1 }, (_, at) => at);
  await atOnce(32, numbers, (at) =>
    create(applicationOf(`app-${String(at).padStart(5, '0')}`, at, fewResources)),
  );
}

async function signedIn({ url, password }: Fairlead, browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const data = { username: 'admin', password };
  const response = await context.request.post(`${url}/api/v1/session`, { data, headers: { origin: url } });
  if (!response.ok()) throw new Error(`the login failed: ${await response.text()}`);
  return context;
}

/** Opens a page and measures until it shows something; then closes it, unless `use` has more to do with it. */
async function opened<T>(context: BrowserContext, url: string, use: (page: Page) => Promise<T>): Promise<T> {
  const page = await context.newPage();
  try {
    await page.goto(url, { waitUntil: 'commit' });
    return await use(page);
  } finally {
    await page.close();
  }
}

const rows = "document.querySelectorAll('tbody [data-open]').length > 10";
const all = `/${applications}/.test(document.querySelector('h1')?.textContent ?? '')`;

async function list({ url }: Fairlead, context: BrowserContext): Promise<Figure[]> {
  const path = `${url}/applications`;
  const [first, whole]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round++)
    await opened(context, path, async (page) => {
      const shown = await shownAt(page, rows);
      const complete = await shownAt(page, all);
      const began = await requestedAt(page);
      first.push(shown - began);
      whole.push(complete - began);
    });
  const { mean, late } = await opened(context, path, async (page) => {
    await shownAt(page, all);
    await page.waitForTimeout(1000); // what the first load still has to do is measured above
    return scrolled(page, 300);
  });
  return [
    { name: '10,000 applications: the first rows', value: median(first), unit: 'ms', target: 1500 },
    { name: '  all of them are there', value: median(whole), unit: 'ms', target: 1500 },
    { name: '  a frame while they are scrolled', value: mean, unit: 'ms', target: 17 },
    { name: '  frames that came late', value: late, unit: '%', target: 5 },
  ];
}

/** The time from the response of the API, which has the change then, to the frame that shows it. */
async function change({ url }: Fairlead, context: BrowserContext, { kube }: BenchCluster): Promise<Figure[]> {
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd' };
  // found by its name: the order of all of them follows the health that is changed
  const times = await opened(context, `${url}/applications?search=app-00000`, async (page) => {
    await shownAt(page, "document.querySelectorAll('tbody [data-open]').length === 1");
    const found: number[] = [];
    for (let round = 0; round < 9; round++) {
      const status = round % 2 === 0 ? 'Suspended' : 'Missing';
      const row = `document.querySelector('tbody tr[aria-rowindex="2"]').textContent.includes('${status}')`;
      const seen = shownAt(page, row);
      await kube.patch(
        ctx,
        { ...ref, name: 'app-00000' },
        { type: 'merge', body: { status: { health: { status } } } },
      );
      const written = nowMs();
      found.push((await seen) - written);
    }
    return found;
  });
  return [{ name: 'a change is on the screen', value: median(times), unit: 'ms', target: 300 }];
}

async function tree({ url }: Fairlead, context: BrowserContext): Promise<Figure[]> {
  const boxes = (count: number) => `document.querySelectorAll('[role=treeitem]').length >= ${count}`;
  return opened(context, `${url}/applications/argocd/${large}?view=tree`, async (page) => {
    const shown = (await shownAt(page, boxes(2))) - (await requestedAt(page));
    const seen = shownAt(page, boxes(20));
    const pressed = nowMs();
    await page
      .getByRole('treeitem', { name: /ConfigMap/ })
      .first()
      .click();
    const unfolded = (await seen) - pressed;
    await page.waitForTimeout(1000);
    const { mean, late } = await scrolled(page, 200);
    return [
      { name: 'a tree of 14,000 resources, alike ones folded', value: shown, unit: 'ms', target: 2000 },
      { name: '  all of them unfolded', value: unfolded, unit: 'ms', target: 2000 },
      { name: '  a frame while it is scrolled', value: mean, unit: 'ms', target: 17 },
      { name: '  frames that came late', value: late, unit: '%', target: 5 },
    ];
  });
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
