import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppProject } from '#base/model';
import type { CookieJar } from '../cookie-jar.ts';
import { eventually } from '../eventually.ts';
import { dataOf, manifest } from '../seeds/documents.ts';
import { launchBrowser } from './browser.ts';
import { forget } from './fairlead.ts';
import { type SsoTenants, startSsoTenants } from './sso-tenants.ts';
import { applicationOf } from './tenants.ts';

// The policies of "GitOps with ArgoCD" as they are written: paula of payments-team logs in with the identity provider and may sync all
// of team-payments; lena has a local account with the role of a deployer and may sync production only. Through REST and the page.

const apps = ['api-dev', 'api-prod', 'risk-dev'] as const;
let sso: SsoTenants;
let browser: Browser;
let lena: string;

beforeAll(async () => {
  sso = await startSsoTenants();
  const { fairlead, configure, ask } = sso.tenants;
  const { spec, ...project } = manifest<AppProject>('002/project-payments-roles.yaml');
  const open = { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] };
  await fairlead.apply({ ...project, spec: { ...spec, ...open } });
  await fairlead.apply({ ...project, metadata: { name: 'team-risk', namespace: 'argocd' }, spec: open });
  const repository = `file://${join(fairlead.folder, 'repository')}`;
  for (const name of apps)
    await fairlead.apply(
      applicationOf(name, name.startsWith('risk') ? 'team-risk' : 'team-payments', repository),
    );
  const { 'policy.csv': policy = '', scopes = '' } = dataOf('002/argocd-rbac-cm.yaml');
  await configure('argocd-rbac-cm', {
    ...{ 'policy.csv': policy, scopes, 'policy.sso.csv': null },
    'policy.people.csv': 'g, lena, role:payments-deployer',
  });
  await configure('argocd-cm', { 'accounts.lena': 'login' });
  const password = { name: 'lena', currentPassword: fairlead.password, newPassword: 'lena-password' };
  await eventually(async () => {
    expect((await ask('admin', 'PUT', '/api/v1/account/password', password)).status).toBe(200);
  });
  const login = { username: 'lena', password: 'lena-password' };
  lena = ((await (await ask('anonymous', 'POST', '/api/v1/session', login)).json()) as { token: string })
    .token;
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await sso.stop();
  forget(sso.tenants.fairlead);
});

/** A sync of another person may be running; what counts is whether the request is permitted. */
const answerOf = (status: number): string => (status === 403 ? 'no' : 'yes');

/** Whether a person may get and sync each application. */
async function rights(
  send: (method: string, path: string, body?: object) => Promise<number>,
): Promise<string[]> {
  const found: string[] = [];
  for (const app of apps) {
    const path = `/api/v1/applications/${app}`;
    const statuses = [await send('GET', path), await send('POST', `${path}/sync`, { dryRun: true })];
    found.push(`${app}: ${statuses.map(answerOf).join(' ')}`);
  }
  return found;
}

const byCookie = (jar: CookieJar) => async (method: string, path: string, json?: object) =>
  (await jar.ask(`${sso.url}${path}`, { method, ...(json && { json }), headers: { origin: sso.url } }))
    .status;
const byToken = (token: string) => async (method: string, path: string, body?: object) =>
  (await sso.tenants.ask({ token }, method, path, body)).status;

test('by REST each may exactly what the policies say', async () => {
  const paula = await sso.login('paula');
  await eventually(async () => {
    expect(await rights(byCookie(paula))).toEqual([
      'api-dev: yes yes',
      'api-prod: yes yes',
      'risk-dev: no no',
    ]);
  });
  expect(await rights(byToken(lena))).toEqual(['api-dev: yes no', 'api-prod: yes yes', 'risk-dev: no no']);
  for (const send of [byCookie(paula), byToken(lena)]) {
    expect(await send('DELETE', '/api/v1/applications/api-dev')).toBe(403);
    expect(await send('GET', '/api/v1/applications/vault')).toBe(403);
  }
});

/** Opens an application and requests a sync in the page; the page says which permission is missing, or closes the dialog. */
async function syncOnPage(page: Page, app: string): Promise<'synced' | 'refused'> {
  const answered = page.waitForResponse((response) => response.url().includes('/can-i/applications/sync/'));
  await page.goto(`${sso.url}/applications/argocd/${app}`);
  const { value } = (await (await answered).json()) as { value: string };
  if (value === 'no') {
    const why = `the permission “applications, sync, team-payments/${app}” is missing`;
    await page.getByText(why).first().waitFor({ state: 'attached' });
    return 'refused';
  }
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: /^Sync/ }).click();
  await dialog.getByRole('button', { name: /^Sync/ }).last().click();
  await dialog.waitFor({ state: 'detached' });
  return 'synced';
}

const listed = async (page: Page): Promise<string[]> => {
  await page.goto(`${sso.url}/applications`);
  await page.getByRole('link', { name: 'api-dev', exact: true }).waitFor();
  const found: string[] = [];
  for (const name of [...apps, 'web', 'vault'])
    if ((await page.getByRole('link', { name, exact: true }).count()) > 0) found.push(name);
  return found;
};

test('on the page paula logs in with the identity provider, sees her project and syncs in it', async () => {
  const page = await browser.newPage({ ignoreHTTPSErrors: true });
  await page.goto(`${sso.url}/applications`);
  await page.getByRole('link', { name: 'Log in via Example' }).click();
  await page.getByPlaceholder('Enter any login').fill('paula');
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.waitForURL(`${sso.url}/applications`);
  await page.getByText('paula@pay.example').first().waitFor();
  expect(await listed(page)).toEqual(['api-dev', 'api-prod']);
  expect(await syncOnPage(page, 'api-dev')).toBe('synced');
  await page.getByRole('button', { name: 'Signed in as paula@pay.example' }).click();
  await page.getByRole('menuitem', { name: /Sign out/ }).click();
  await page.getByRole('link', { name: 'Log in via Example' }).waitFor();
  await page.close();
});

test('on the page lena logs in with her password, and is refused what is not hers', async () => {
  const page = await browser.newPage({ ignoreHTTPSErrors: true });
  await page.goto(`${sso.url}/login`);
  await page.getByLabel('Username').fill('lena');
  await page.getByLabel('Password').fill('lena-password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${sso.url}/applications`);
  expect(await listed(page)).toEqual(['api-dev', 'api-prod']);
  expect(await syncOnPage(page, 'api-dev')).toBe('refused');
  expect(await syncOnPage(page, 'api-prod')).toBe('synced');
  await page.close();
});

test('a login that fails is told on the page, in our words only', async () => {
  const page = await browser.newPage({ ignoreHTTPSErrors: true });
  await page.goto(`${sso.url}/auth/callback?code=x&state=y`);
  await page.getByRole('alert').getByText('was not begun in this browser').waitFor();
  await page.goto(`${sso.url}/login?has_sso_error=true&sso_error=Call%20555-0100`);
  await page.getByRole('alert').getByText('Single sign-on failed').waitFor();
  expect(await page.getByText('555').count()).toBe(0);
  await page.close();
});
