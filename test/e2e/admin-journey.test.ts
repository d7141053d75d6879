import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';
import { barriersOf, overlapsOn } from './page-checks.ts';

// The operator's side of the page: what the settings are, how repositories are connected, where links lead, and what a user who may
// only read finds on all these screens.
let fairlead: Fairlead;
let browser: Browser;
let page: Page;

const configure = async (name: string, data: object): Promise<void> => {
  await fairlead.kubectl('-n', 'argocd', 'patch', 'cm', name, '--type=merge', '-p', JSON.stringify({ data }));
};
const link = (title: string, url: string): string => `- title: ${title}\n  url: ${url}\n`;

async function signedIn(username: string, password: string): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  const one = await context.newPage();
  one.setDefaultTimeout(30_000);
  await one.goto(`${fairlead.url}/login`);
  await one.getByLabel('Username').fill(username);
  await one.getByLabel('Password').fill(password);
  await one.getByRole('button', { name: 'Sign in' }).click();
  await one.getByRole('link', { name: 'guestbook' }).first().waitFor();
  return one;
}

beforeAll(async () => {
  [fairlead, browser] = await Promise.all([startFairlead(), launchBrowser()]);
  await configure('argocd-cm', {
    'accounts.viewer': 'login',
    'timeout.reconciliation': '180s',
    'resource.exclusions': '- kinds: [Lease]\n',
    'dex.config': 'connectors: []\nclientSecret: dex-canary\n',
    'application.links': link('Dashboard', 'https://graphs.example.com/{{.application.metadata.name}}'),
    'resource.links': link('Runbook', 'https://runbooks.example.com/{{.resource.kind}}'),
    'project.links': link('Team', 'https://teams.example.com/{{.project.metadata.name}}'),
  });
  await configure('argocd-rbac-cm', { 'policy.csv': 'g, viewer, role:readonly' });
  page = await signedIn('admin', fairlead.password);
  const password = { name: 'viewer', currentPassword: fairlead.password, newPassword: 'viewer-password' };
  const options = { data: password, headers: { origin: fairlead.url } };
  await eventually(async () => {
    const answer = await page.request.put(`${fairlead.url}/api/v1/account/password`, options);
    expect(answer.status()).toBe(200);
  });
  const known = { serverName: 'git.example.com', certType: 'ssh', certSubType: 'ssh-ed25519' };
  const certData = btoa('AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl');
  const certificate = await page.request.post(`${fairlead.url}/api/v1/certificates`, {
    data: { items: [{ ...known, certData }] },
    headers: { origin: fairlead.url },
  });
  expect(certificate.status()).toBe(200);
});

afterAll(async () => {
  await browser?.close();
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const open = (path: string) => page.goto(`${fairlead.url}${path}`);
const sentence = (words: RegExp) => page.getByRole('heading', { level: 1, name: words }).waitFor();

test('every key that is set stands with its value, what has no effect is named, and a secret is hidden', async () => {
  await open('/settings/in-force');
  await sentence(/settings are set; dex\.config does not take effect as written/);
  const set = page.getByRole('table', { name: 'Set here' });
  await set.getByRole('row', { name: /timeout\.reconciliation.*180s.*used/ }).waitFor();
  await set.getByRole('row', { name: /resource\.exclusions.*kinds: \[Lease\]/ }).waitFor();
  await set.getByRole('row', { name: /dex\.config.*there is no Dex here/ }).waitFor();
  expect(await page.getByText('dex-canary').count()).toBe(0);
  await page.getByLabel('Find a setting').fill('hard.reconciliation');
  await page
    .getByRole('table', { name: 'Defaults of all other settings' })
    .getByRole('row', { name: /timeout\.hard\.reconciliation.*off/ })
    .first()
    .waitFor();
  expect(await barriersOf(page)).toEqual([]);
});

test('repositories open with what is read, and list those without an entry', async () => {
  await open('/settings/repos');
  await sentence(/applications read from 1 repository: 0 connected here, 1 without an entry/);
  await page.getByRole('table', { name: 'Repositories without an entry' }).getByText('/demo').waitFor();
});

test('a repository is connected as a GitHub App, and edited without its secrets', async () => {
  await open('/settings/repos');
  await page.getByRole('button', { name: 'Connect a repository' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect a repository' });
  await dialog.getByLabel(/^Address/).fill('https://git.invalid/shop.git');
  await dialog.getByLabel('Credentials').selectOption('github');
  await dialog.getByText('The id of the GitHub App is a number.').first().waitFor({ state: 'attached' });
  for (const field of ['Id of the App', 'Address of GitHub Enterprise', 'Private key of the App'])
    await dialog.getByLabel(field).waitFor();
  await dialog.getByText('Client certificate and proxy').click();
  for (const field of ['Client certificate, as PEM', 'Proxy', 'Hosts without the proxy'])
    await dialog.getByLabel(new RegExp(`^${field}`)).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await dialog.getByLabel('Credentials').selectOption('none');
  await dialog.getByLabel(/^Address/).fill(`file://${fairlead.demo}`);
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Edit .*demo$/ }).click();
  const edit = page.getByRole('dialog', { name: /^Edit .*demo$/ });
  await edit.getByLabel(/^Name/).fill('The demo');
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /^The demo/ }).waitFor();
});

test('a credential template is created, edited and deleted', async () => {
  await open('/settings/repos');
  await page.getByRole('button', { name: 'New template' }).click();
  const dialog = page.getByRole('dialog', { name: 'New credential template' });
  await dialog.getByLabel('Addresses begin with').fill('https://git.example.com/shop');
  await dialog.getByLabel('Credentials').selectOption('password');
  await dialog.getByLabel(/^User/).fill('ci');
  await dialog.getByLabel('Password or token').fill('template-canary');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('row', { name: /^https:\/\/git\.example\.com\/shop/ });
  await row.getByText('user ci').waitFor();
  await row.getByRole('button', { name: /^Edit/ }).click();
  const edit = page.getByRole('dialog', { name: /^Edit the template/ });
  await edit.getByLabel('Credentials').selectOption('password');
  await edit.getByLabel(/^User/).fill('robot');
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'detached' });
  await row.getByText('user robot').waitFor();
  await row.getByRole('button', { name: /^Delete…/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await row.waitFor({ state: 'detached' });
});

const repositorySecret = (name: string, type: string, data: object) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': type } },
  stringData: data,
});

test('a repository that borrows the credentials of a template says so where its own would be given', async () => {
  const login = { username: 'ci', password: 'lent-canary' };
  await fairlead.apply(
    repositorySecret('lender', 'repo-creds', { url: 'https://git.invalid/team', ...login }),
  );
  await fairlead.apply(
    repositorySecret('borrower', 'repository', { url: 'https://git.invalid/team/deploy.git', type: 'git' }),
  );
  const edit = page.getByRole('button', { name: /^Edit .*deploy/ });
  await open('/settings/repos');
  await edit.click();
  const dialog = page.getByRole('dialog', { name: /^Edit .*deploy/ });
  const credentials = dialog.getByRole('combobox', { name: 'Credentials' });
  const hint = dialog.getByText(/those of the template https:\/\/git\.invalid\/team are used/);
  await hint.waitFor();
  expect(await credentials.getAttribute('aria-describedby')).toBe(await hint.getAttribute('id'));
  expect(await credentials.locator('option:checked').textContent()).toBe('of a template');
  const way = dialog.getByText(
    /^The credentials of the template are sent another way only where you may update/,
  );
  expect(await way.count()).toBe(0);
  await dialog.getByLabel('Without checking its identity').check();
  await way.waitFor();
  await credentials.selectOption('password'); // its own take their place
  await hint.waitFor({ state: 'detached' });
  await way.waitFor({ state: 'detached' });
  expect(await barriersOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
});

test.each([
  ['/applications/argocd/guestbook', 'Dashboard', 'https://graphs.example.com/guestbook'],
  [
    '/applications/argocd/guestbook?node=apps/Deployment/guestbook/web&tab=summary',
    'Runbook',
    'https://runbooks.example.com/Deployment',
  ],
  ['/settings/projects/default', 'Team', 'https://teams.example.com/default'],
])('on %s stands the link %s that the settings give it', async (path, title, url) => {
  await open(path);
  const found = page.getByRole('link', { name: title });
  await found.waitFor();
  expect(await found.getAttribute('href')).toBe(url);
});

test('an application is subscribed to a trigger on its page, and unsubscribed again', async () => {
  await fairlead.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-notifications-cm', namespace: 'argocd' },
    data: { 'service.webhook.chat': 'url: https://chat.invalid' },
  });
  const annotation = 'notifications.argoproj.io/subscribe.on-deployed.chat';
  const subscribed = async () => {
    const { stdout } = await fairlead.kubectl('get', 'app/guestbook', '-n', 'argocd', '-o', 'json');
    return JSON.parse(stdout).metadata.annotations?.[annotation];
  };
  await eventually(async () => {
    await open('/applications/argocd/guestbook?view=notifications');
    await page.getByLabel('Service').selectOption('chat', { timeout: 1000 });
  }, 60_000);
  await page.getByLabel('Trigger').selectOption('on-deployed');
  await page.getByLabel('Recipient').fill('team');
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
  const row = page.getByRole('list', { name: 'Subscriptions of its own' }).getByRole('listitem');
  await row.getByText('chat:team').waitFor();
  expect(await subscribed()).toBe('team');
  await row.getByRole('button', { name: 'Unsubscribe chat:team from on-deployed' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await subscribed()).toBeUndefined();
});

const forWriters: readonly (readonly [path: string, buttons: readonly (string | RegExp)[]])[] = [
  ['/settings/projects', ['New project']],
  ['/settings/projects/default', [/^Delete… project default/, 'Permit a repository', /^Remove… /]],
  ['/settings/projects/default?tab=windows', ['New window']],
  ['/settings/projects/default?tab=roles', ['New role']],
  ['/settings/repos', ['Connect a repository', /^Edit /, /^Delete… /, 'New template']],
  ['/settings/clusters', ['Add a cluster', /^Edit /, /^Read .* again/, /^Remove… /]],
  ['/settings/accounts', ['New token of admin']],
  ['/settings/certs', ['Add a certificate or host key', /^Delete… ssh/]],
  ['/settings/gpgkeys', ['Add a signing key']],
  ['/applicationsets', ['New set']],
];

test('a user who may only read finds on every screen why a button is off', async () => {
  const viewer = await signedIn('viewer', 'viewer-password');
  for (const [path, buttons] of forWriters) {
    await viewer.goto(`${fairlead.url}${path}`);
    for (const name of buttons) {
      const button = viewer.getByRole('button', { name }).first();
      const reason = async () => {
        const id = await button.getAttribute('aria-describedby');
        return id ? await viewer.locator(`[id="${id}"]`).textContent() : '';
      };
      await expect
        .poll(reason, { timeout: 30_000 })
        .toMatch(/^You may not: .*permission|^You may not: no project/);
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      await button.click({ force: true });
      expect(await viewer.getByRole('dialog').count()).toBe(0);
    }
  }
  await viewer.goto(`${fairlead.url}/settings/in-force`);
  await viewer.getByText('only a user who may update accounts sees to what').first().waitFor();
  expect(await viewer.getByText('180s').count()).toBe(0);
  await viewer.context().close();
});

test('the windows of a project are drawn with their zone and the present moment', async () => {
  const syncWindows = [{ kind: 'deny', schedule: '0 8 * * *', duration: '20m', applications: ['*'] }];
  const metadata = { name: 'shop', namespace: 'argocd' };
  const [apiVersion, kind] = ['argoproj.io/v1alpha1', 'AppProject'];
  await fairlead.apply({ apiVersion, kind, metadata, spec: { syncWindows } });
  await eventually(async () => {
    await open('/settings/projects/shop?tab=windows');
    await page.getByRole('img', { name: /times in / }).waitFor();
  });
  expect(await page.locator('.calendar-track .deny').count()).toBeGreaterThan(5);
  expect(await page.locator('.calendar-track .calendar-now').count()).toBe(1);
  await page.getByRole('cell', { name: 'in UTC' }).waitFor();
});

test('sources, destinations, windows and roles of a project are made and changed in forms', async () => {
  const metadata = { name: 'forms', namespace: 'argocd' };
  const [apiVersion, kind] = ['argoproj.io/v1alpha1', 'AppProject'];
  await fairlead.apply({ apiVersion, kind, metadata, spec: {} });
  await eventually(async () => {
    await open('/settings/projects/forms');
    await sentence(/^forms lets 0 applications deploy from 0 repositories to 0 destinations/);
  });
  const dialog = page.getByRole('dialog');
  const fill = async (button: string, fields: Readonly<Record<string, string>>, action: string) => {
    await page.getByRole('button', { name: button, exact: true }).click();
    for (const [label, value] of Object.entries(fields))
      await dialog.getByLabel(new RegExp(`^${label}`)).fill(value);
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  const [source, cluster] = ['https://git.example.com/shop/*', 'https://kubernetes.default.svc'];
  await fill('Permit a repository', { Address: source }, 'Permit');
  await fill('Permit a destination', { Cluster: cluster, Namespace: 'shop-*' }, 'Permit');
  await sentence(/from 1 repository to 1 destination/);
  await page.getByRole('tab', { name: 'Windows' }).click();
  await fill('New window', { Schedule: '0 22 * * *', Duration: '20m', Applications: 'a, b' }, 'Add');
  await fill('Edit window 1', { Duration: '30m' }, 'Save');
  await page.getByRole('cell', { name: /0 22 \* \* \* for 30m, in UTC/ }).waitFor();
  await open('/settings/projects/forms?newRole=true'); // a link of Argo CD
  await dialog.getByLabel(/^Name/).fill('ci');
  await dialog.getByLabel(/^Policies/).fill('p, proj:forms:ci, applications, sync, forms/*, allow');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await open('/settings/projects/forms?tab=roles');
  await fill('Edit role ci', { Description: 'the pipeline' }, 'Save');
  await page.getByText('the pipeline').waitFor();
  const { stdout } = await fairlead.kubectl('get', 'appproject/forms', '-n', 'argocd', '-o', 'json');
  expect(JSON.parse(stdout).spec).toMatchObject({
    sourceRepos: [source],
    destinations: [{ server: cluster, namespace: 'shop-*' }],
    syncWindows: [{ kind: 'deny', schedule: '0 22 * * *', duration: '30m', applications: ['a', 'b'] }],
    roles: [{ name: 'ci', description: 'the pipeline' }],
  });
  await page.getByRole('button', { name: 'Remove… role ci' }).click();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('It has no roles.').waitFor();
  expect(await barriersOf(page)).toEqual([]);
});

test('the page to sign in has no barrier in either theme, nor is it wider than a telephone', async () => {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const login = await context.newPage();
  await login.goto(`${fairlead.url}/login`);
  await login.getByLabel('Password').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await login.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect({ colorScheme, barriers: await barriersOf(login) }).toEqual({ colorScheme, barriers: [] });
  }
  expect(
    await login.evaluate(() => {
      const { scrollWidth, clientWidth } = (globalThis as any).document.documentElement;
      return scrollWidth - clientWidth;
    }),
  ).toBe(0);
  await context.close();
});

test('no settings screen is wider than a telephone', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of ['repos', 'clusters', 'in-force', 'projects/shop?tab=windows']) {
    await open(`/settings/${path}`);
    await page.getByRole('table').first().waitFor();
    expect({ path, ...(await overlapsOn(page)) }).toMatchObject({ path, beyond: 0 });
  }
});
