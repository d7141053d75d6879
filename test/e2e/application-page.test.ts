import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';
import { barriersOf, keepScreenshot } from './page-checks.ts';

// One application on the page: bookmarks of Argo CD, a sync of one resource, a wave that waits, what a reader may not do, and
// the deletion of many.
let fairlead: Fairlead;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

const application = (name: string, path: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project: 'default',
    source: { repoURL: `file://${fairlead.demo}`, path },
    destination: { server: 'https://kubernetes.default.svc', namespace: name },
    syncPolicy: { syncOptions: ['CreateNamespace=true'] },
  },
});

const deployment = (image: string, wave: number) =>
  [
    'apiVersion: apps/v1\nkind: Deployment',
    `metadata: { name: web-${wave}, annotations: { argocd.argoproj.io/sync-wave: "${wave}" } }`,
    `spec: { selector: { matchLabels: { app: web-${wave} } }, template: { metadata: { labels: { app: web-${wave} } },`,
    `  spec: { containers: [{ name: web, image: "${image}" }] } } }\n`,
  ].join('\n');

beforeAll(async () => {
  [fairlead, browser] = await Promise.all([startFairlead(), launchBrowser()]);
  await fairlead.commit({
    'waves/first.yaml': deployment('web:never-ready', 1),
    'waves/second.yaml': deployment('web:1', 2),
  });
  for (const name of ['waves', 'gone-a', 'gone-b', 'gone-c'])
    await fairlead.apply(application(name, 'waves'));
  await fairlead.until('guestbook', 'settled', isSettled);
  await fairlead.until('waves', 'compared', ({ status }) => status?.sync?.status === 'OutOfSync');
  page = await signedIn('admin', fairlead.password);
});

afterAll(async () => {
  await browser?.close();
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

async function signedIn(username: string, password: string): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  const one = await context.newPage();
  one.setDefaultTimeout(30_000);
  one.on('pageerror', (error) => complaints.push(error.message));
  await one.goto(`${fairlead.url}/applications`);
  await one.getByLabel('Username').fill(username);
  await one.getByLabel('Password').fill(password);
  await one.getByRole('button', { name: 'Sign in' }).click();
  await one.getByRole('link', { name: 'guestbook' }).first().waitFor();
  return one;
}

const open = (path: string) => page.goto(`${fairlead.url}${path}`);
const own = 'node=argoproj.io/Application/argocd/guestbook/0';

test.each([
  [`${own}&tab=diff`, /view=changes$/, 'Changes'],
  [`${own}&tab=parameters`, /view=parameters$/, 'Parameters'],
  [own, /guestbook$/, 'Tree'],
  ['rollback=0', /view=history$/, 'History'],
])("Argo CD's link %s leads to the view of the application", async (query, address, view) => {
  await open(`/applications/argocd/guestbook?${query}`);
  await page.waitForURL(address);
  const tab = page.getByRole('tablist', { name: 'Views' }).getByRole('tab', { name: view });
  await expect.poll(() => tab.getAttribute('aria-selected')).toBe('true');
  expect(await page.getByRole('complementary', { name: /^Resource/ }).count()).toBe(0);
});

test('one resource is synced from its panel, and the row of the preview shows what differs', async () => {
  await open('/applications/argocd/waves?node=apps/Deployment/waves/web-2');
  await open('/applications/argocd/waves?deploy=apps/Deployment/waves/web-2');
  const dialog = page.getByRole('dialog', { name: 'Sync waves' });
  await dialog.getByText('Namespace waves is created first, if it is missing.').waitFor();
  expect(await dialog.getByRole('checkbox', { name: /web-1/ }).isChecked()).toBe(false);
  await dialog.getByRole('button', { name: 'Differences of web-2' }).click();
  await dialog.getByText('sync-wave').first().waitFor();
  await keepScreenshot(page, 'sync-one');
  await dialog.getByRole('button', { name: 'Sync 1 change' }).click();
  await dialog.waitFor({ state: 'detached' });
  const found = async () =>
    (await fairlead.kubectl('get', 'deployments', '-n', 'waves', '-o', 'name')).stdout;
  await expect.poll(found).toBe('deployment.apps/web-2\n');
});

test('a wave that waits says so while it does, and the sync is terminated', async () => {
  await fairlead.until(
    'waves',
    'synced in part',
    ({ status }) => status?.operationState?.phase === 'Succeeded',
  );
  await open('/applications/argocd/waves?deploy=all');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Sync/ }).last().click();
  await dialog.waitFor({ state: 'detached' }); // a page that is left at once takes its request along
  await open('/applications/argocd/waves?view=timeline');
  const strip = page.getByRole('region', { name: 'Operation' });
  await page.getByText('Now: wave 1 waits for Deployment web-1.').waitFor();
  await page.getByText('waits for Deployment web-1', { exact: true }).waitFor();
  await keepScreenshot(page, 'wave-waits');
  await strip.getByRole('button', { name: 'Terminate' }).click();
  await strip.getByRole('link', { name: /terminated|failed/i }).waitFor();
});

/** The reasons of the buttons that are off. */
const reasonsOn = (one: Page) =>
  one
    .locator('[aria-disabled="true"]')
    .evaluateAll((buttons: any[]) =>
      buttons.map(
        (button) =>
          `${button.textContent}: ${button.querySelector('small')?.textContent ?? button.ownerDocument.getElementById(button.getAttribute('aria-describedby'))?.textContent}`,
      ),
    );

test('a reader sees why each button that changes something is off', async () => {
  const configure = (name: string, data: object) =>
    fairlead.kubectl('-n', 'argocd', 'patch', 'cm', name, '--type=merge', '-p', JSON.stringify({ data }));
  await configure('argocd-cm', { 'accounts.viewer': 'login' });
  await configure('argocd-rbac-cm', {
    'policy.csv': 'p, viewer, applications, get, */*, allow\ng, viewer, none',
  });
  const password = { name: 'viewer', currentPassword: fairlead.password, newPassword: 'viewer-password' };
  const options = { data: password, headers: { origin: fairlead.url } };
  await expect
    .poll(async () => (await page.request.put(`${fairlead.url}/api/v1/account/password`, options)).status())
    .toBe(200);
  const viewer = await signedIn('viewer', 'viewer-password');
  const missing = (permission: string) =>
    expect.stringContaining(`the permission “${permission}” is missing`);

  await viewer.getByRole('checkbox', { name: 'Choose gone-a' }).check();
  await expect
    .poll(() => reasonsOn(viewer))
    .toEqual(
      expect.arrayContaining([
        missing('applications, sync, default/gone-a'),
        missing('applications, delete, default/gone-a'),
      ]),
    );

  await viewer.goto(`${fairlead.url}/applications/argocd/waves?view=history`);
  await expect
    .poll(() => reasonsOn(viewer))
    .toEqual(expect.arrayContaining([missing('applications, sync, default/waves')]));

  await viewer.goto(`${fairlead.url}/applications/argocd/waves?node=apps/Deployment/waves/web-2`);
  await viewer.getByRole('button', { name: 'Actions on web-2' }).click();
  const items = viewer.getByRole('menuitem');
  await expect.poll(() => items.count()).toBeGreaterThan(3);
  await expect
    .poll(() => reasonsOn(viewer))
    .toEqual(
      expect.arrayContaining([
        missing('applications, update/apps/Deployment/waves/web-2, default/waves'),
        missing('applications, delete/apps/Deployment/waves/web-2, default/waves'),
        missing('applications, action/apps/Deployment/restart, default/waves'),
      ]),
    );
  for (const item of await items.all()) expect(await item.getAttribute('aria-disabled')).toBe('true');
  await keepScreenshot(viewer, 'reader-menu');

  await viewer.goto(`${fairlead.url}/applications/argocd/waves?view=logs`);
  await viewer.getByText('the permission “logs, get, default/waves” is missing').waitFor();
  await viewer.context().close();
});

test('all shown are chosen and deleted, after their number is typed', async () => {
  await open('/applications?search=gone');
  await page.getByRole('checkbox', { name: 'Choose all shown' }).check();
  const bar = page.getByRole('region', { name: 'Chosen applications' });
  await bar.getByText('3 applications chosen').waitFor();
  await bar.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 3 applications?' });
  await dialog.getByLabel('Their resources').selectOption({ label: 'leave in the cluster' });
  await dialog.getByText('its 2 resources stay').first().waitFor();
  const confirm = dialog.getByRole('button', { name: 'Delete 3 applications' });
  expect(await confirm.getAttribute('aria-disabled')).toBe('true');
  expect(await barriersOf(page)).toEqual([]);
  await dialog.getByLabel('Number of applications, to confirm').fill('3');
  await keepScreenshot(page, 'bulk-delete');
  await confirm.click();
  await dialog.waitFor({ state: 'detached' });
  await expect
    .poll(async () => (await fairlead.kubectl('get', 'applications', '-n', 'argocd', '-o', 'name')).stdout)
    .not.toContain('gone-');
});

test('no script of the page ever failed', () => {
  expect(complaints).toEqual([]);
});
