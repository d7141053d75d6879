import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';
import { barriersOf, keepScreenshot, overlapsOn, unseenTabsOn } from './page-checks.ts';
import { connect, keepView, makeToken, readDrift, refreshByLink, syncTogether } from './page-tasks.ts';

// A day of a team on the page: what is broken and why, logs, an edit that is rehearsed, new projects and applications, a session
// that ends, and every screen without a barrier in both themes and on a telephone.
let fairlead: Fairlead;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

const application = (name: string, path: string, automated: object | undefined) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    source: { repoURL: `file://${fairlead.demo}`, path },
    destination: { server: 'https://kubernetes.default.svc', namespace: name },
    syncPolicy: {
      ...(automated && { automated }),
      syncOptions: ['CreateNamespace=true'],
      retry: { limit: 50, backoff: { duration: '30s' } },
    },
  },
});

beforeAll(async () => {
  [fairlead, browser] = await Promise.all([startFairlead(), launchBrowser()]);
  const port =
    'apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { ports: [{ port: "http" }] }\n';
  const job = [
    'apiVersion: batch/v1\nkind: Job\nmetadata: { name: migrate, annotations: { argocd.argoproj.io/hook: PreSync } }',
    'spec: { backoffLimit: 0, template: { spec: { restartPolicy: Never, containers: [{ name: m, image: job-fail }] } } }',
    '---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\n',
  ].join('\n');
  const pod = 'metadata: { labels: { app: web } }, spec: { containers: [{ name: web, image: "nginx:1" }] }';
  const deployment = [
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }',
    `spec: { selector: { matchLabels: { app: web } }, template: { ${pod} } }\n`,
  ].join('\n');
  await fairlead.commit({
    'broken/port/service.yaml': port,
    'broken/base/kustomization.yaml': 'resources: [missing.yaml]\n',
    'broken/prod/kustomization.yaml': 'resources: [../base]\n',
    'broken/hook/job.yaml': job,
    'tuned/kustomization.yaml': 'resources: [deployment.yaml]\n',
    'tuned/deployment.yaml': deployment,
  });
  await fairlead.apply(application('port', 'broken/port', {}));
  await fairlead.apply(application('render', 'broken/prod', {}));
  await fairlead.apply(application('hook', 'broken/hook', {}));
  await fairlead.until('guestbook', 'settled', isSettled);
  page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(30_000);
  page.on('pageerror', (error) => complaints.push(error.message));
  await signIn();
});

afterAll(async () => {
  await browser?.close();
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

async function signIn(): Promise<void> {
  await page.goto(`${fairlead.url}/applications`);
  await page.getByLabel('Password').fill(fairlead.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'guestbook' }).first().waitFor();
}

const open = (path: string) => page.goto(`${fairlead.url}${path}`);
const sentence = (words: RegExp) => page.getByRole('heading', { level: 1, name: words }).waitFor();

test('what is broken is counted alike everywhere, and each page opens with its cause', async () => {
  await fairlead.until('hook', 'retried', ({ status }) => (status?.operationState?.retryCount ?? 0) > 0);
  await open('/applications?attention=yes');
  for (const name of ['port', 'render', 'hook'])
    await page.getByRole('row', { name: new RegExp(`${name}\\b`) }).waitFor();
  await sentence(/3 need attention/);
  await page
    .getByRole('navigation', { name: 'Lists' })
    .getByRole('link', { name: /Need attention\s*3/ })
    .waitFor();
  await open('/applications/argocd/port');
  await sentence(/failed.*Service web: “spec\.ports\[0\]\.port must be int32, not string”; next try in/);
  await open('/applications/argocd/render');
  await sentence(/cannot be compared with Git: “broken\/base\/missing\.yaml does not exist”/);
  await page.getByText('The whole message').click();
  await page.getByText('accumulating resources').waitFor();
  await open('/applications/argocd/hook');
  await sentence(/failed: Job migrate/);
  await keepScreenshot(page, 'broken');
});

test('logs are searched, and an edit is rehearsed by the cluster before it is saved', async () => {
  const web = 'apps/Deployment/guestbook/web';
  await open(`/applications/argocd/guestbook?node=${web}/0&tab=logs`); // a link of Argo CD
  const lines = page.getByRole('log');
  await lines.getByText('this process is simulated').first().waitFor();
  await page.getByLabel('Search the logs').fill('has started');
  await expect.poll(() => lines.getByText('this process is simulated').count()).toBe(0);
  await page.getByRole('button', { name: 'Actions on web' }).click();
  await page.getByRole('menuitem', { name: /Edit/ }).click();
  const text = page.getByLabel('Manifest', { exact: true });
  await text.fill((await text.inputValue()).replace('replicas: 2', 'replicas: 5'));
  await page.getByRole('button', { name: 'Rehearse' }).click();
  await page.getByRole('region', { name: 'What would change' }).getByText('replicas').first().waitFor();
  const { stdout } = await fairlead.kubectl(
    'get',
    'deployment/web',
    '-n',
    'guestbook',
    '-o',
    'jsonpath={.spec.replicas}',
  );
  expect(stdout).toBe('2');
});

test('a search in the tree unfolds what holds a match, counts the matches and walks them', async () => {
  await open('/applications/argocd/guestbook');
  const box = (name: RegExp) => page.getByRole('treeitem', { name }).first();
  await box(/^web .* Deployment/).focus();
  await page.keyboard.press('-');
  await expect.poll(() => box(/^web-.* Pod/).count()).toBe(0);
  await page.keyboard.press('/');
  await page.keyboard.type('web pod');
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await box(/^web-.* Pod/).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('2 of 2', { exact: true }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/find=web\+pod.*node=\/Pod\/guestbook\/web/);
  await keepScreenshot(page, 'tree-search');
});

test('a project and an application are made on the page, and rights can be tried', async () => {
  await open('/settings/projects');
  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('shop');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await sentence(/^shop lets 0 applications deploy from 0 repositories/);
  await page.getByRole('tab', { name: 'Rights tester' }).click();
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByRole('status').getByText('Yes').waitFor();
  await open('/applications?new=true');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('by-form');
  await dialog.getByLabel('Repository').fill(`file://${fairlead.demo}`);
  await dialog.getByLabel('Path').fill('guestbook');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog
    .getByText(/It renders \d+ resources \(Directory\)\. Nothing of it reaches the cluster/)
    .waitFor();
  await dialog.getByRole('region', { name: 'What it renders' }).getByText('Deployment').first().waitFor();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/applications\/argocd\/by-form/);
  await sentence(/by-form/);
});

test('a parameter is previewed as what it renders, and saved', async () => {
  await fairlead.apply(application('tuned', 'tuned', undefined));
  await open('/applications/argocd/tuned?view=parameters');
  await page.getByLabel('Value of nginx').fill('nginx:2');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page
    .getByText('Of 1 resource, 1 changes. Nothing of it reaches the cluster before the next sync.')
    .waitFor();
  await page.getByRole('region', { name: 'What it renders' }).getByText('nginx:2').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const { spec } = await fairlead.until(
    'tuned',
    'saved',
    ({ spec: { source } }) => source?.kustomize !== undefined,
  );
  expect(spec.source?.kustomize).toEqual({ images: ['nginx:2'] });
  await keepScreenshot(page, 'parameters');
});

/** Another browser, with cookies of its own. */
async function otherBrowser(username: string, password: string): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  const other = await context.newPage();
  other.setDefaultTimeout(30_000);
  other.on('pageerror', (error) => complaints.push(error.message));
  await other.goto(`${fairlead.url}/login`);
  await other.getByLabel('Username').fill(username);
  await other.getByLabel('Password').fill(password);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByRole('link', { name: 'guestbook' }).first().waitFor();
  return other;
}

/** Confirms the dialog of a sync or a rollback. */
async function confirm(name: RegExp): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name }).last().click();
  await dialog.waitFor({ state: 'detached' });
}

test('what one browser syncs and rolls back, another one shows without being touched', async () => {
  const other = await otherBrowser('admin', fairlead.password);
  await other.goto(`${fairlead.url}/applications/argocd/tuned`);
  const seen = (words: RegExp) => other.getByRole('heading', { level: 1, name: words }).waitFor();
  await seen(/^tuned is Missing/);
  await open('/applications/argocd/tuned?deploy=all');
  await confirm(/^Sync/);
  await seen(/^tuned is Healthy and Synced: it runs commit/);
  await fairlead.commit(
    { 'tuned/kustomization.yaml': 'resources: [deployment.yaml]\ncommonAnnotations: { owner: ada }\n' },
    'name the owner',
  );
  await seen(/^tuned is .* OutOfSync/);
  await open('/applications/argocd/tuned?deploy=all');
  await confirm(/^Sync/);
  await seen(/it runs commit [0-9a-f]{7} ‘name the owner’/);
  await open('/applications/argocd/tuned?view=timeline');
  await page.getByRole('navigation', { name: 'Operations' }).getByRole('link').nth(1).click();
  await page.getByText('It was the first one.').waitFor();
  await open('/applications/argocd/tuned?view=history&rollbackTo=0');
  await page.getByRole('region', { name: 'What changes' }).getByText('owner').first().waitFor();
  await confirm(/^Roll back to/);
  await seen(/OutOfSync/);
  await other.context().close();
});

test('applications are synced and refreshed together, kept as a view, and their drift is read in three ways', async () => {
  const names = ['bulk-a', 'bulk-b'];
  for (const name of names) await fairlead.apply(application(name, 'tuned', undefined));
  await syncTogether({ page, fairlead }, names);
  await refreshByLink({ page, fairlead }, names);
  await keepView({ page, fairlead }, 'bulk-b');
  await readDrift({ page, fairlead }, 'bulk-a');
});

test('a repository is connected, a cluster out of reach is refused with the reason, and a token is made', async () => {
  await connect({ page, fairlead }, { server: 'https://127.0.0.1:1', name: 'edge' });
  await makeToken({ page, fairlead }, 'robot');
});

test('a user who may only read is told which permission is missing, and is refused', async () => {
  const configure = (name: string, data: object) =>
    fairlead.kubectl('-n', 'argocd', 'patch', 'cm', name, '--type=merge', '-p', JSON.stringify({ data }));
  await configure('argocd-cm', { 'accounts.viewer': 'login' });
  await configure('argocd-rbac-cm', { 'policy.csv': 'g, viewer, role:readonly' });
  const password = { name: 'viewer', currentPassword: fairlead.password, newPassword: 'viewer-password' };
  const options = { data: password, headers: { origin: fairlead.url } };
  await expect
    .poll(async () => (await page.request.put(`${fairlead.url}/api/v1/account/password`, options)).status())
    .toBe(200);
  const viewer = await otherBrowser('viewer', 'viewer-password');
  await viewer.goto(`${fairlead.url}/applications/argocd/tuned`);
  await viewer
    .getByText('the permission “applications, sync, default/tuned” is missing')
    .first()
    .waitFor({ state: 'attached' });
  await viewer.getByRole('button', { name: /^Sync/ }).click({ force: true });
  expect(await viewer.getByRole('dialog').count()).toBe(0);
  const sync = await viewer.request.post(`${fairlead.url}/api/v1/applications/tuned/sync`, {
    data: {},
    headers: { origin: fairlead.url },
  });
  expect(sync.status()).toBe(403);
  await viewer.goto(`${fairlead.url}/applications/argocd/tuned?view=parameters`);
  await viewer
    .getByText('the permission “applications, update, default/tuned” is missing')
    .first()
    .waitFor({ state: 'attached' });
  expect(await barriersOf(viewer)).toEqual([]);
  await keepScreenshot(viewer, 'read-only');
  await viewer.context().close();
});

test('a session that ends is renewed over the page, which keeps what was typed', async () => {
  await open('/settings/projects/shop?tab=manifest');
  const text = page.getByLabel('Manifest of the project');
  const typed = (await text.inputValue()).replace(
    /spec: .*/,
    'spec:\n  description: typed before the session ended',
  );
  await text.fill(typed);
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('Password').fill(fairlead.password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await text.inputValue()).toBe(typed);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(async () => (await fairlead.kubectl('get', 'appproject/shop', '-n', 'argocd', '-o', 'yaml')).stdout)
    .toContain('typed before');
});

const screens = [
  '/applications',
  '/applications?view=tiles',
  '/applications?view=summary&group=project',
  '/applications/argocd/guestbook',
  '/applications/argocd/hook', // its sync can be terminated
  ...['list', 'pods', 'network', 'history', 'logs', 'events', 'parameters'].map(
    (view) => `/applications/argocd/guestbook?view=${view}`,
  ),
  '/applications/argocd/guestbook?node=apps/Deployment/guestbook/web&tab=events',
  '/applications/argocd/tuned?view=parameters',
  '/applications/argocd/hello?node=serving.knative.dev/Service/hello/hello',
  '/applications/argocd/by-form?deploy=all',
  '/applications?new=true',
  ...['', '/shop', '/shop?tab=roles', '/shop?tab=windows', '/shop?tab=rights'].map(
    (path) => `/settings/projects${path}`,
  ),
  ...['repos', 'clusters', 'accounts', 'certs', 'gpgkeys', 'notifications', 'in-force', 'appearance'].map(
    (path) => `/settings/${path}`,
  ),
  '/user-info',
  '/help',
];

test.each(screens)('%s has no barrier in either theme, nor is it wider than a telephone', async (path) => {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await open(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  // a theme changes colours and nothing else
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  expect(await barriersOf(page, ['color-contrast', 'link-in-text-block'])).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await overlapsOn(page)).toEqual({ over: 0, beyond: 0 });
  await expect.poll(() => unseenTabsOn(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
});

// the last that needs the program
test('when the server is gone, a banner says since when the data is old, and the data stays', async () => {
  await open('/applications');
  await page.getByRole('link', { name: 'guestbook' }).first().waitFor();
  await fairlead.stop();
  const banner = page.getByRole('complementary', { name: 'Stale data' });
  await banner
    .getByText(/shows the state of \d\d:\d\d, \d+ s ago. The connection to the server is lost/)
    .waitFor();
  await banner.getByRole('button', { name: 'Try now' }).click();
  expect(await page.getByRole('link', { name: 'guestbook' }).count()).toBeGreaterThan(0);
  expect(await barriersOf(page)).toEqual([]);
  await keepScreenshot(page, 'stale');
});

test('no script of the page ever failed', () => {
  expect(complaints).toEqual([]);
});
