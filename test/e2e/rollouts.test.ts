import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
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

// A Rollout without an Application: an Experiment compares its versions before the canary begins.
const paid = (experiment: object) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'pay', namespace },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'pay' } },
    template: {
      metadata: { labels: { app: 'pay' } },
      spec: { containers: [{ name: 'pay', image: 'pay:1' }] },
    },
    strategy: {
      canary: {
        steps: [
          {
            experiment: {
              scaleDownDelaySeconds: 1,
              templates: [
                { name: 'baseline', specRef: 'stable', metadata: { labels: { role: 'baseline' } } },
                { name: 'candidate', specRef: 'canary', metadata: { labels: { role: 'candidate' } } },
              ],
              ...experiment,
            },
          },
          { pause: {} },
        ],
      },
    },
  },
});
const smokeTest = (command: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisTemplate',
  metadata: { name: 'smoke', namespace },
  spec: {
    metrics: [
      {
        name: 'smoke',
        provider: {
          job: {
            spec: {
              backoffLimit: 0,
              template: {
                spec: {
                  restartPolicy: 'Never',
                  containers: [{ name: 'smoke', image: 'smoke:1', command: [command] }],
                },
              },
            },
          },
        },
      },
    ],
  },
});
const rollouts = (...words: string[]) => fairlead.cli('rollouts', ...words, '-n', namespace);
const statusOfPay = async (path: string) =>
  (await fairlead.kubectl('get', 'rollout', 'pay', '-n', namespace, '-o', `jsonpath={.status.${path}}`))
    .stdout;

test('a canary with an experiment measures both versions, goes on when it is good and aborts when it is bad', async () => {
  const smoke = [{ name: 'smoke', templateName: 'smoke', requiredForCompletion: true }];
  await fairlead.apply(smokeTest('true'));
  await fairlead.apply(paid({ analyses: smoke }));
  expect(await rollouts('status', 'pay')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Healthy'),
  });
  expect(await rollouts('set', 'image', 'pay', 'pay=pay:2')).toMatchObject({ code: 0 });
  expect(await rollouts('status', 'pay')).toMatchObject({ stdout: expect.stringContaining('Paused') });
  expect(await statusOfPay('message')).toBe('CanaryPauseStep');
  const name = `pay-${await statusOfPay('currentPodHash')}-2-0`;
  const shown = await rollouts('get', 'pay');
  expect(shown.stdout).toMatch(
    new RegExp(`2 +${name} +Successful +baseline ./., candidate ./. +smoke Successful`),
  );
  await fairlead.apply(smokeTest('false'));
  expect(await rollouts('set', 'image', 'pay', 'pay=pay:3')).toMatchObject({ code: 0 });
  expect(await rollouts('status', 'pay')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/RolloutAborted: .*Experiment phase error\/failed \(pay-.*-3-0\): .*smoke/),
  });
  expect((await rollouts('list', 'experiments')).stdout).toMatch(/pay-\w+-3-0 +Failed/);
}, 60_000);

test('an experiment without an end runs until the command line terminates it, and the canary goes on', async () => {
  await fairlead.apply(paid({}));
  expect(await rollouts('set', 'image', 'pay', 'pay=pay:4')).toMatchObject({ code: 0 });
  const name = await eventually(async () => {
    const found = await statusOfPay('canary.currentExperiment');
    expect(found).not.toBe('');
    return found;
  });
  const pods = () =>
    fairlead.kubectl(
      'get',
      'pods',
      '-n',
      namespace,
      '-l',
      'role',
      '-o',
      'jsonpath={.items[*].metadata.labels.role}',
    );
  await eventually(async () =>
    expect((await pods()).stdout.split(' ').toSorted()).toEqual(['baseline', 'candidate']),
  );
  await fairlead.kill();
  fairlead = await fairlead.restart();
  expect(await rollouts('terminate', 'experiment', name)).toMatchObject({ code: 0 });
  expect(await rollouts('status', 'pay')).toMatchObject({ stdout: expect.stringContaining('Paused') });
  await eventually(async () => expect((await pods()).stdout).toBe(''));
  expect(await rollouts('retry', 'experiment', name)).toMatchObject({ code: 0 });
  expect(await rollouts('retry', 'job', name)).toMatchObject({ code: 20 });
}, 60_000);

test('lint knows Experiments', async () => {
  const file = join(fairlead.folder, 'experiment.json');
  const experiment = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Experiment', metadata: { name: 'x' } };
  await writeFile(file, JSON.stringify({ ...experiment, spec: { templates: [] } }));
  expect(await fairlead.cli('rollouts', 'lint', '-f', file)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('error: Experiment x: spec.templates: Required value'),
  });
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a:1' }] } };
  const templates = [{ name: 'a', selector: { matchLabels: { a: 'b' } }, template }];
  await writeFile(file, JSON.stringify({ ...experiment, spec: { templates } }));
  expect(await fairlead.cli('rollouts', 'lint', '-f', file)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('warning: Experiment x: spec.duration'),
  });
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

test('a Rollout whose new pods cannot start names the reason in the health of the application', async () => {
  const commit = await repository.commit({
    'app/web.yaml': JSON.stringify(rollout('web:image-pull-error')),
  });
  const broken = await fairlead.until(
    'shop',
    'named',
    ({ status }) =>
      status?.sync?.revision === commit && (status.health?.message ?? '').includes('ImagePullBackOff'),
  );
  expect(broken.status?.health?.message).toMatch(/Rollout web \(ImagePullBackOff: .*"web:image-pull-error"/);
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
