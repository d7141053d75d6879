import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';
import { barriersOf, keepScreenshot, overlapsOn } from './page-checks.ts';

// A Rollout from Git on the embedded cluster: an Application syncs it, a commit starts a canary, people decide.
const namespace = 'shop';
let fairlead: Fairlead;
let repository: GitRepositoryFixture;
let browser: Browser | undefined;

beforeAll(async () => {
  fairlead = await startFairlead('--no-demo');
  repository = await gitRepository(join(fairlead.folder, 'repository'));
  await repository.commit({
    'app/web.yaml': JSON.stringify(rollout('web:1')),
    'app/services.yaml': [service('web-stable'), service('web-canary')]
      .map((one) => JSON.stringify(one))
      .join('\n---\n'),
  });
  expect(await fairlead.apply(application())).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await browser?.close();
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const rollout = (image: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web' },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
    strategy: {
      canary: {
        stableService: 'web-stable',
        canaryService: 'web-canary',
        steps: [{ setWeight: 25 }, { pause: {} }, { setWeight: 50 }],
      },
    },
  },
});
const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
});
const application = () => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: {
    source: { repoURL: `file://${repository.dir}`, path: 'app', targetRevision: 'HEAD' },
    destination: { server: 'https://kubernetes.default.svc', namespace },
    syncPolicy: { automated: { selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
  },
});

const healthIs = (health: string, commit?: string) =>
  fairlead.until(
    'shop',
    health,
    ({ status }) => status?.health?.status === health && (!commit || status?.sync?.revision === commit),
  );
const field = async (path: string): Promise<string> =>
  (await fairlead.kubectl('get', 'rollout', 'web', '-n', namespace, '-o', `jsonpath=${path}`)).stdout;

test('the first sync brings the Rollout out without steps, and it is no drift', async () => {
  const app = await fairlead.until('shop', 'settled', isSettled);
  expect(await field('{.status.phase} {.status.availableReplicas}')).toBe('Healthy 4');
  expect(app.status?.resources?.map(({ kind, status }) => `${kind} ${status}`).toSorted()).toEqual([
    'Rollout Synced',
    'Service Synced',
    'Service Synced',
  ]);
});

test('a commit starts a canary, which waits for a person and survives a kill', async () => {
  const commit = await repository.commit({ 'app/web.yaml': JSON.stringify(rollout('web:2')) });
  await healthIs('Suspended', commit);
  expect(await field('{.status.phase} {.status.message} {.status.currentStepIndex}')).toBe(
    'Paused CanaryPauseStep 1',
  );
  await fairlead.kill();
  fairlead = await fairlead.restart();
  await healthIs('Suspended', commit);
  const selector = '{.spec.selector.rollouts-pod-template-hash}';
  const selected = async (name: string) =>
    (await fairlead.kubectl('get', 'service', name, '-n', namespace, '-o', `jsonpath=${selector}`)).stdout;
  expect(await selected('web-stable')).toBe(await field('{.status.stableRS}'));
  expect(await selected('web-canary')).toBe(await field('{.status.currentPodHash}'));
});

test('the command line shows it, promotes it, and the application is settled', async () => {
  const shown = await fairlead.cli('rollouts', 'get', 'web', '-n', namespace);
  expect(shown.stdout).toMatch(/Status: +Paused/);
  expect(shown.stdout).toMatch(/Step: +1\/3/);
  expect(shown.stdout).toMatch(/ 1\/1 +canary/);
  expect(await fairlead.cli('rollouts', 'promote', 'web', '-n', namespace)).toMatchObject({ code: 0 });
  await healthIs('Healthy');
  expect(await fairlead.cli('rollouts', 'status', 'web', '-n', namespace)).toMatchObject({
    code: 0,
    stdout: 'Healthy\n',
  });
  expect(await field('{.status.phase} {.status.currentStepIndex}')).toBe('Healthy 3');
  const { stdout } = await fairlead.kubectl(
    ...['get', 'pods', '-n', namespace, '-o', 'jsonpath={.items[*].spec.containers[0].image}'],
  );
  expect(new Set(stdout.trim().split(' '))).toEqual(new Set(['web:2']));
});

test('an aborted update is degraded by name, and status says so', async () => {
  await repository.commit({ 'app/web.yaml': JSON.stringify(rollout('web:3')) });
  await healthIs('Suspended');
  expect(await fairlead.cli('rollouts', 'abort', 'web', '-n', namespace)).toMatchObject({ code: 0 });
  await healthIs('Degraded');
  const status = await fairlead.cli('rollouts', 'status', 'web', '-n', namespace);
  expect(status.code).toBe(1);
  expect(status.stdout).toContain('RolloutAborted: Rollout aborted update to revision 3');
  const listed = await fairlead.cli('rollouts', 'list', '-A');
  expect(listed.stdout).toMatch(/shop +web +Canary +Degraded/);
});

test('the page shows the steps and revisions, retries and promotes after a confirmation, and follows what happens', async () => {
  browser = await launchBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(30_000);
  await page.goto(`${fairlead.url}/applications/argocd/shop?node=argoproj.io/Rollout/${namespace}/web`);
  await page.getByLabel('Password').fill(fairlead.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const panel = page.getByRole('complementary', { name: 'Resource web' });
  await panel.getByText(/Degraded: Rollout aborted update to revision 3/).waitFor();
  await expectNoBarrier(page);
  await confirm(page, 'Retry');
  await panel.getByText(/Paused: revision 3 \(web:3\) waits at step 2 of 3/).waitFor();
  expect(await panel.getByRole('listitem').filter({ hasText: 'now' }).textContent()).toContain(
    'Pause until promoted',
  );
  await panel.getByRole('img', { name: 'New revision 25 percent, stable 75 percent' }).waitFor();
  await keepScreenshot(page, 'rollout');
  await expectNoBarrier(page);
  await confirm(page, 'Promote');
  await panel.getByText(/Healthy: revision 3 \(web:3\) has 4 pods of 4/).waitFor();
  await healthIs('Healthy');
  await panel.getByRole('button', { name: 'Abort…', disabled: true }).waitFor();
  await panel.getByRole('button', { name: 'Go back to revision 2' }).click();
  await page.getByRole('dialog').getByText('web:3 → web:2').waitFor();
  await page
    .getByRole('dialog')
    .getByText(/self-heal writes it back/)
    .waitFor();
});

async function confirm(page: Page, verb: string): Promise<void> {
  await page.getByRole('button', { name: `${verb}…` }).click();
  const dialog = page.getByRole('dialog', { name: `${verb} web?` });
  await dialog.getByRole('button', { name: verb, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function expectNoBarrier(page: Page): Promise<void> {
  expect(await barriersOf(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  expect(await barriersOf(page, ['color-contrast', 'link-in-text-block'])).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 360, height: 740 });
  expect((await overlapsOn(page)).beyond).toBe(0);
  await page.setViewportSize({ width: 1280, height: 900 });
}
