import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Fairlead, isSettled } from './fairlead.ts';

/** A signed-in page of a started program. */
type Ground = { readonly page: Page; readonly fairlead: Fairlead };

const rowsOn = (page: Page) => page.getByRole('table', { name: 'Applications' }).locator('tbody tr:has(a)');

/** Ticks applications, sees the preview, and syncs them together. */
export async function syncTogether({ page, fairlead }: Ground, names: readonly string[]): Promise<void> {
  await page.goto(`${fairlead.url}/applications`);
  for (const name of names) await page.getByRole('checkbox', { name: `Choose ${name}` }).check();
  const bar = page.getByRole('region', { name: 'Chosen applications' });
  await bar.getByText(`${names.length} applications chosen`).waitFor();
  await bar.getByRole('button', { name: 'Sync…' }).click();
  const dialog = page.getByRole('dialog', { name: `Sync ${names.length} applications?` });
  for (const name of names)
    await dialog
      .getByRole('listitem')
      .filter({ hasText: new RegExp(`^${name} 1 change`) })
      .waitFor();
  await dialog.getByRole('button', { name: `Sync ${names.length} applications` }).click();
  await dialog.waitFor({ state: 'detached' });
  for (const name of names) await fairlead.until(name, 'settled', isSettled);
}

/** Opens a link of Argo CD to the refresh of a filtered list. */
export async function refreshByLink({ page, fairlead }: Ground, names: readonly string[]): Promise<void> {
  await page.goto(`${fairlead.url}/applications?search=bulk&refreshApps=true`);
  const dialog = page.getByRole('dialog', { name: `Refresh ${names.length} applications?` });
  await dialog.getByRole('button', { name: `Refresh ${names.length} applications` }).click();
  await page.waitForURL(`${fairlead.url}/applications?search=bulk`);
}

/** Marks a favourite, keeps the list of favourites under a name, and finds it again in the side bar. */
export async function keepView({ page, fairlead }: Ground, name: string): Promise<void> {
  await page.goto(`${fairlead.url}/applications`);
  await page.getByRole('row', { name }).hover();
  await page.getByRole('button', { name: `Favourite ${name}` }).click();
  await page.getByRole('button', { name: 'Favourites', exact: true }).click();
  await expect.poll(() => rowsOn(page).count()).toBe(1);
  await page.getByRole('button', { name: 'Save this view…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save this view' });
  await dialog.getByLabel('Name').fill('Mine');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.goto(`${fairlead.url}/applications`);
  await expect.poll(() => rowsOn(page).count()).toBeGreaterThan(1);
  await page.getByRole('navigation', { name: 'Lists' }).getByRole('link', { name: 'Mine' }).click();
  await page.waitForURL(/showFavorites=true/);
  await expect.poll(() => rowsOn(page).count()).toBe(1);
  await page.getByRole('link', { name, exact: true }).waitFor();
}

/** Reads a drift as fields, as lines, and side by side. */
export async function readDrift({ page, fairlead }: Ground, name: string): Promise<void> {
  const containers = [{ name: 'web', image: 'nginx:9' }];
  const patch = JSON.stringify({ spec: { template: { spec: { containers } } } });
  await fairlead.kubectl('patch', 'deployment/web', '-n', name, '--type=strategic', '-p', patch);
  await fairlead.until(name, 'drifted', ({ status }) => status?.sync?.status === 'OutOfSync');
  await page.goto(`${fairlead.url}/applications/argocd/${name}?view=changes`);
  const modes = page.getByRole('navigation', { name: 'Show differences as' });
  await modes.getByRole('link', { name: 'Inline' }).click();
  await page.waitForURL(/diff=inline/);
  await page.locator('.diff .diff-line').first().waitFor();
  await modes.getByRole('link', { name: 'Side by side' }).click();
  await page.waitForURL(/diff=split/);
  await page.locator('.diff .diff-pair').first().waitFor();
  expect(await page.locator('.diff .diff-line').count()).toBe(0);
}

/** Connects a repository; a cluster that cannot be reached is not added, and the dialog says why. */
export async function connect(
  { page, fairlead }: Ground,
  cluster: { server: string; name: string },
): Promise<void> {
  await page.goto(`${fairlead.url}/settings/repos`);
  await page.getByRole('button', { name: 'Connect a repository' }).click();
  const repository = page.getByRole('dialog', { name: 'Connect a repository' });
  await repository.getByLabel('Address').fill(`file://${fairlead.demo}`);
  await repository.getByRole('button', { name: 'Connect', exact: true }).click();
  await repository.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /demo/ }).getByText('Connected').waitFor();
  await page.goto(`${fairlead.url}/settings/clusters`);
  await page.getByRole('button', { name: 'Add a cluster' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a cluster' });
  await dialog.getByLabel(/^Address/).fill(cluster.server);
  await dialog.getByLabel(/^Name(?!spaces)/).fill(cluster.name);
  await dialog.getByLabel(/^Token/).fill('a-token');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByRole('alert').getByText('127.0.0.1').waitFor();
  await page.goto(`${fairlead.url}/settings/clusters`);
  await page.getByRole('row', { name: /in-cluster/ }).waitFor();
  expect(await page.getByRole('row', { name: new RegExp(cluster.name) }).count()).toBe(0);
}

/** Makes a token of an account, which is shown once and works. */
export async function makeToken({ page, fairlead }: Ground, account: string): Promise<void> {
  const data = JSON.stringify({ data: { [`accounts.${account}`]: 'apiKey' } });
  await fairlead.kubectl('-n', 'argocd', 'patch', 'cm', 'argocd-cm', '--type=merge', '-p', data);
  const button = page.getByRole('button', { name: `New token of ${account}` });
  await expect
    .poll(async () => {
      await page.goto(`${fairlead.url}/settings/accounts`);
      await page.getByRole('row', { name: /admin/ }).waitFor();
      return button.count();
    })
    .toBe(1);
  await button.click();
  const dialog = page.getByRole('dialog', { name: `New token of ${account}` });
  await dialog.getByRole('button', { name: 'Create' }).click();
  const token = await dialog.locator('.secret code').textContent();
  await dialog.getByRole('button', { name: 'Done' }).click();
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${fairlead.url}/api/v1/session/userinfo`, { headers });
  expect(await answer.json()).toMatchObject({ loggedIn: true, username: account });
}
