import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from '#lang/yaml';
import { issueCertificates } from '../certificates.ts';
import { eventually } from '../eventually.ts';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';
import { MailDouble, WebDouble } from '../notify/doubles.ts';
import { type ProxyServer, proxyServer } from '../proxy-server.ts';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';
import { barriersOf, keepScreenshot, overlapsOn } from './page-checks.ts';

// The users' documents unchanged: seed 002's argocd-notifications-cm with its Secret and subscriptions, and an alert for the
// Knative Service of seed 001. Slack, the mail server and Grafana are doubles of ours behind a proxy, with certificates that
// argocd-tls-certs-cm trusts. Every message comes once, also across a kill -9.

let fairlead: Fairlead;
let repository: GitRepositoryFixture;
let proxy: ProxyServer;
let slack: WebDouble;
let grafana: WebDouble;
let mail: MailDouble;
const hosts = ['slack.com', 'smtp.example.com', 'grafana.example.com'];
const seed = (file: string) => readFileSync(new URL(`../seeds/testdata/${file}`, import.meta.url), 'utf8');
const annotations = (parse(seed('002/app-subscribed.yaml')) as { metadata: { annotations: object } }).metadata
  .annotations;

/** The environment of the started program, for as long as it starts. */
async function behindProxy<T>(start: () => Promise<T>): Promise<T> {
  const url = `http://127.0.0.1:${proxy.port}`;
  Object.assign(process.env, { HTTPS_PROXY: url, ALL_PROXY: url });
  try {
    return await start();
  } finally {
    delete process.env.HTTPS_PROXY;
    delete process.env.ALL_PROXY;
  }
}

beforeAll(async () => {
  const { authority, server } = await issueCertificates(hosts);
  const tls = { key: server.key, cert: server.certificate };
  [slack, grafana] = await Promise.all([WebDouble.open(tls), WebDouble.open(tls)]);
  mail = await new MailDouble({ users: { 'argocd@example.com': 'smtp-password' }, tls }).open();
  proxy = await proxyServer({
    'slack.com:443': slack.port,
    'grafana.example.com:443': grafana.port,
    'smtp.example.com:587': mail.port,
  });
  fairlead = await behindProxy(() => startFairlead('--no-demo'));
  repository = await gitRepository(join(fairlead.folder, 'repository'));
  const trust = { name: 'argocd-tls-certs-cm', namespace: 'argocd' };
  const data = Object.fromEntries(hosts.map((host) => [host, authority]));
  await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: trust, data });
  await apply(seed('002/argocd-notifications-secret.yaml'));
  await apply(seed('002/argocd-notifications-cm.yaml'));
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
  await Promise.all([slack, grafana, mail, proxy].map((one) => one?.close()));
});

async function apply(manifest: object | string): Promise<void> {
  const { code, stderr } = await fairlead.apply(manifest);
  expect(code, stderr).toBe(0);
}

const application = (name: string, subscriptions: object) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd', annotations: subscriptions },
  spec: {
    project: 'default',
    source: { repoURL: `file://${repository.dir}`, path: name, targetRevision: 'HEAD' },
    destination: { server: 'https://kubernetes.default.svc', namespace: name },
    syncPolicy: { automated: {}, syncOptions: ['CreateNamespace=true'], retry: { limit: 0 } },
  },
});
const configMap = (value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: "${value}"\n`;
const subscribe = (trigger: string, service: string, to = '') => ({
  [`notifications.argoproj.io/subscribe.${trigger}.${service}`]: to,
});
const posted = () => slack.bodies.map(({ channel, text }) => `${channel}: ${String(text).split('\n')[0]}`);
const isMarked = (name: string) =>
  fairlead.until(name, 'marked', ({ metadata }) =>
    Boolean(metadata.annotations?.['notified.notifications.argoproj.io']),
  );

test('seed 002: a sync is announced in Slack, by mail and to the webhook, once each', async () => {
  const revision = await repository.commit({ 'my-app-prod/settings.yaml': configMap('1') });
  const more = {
    ...subscribe('on-sync-succeeded', 'email', 'ops@example.com'),
    ...subscribe('on-sync-succeeded', 'grafana'),
  };
  await apply(application('my-app-prod', { ...annotations, ...more }));
  await fairlead.until('my-app-prod', 'settled', isSettled);
  await eventually(() =>
    expect([slack, grafana, mail].map(({ received }) => received.length)).toEqual([1, 1, 1]),
  );
  expect(posted()).toEqual(['deployments-channel: Application my-app-prod sync succeeded.']);
  expect(slack.received[0]).toMatchObject({
    path: '/api/chat.postMessage',
    headers: { authorization: 'Bearer xoxb-your-slack-bot-token' },
  });
  expect(slack.bodies[0]?.attachments).toMatchObject([
    {
      color: '#18be52',
      title: 'my-app-prod synced successfully',
      fields: [{}, {}, { title: 'Revision', value: revision.slice(0, 7) }, {}],
    },
  ]);
  expect(mail.received[0]).toMatchObject({
    from: 'argocd@example.com',
    to: ['ops@example.com'],
    user: 'argocd@example.com',
  });
  expect(mail.received[0]?.text).toContain('Application my-app-prod sync succeeded.');
  expect(grafana.received[0]).toMatchObject({
    method: 'GET',
    path: '/api/annotations',
    headers: { authorization: 'Bearer your-grafana-api-key' },
  });
  const { stdout } = await fairlead.kubectl(
    '-n',
    'argocd',
    'get',
    'events',
    '-o',
    'jsonpath={.items[*].message}',
  );
  expect(stdout).toContain('template.app-sync-succeeded: it has no webhook.grafana');
  expect(stdout).not.toContain('no notification is sent');
  await isMarked('my-app-prod');
});

test('seed 001: a Knative Service that cannot start is an alert, once, also when the program dies while it is sent', async () => {
  const before = slack.received.length;
  const reply = slack.reply;
  const sending = new Promise<void>((resolve) => {
    slack.reply = () => {
      resolve();
      return new Promise(() => {}); // Slack has the message; its answer never comes
    };
  });
  const service = seed('001/knative-service.yaml').replace(
    'ghcr.io/acme/product-import:latest',
    'ghcr.io/acme/image-pull-error:1',
  );
  await repository.commit({ 'product-import/service.yaml': service });
  await apply(application('product-import', subscribe('on-health-degraded', 'slack', 'alerts-channel')));
  await sending;
  await fairlead.kill();
  slack.reply = reply;
  fairlead = await behindProxy(() => fairlead.restart());
  await isMarked('product-import');
  const alert = 'alerts-channel: Application product-import is DEGRADED.';
  // never a loss, at most one more
  expect(posted().slice(before)).toEqual([alert, alert]);
});

test('after a kill -9 nothing is announced again, and the next transition is', async () => {
  const before = posted();
  await fairlead.kill();
  fairlead = await behindProxy(() => fairlead.restart());
  await repository.commit({ 'last/settings.yaml': configMap('1') });
  await apply(application('last', subscribe('on-sync-succeeded', 'slack', 'deployments-channel')));
  await isMarked('last');
  expect(posted()).toEqual([...before, 'deployments-channel: Application last sync succeeded.']);
  expect([grafana.received.length, mail.received.length]).toEqual([1, 1]);
});

test('no secret is in the log, in an Event or in the log of deliveries', async () => {
  const shown = await Promise.all([
    fairlead.kubectl('-n', 'argocd', 'get', 'events', '-o', 'json'),
    fairlead.kubectl('-n', 'argocd', 'get', 'configmap', 'fairlead-notifications', '-o', 'json'),
  ]);
  const everything = [...shown.map(({ stdout }) => stdout), fairlead.log()].join('\n');
  expect(everything).toContain('deployments-channel');
  for (const value of [
    'xoxb-your-slack-bot-token',
    'smtp-password',
    'your-grafana-api-key',
    'your-signing-secret',
  ])
    expect(everything).not.toContain(value);
});

test('the page shows what failed and when it is tried again, a rehearsal, and the configuration, without a secret', async () => {
  const reply = slack.reply;
  slack.reply = () => ({ status: 500, body: 'down for maintenance' });
  await repository.commit({ 'unheard/settings.yaml': configMap('1') });
  await apply(application('unheard', subscribe('on-sync-succeeded', 'slack', 'ops-channel')));
  await fairlead.until('unheard', 'settled', isSettled);
  const browser = await launchBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(30_000);
  const shown: string[] = [];
  const open = async (path: string, words: RegExp) => {
    await page.goto(fairlead.url + path);
    await page.getByRole('main').getByText(words).first().waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    expect(await barriersOf(page, ['color-contrast', 'link-in-text-block'])).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 360, height: 740 });
    expect((await overlapsOn(page)).beyond).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await keepScreenshot(page, `notifications-${shown.length}`);
    shown.push(await page.content());
  };
  try {
    await page.goto(`${fairlead.url}/settings/notifications`);
    await page.getByLabel('Password').fill(fairlead.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page
      .getByRole('heading', { level: 1, name: /^Of the last \d+ notifications: .*1 failed/ })
      .waitFor();
    await open('/settings/notifications', /failed.*tried again/);
    await page.getByRole('link', { name: 'Not delivered' }).click();
    await page.waitForURL(/only=failed/);
    expect(await page.getByText(/Of the last \d+ notification/).count()).toBe(1);
    const failed = page.getByRole('row', { name: /^unheard on-sync-succeeded slack:ops-channel/ });
    await failed.getByText(/next try in/).waitFor();
    expect(await failed.textContent()).toContain('down for maintenance');
    await failed.getByRole('link', { name: 'unheard' }).click();
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await page.getByRole('article', { name: 'on-sync-succeeded to slack:ops-channel' }).waitFor();
    const settings = '/settings/notifications?tab=';
    await open(
      `${settings}preview&app=argocd/last&what=template:app-sync-succeeded`,
      /Rendered for 3 services/,
    );
    await page.getByLabel('What is rehearsed').selectOption('');
    await page.getByText(/was sent .* and is not sent again/).waitFor();
    await open(`${settings}services`, /service\.webhook\.grafana/);
    await open(`${settings}triggers`, /once for each/);
    await open(`${settings}templates`, /app-sync-succeeded/);
    await open(`${settings}subscriptions`, /An application’s own subscriptions/);
  } finally {
    await browser.close();
    slack.reply = reply;
  }
  for (const value of ['xoxb-your-slack-bot-token', 'smtp-password', 'your-grafana-api-key'])
    expect(shown.join('\n')).not.toContain(value);
});
