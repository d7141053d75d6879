import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { breakInstallations } from './broken-installations.ts';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';
import { barriersOf, keepScreenshot } from './page-checks.ts';

// Six broken installations. The page alone must say, in its first sentences: what is broken, since when, because of which commit
// and resource, who changed a field that drifted, and what Sync would do.
let fairlead: Fairlead;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [fairlead, browser] = await Promise.all([startFairlead(), launchBrowser()]);
  await breakInstallations(fairlead);
  page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(30_000);
  await page.goto(`${fairlead.url}/applications`);
  await page.getByLabel('Password').fill(fairlead.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'guestbook' }).first().waitFor();
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

type Told = { readonly name: string; readonly sentence: RegExp; readonly outlook: string };

const time = String.raw`\d\d:\d\d`;
const commit = (subject: string) => `commit [0-9a-f]{7} ‘${subject}’`;
const unmended = 'Sync would change nothing: the cluster already has what Git has.';
const told: readonly Told[] = [
  {
    name: 'dry-run',
    sentence: new RegExp(
      `its sync to ${commit('name the port of the service')} has failed \\d+ times since ${time}: Service web: “spec\\.ports\\[0\\]\\.port must be int32, not string”; (next try|attempt|the next)`,
    ),
    outlook: 'Sync would change Service web, and fail again unless its cause is gone.',
  },
  {
    name: 'hook',
    sentence: new RegExp(
      `sync to ${commit('migrate to the second schema')} has failed \\d+ times since ${time}: Job migrate: “.*Job has reached the specified backoff limit`,
    ),
    outlook: 'Sync would set data.value of ConfigMap settings to 2, and fail again unless its cause is gone.',
  },
  {
    name: 'render',
    sentence: new RegExp(
      `cannot be compared with Git: “.*limits\\.yaml does not exist” since ${time}; it is rendered from the newest commit, ‘limit the memory’ by .*, which need not be the one at fault; the last one synced is commit [0-9a-f]{7}`,
    ),
    outlook: 'Sync would change nothing: it fails as long as the error is there.',
  },
  {
    name: 'image',
    sentence: new RegExp(
      `image is Progressing since ${time}: Deployment web has \\d of \\d pods ready \\(ImagePullBackOff: .*\\), after ${commit('release web 2')} by the auto.sync of ${time}`,
    ),
    outlook: unmended,
  },
  {
    name: 'drift',
    sentence: new RegExp(
      `drift is Healthy but OutOfSync: Deployment web differs from commit [0-9a-f]{7} ‘.*’ in spec\\.replicas, which queue-scaler set to 5 at ${time}, and auto.sync is off`,
    ),
    outlook: 'Sync would set spec.replicas of Deployment web to 2.',
  },
  {
    name: 'knative',
    sentence: new RegExp(
      `knative is Degraded: Service agent says “Revision agent-00002 lacks a port: set startupProbe\\.httpGet\\.port to 8080 \\(container user-container\\)” since ${time}, after ${commit('probe the agent')} by the auto.sync of ${time}`,
    ),
    outlook: unmended,
  },
];

test.each(told)('$name: the first sentences say what, since when, why, and what Sync does', async (one) => {
  await page.goto(`${fairlead.url}/applications/argocd/${one.name}`);
  const sentence = page.getByRole('heading', { level: 1 });
  await sentence.waitFor();
  await keepScreenshot(page, `trial-${one.name}`);
  await expect.poll(() => sentence.textContent(), { timeout: 20_000 }).toMatch(one.sentence);
  await expect.poll(() => page.locator('.outlook').textContent(), { timeout: 20_000 }).toBe(one.outlook);
  expect(await barriersOf(page)).toEqual([]);
});

test('the field that drifted is shown with both values and its writer', async () => {
  await page.goto(`${fairlead.url}/applications/argocd/drift?view=changes`);
  const row = page.getByRole('row', { name: /spec\.replicas/ });
  await row.getByText('queue-scaler').waitFor();
  expect(await row.getByRole('cell').allTextContents()).toEqual([
    ...['spec.replicas', '5', '2', expect.stringMatching(/^queue-scaler/)],
  ]);
  await keepScreenshot(page, 'trial-drift-changes');
});

test('an image that cannot be pulled is rolled back on the page, which turns auto-sync off first', async () => {
  await page.goto(`${fairlead.url}/applications/argocd/image?view=history`);
  await page.getByRole('button', { name: 'Roll back…' }).last().click();
  const dialog = page.getByRole('dialog', { name: 'Roll back image' });
  await dialog.getByRole('region', { name: 'What changes' }).getByText('web:1').waitFor();
  const confirm = dialog.getByRole('button', { name: /^Roll back to/ });
  expect(await confirm.getAttribute('aria-disabled')).toBe('true');
  await dialog.getByText('It would undo the rollback.').waitFor();
  await dialog.getByRole('checkbox', { name: /Turn auto-sync off first/ }).check();
  await keepScreenshot(page, 'trial-rollback');
  await confirm.click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1, name: /^image is Healthy but OutOfSync/ }).waitFor();
  const app = await fairlead.until('image', 'healthy', ({ status }) => status?.health?.status === 'Healthy');
  expect(app.spec.syncPolicy?.automated).toEqual({ enabled: false });
});
