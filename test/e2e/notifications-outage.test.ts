import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Application, decodeBase64Text } from '#base/model';
import { eventually } from '../eventually.ts';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';
import { WebDouble } from '../notify/doubles.ts';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';

// A notification service that is down or hangs, and the started program: no transition is lost with a kill -9, no sync waits, and
// /metrics counts what happens.

let fairlead: Fairlead;
let repository: GitRepositoryFixture;
let slack: WebDouble;
/** The texts that Slack has accepted. */
const texts: string[] = [];

const answer = {
  up: () => {
    slack.reply = ({ body }) => {
      texts.push(String(JSON.parse(body).text));
      return { body: '{"ok":true}' };
    };
  },
  down: () => {
    slack.reply = () => ({ status: 500, body: 'down for maintenance' });
  },
};

beforeAll(async () => {
  slack = await WebDouble.open();
  answer.up();
  fairlead = await startFairlead('--no-demo', '--allow-hosts', '127.0.0.1');
  repository = await gitRepository(join(fairlead.folder, 'repository'));
  await apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-notifications-cm', namespace: 'argocd' },
    data: {
      'fairlead.delivery': '{groupWait: 0s, groupFrom: 0}',
      'service.slack': `token: t\napiURL: ${slack.url}/api`,
      'template.succeeded': 'message: "{{.app.metadata.name}} succeeded"',
      'template.failed': 'message: "{{.app.metadata.name}} failed"',
      'trigger.on-succeeded': "- when: app.status.operationState.phase == 'Succeeded'\n  send: [succeeded]",
      'trigger.on-failed': "- when: app.status.operationState.phase in ['Failed', 'Error']\n  send: [failed]",
    },
  });
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
  await slack?.close();
});

async function apply(manifest: object): Promise<void> {
  const { code, stderr } = await fairlead.apply(manifest);
  expect(code, stderr).toBe(0);
}

const subscriptions = Object.fromEntries(
  ['on-succeeded', 'on-failed'].map((one) => [`notifications.argoproj.io/subscribe.${one}.slack`, 'ops']),
);
const application = (name: string, annotations: object = subscriptions) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd', annotations },
  spec: {
    project: 'default',
    source: { repoURL: `file://${repository.dir}`, path: name, targetRevision: 'HEAD' },
    destination: { server: 'https://kubernetes.default.svc', namespace: name },
    syncPolicy: { automated: {}, syncOptions: ['CreateNamespace=true'], retry: { limit: 0 } },
  },
});
const configMap = (data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata: ${data}\n`;
const read = async (...what: string[]) =>
  JSON.parse((await fairlead.kubectl('-n', 'argocd', 'get', ...what, '-o', 'json')).stdout);

/** The texts of the messages that the cluster holds as undelivered. */
async function recorded(): Promise<string[]> {
  const { data = {} } = await read('secret', 'fairlead-notifications');
  const entries = Object.values(data as Record<string, string>).map((value) =>
    JSON.parse(decodeBase64Text(value)),
  );
  return entries
    .sort((left, right) => left.since - right.since)
    .map(({ notification }) => notification.message);
}

test('transitions during an outage come once each after a kill -9', async () => {
  answer.down();
  await repository.commit({ 'shop/settings.yaml': configMap('{a: "1"}') });
  await apply(application('shop'));
  const transitions = ['shop succeeded', 'shop failed', 'shop succeeded'];
  await eventually(async () => expect(await recorded()).toEqual(transitions.slice(0, 1)));
  await repository.commit({ 'shop/settings.yaml': configMap('[not, a, map]') });
  await eventually(async () => expect(await recorded()).toEqual(transitions.slice(0, 2)));
  await repository.commit({ 'shop/settings.yaml': configMap('{a: "2"}') });
  await eventually(async () => expect(await recorded()).toEqual(transitions));
  expect(slack.received.length).toBeGreaterThan(0);
  await fairlead.kill();
  // the request of its own comes after those of the process that was killed
  await fetch(slack.url, { method: 'POST', body: '{}' });
  answer.up();
  fairlead = await fairlead.restart();
  await eventually(() => expect(texts).toHaveLength(3));
  await repository.commit({ 'later/settings.yaml': configMap('{a: "1"}') });
  await apply(application('later'));
  await eventually(() => expect(texts).toContain('later succeeded'));
  expect(texts).toEqual([...transitions, 'later succeeded']);
  await eventually(async () => expect(await recorded()).toEqual([]));
});

test('a service that hangs delays no sync: the subscribed application goes through the same steps as another', async () => {
  const hanging: (() => void)[] = [];
  slack.reply = () => new Promise((resolve) => hanging.push(() => resolve({ body: '{"ok":true}' })));
  const names = ['subscribed', 'plain'];
  const commit = (value: string) =>
    repository.commit(
      Object.fromEntries(names.map((name) => [`${name}/settings.yaml`, configMap(`{a: "${value}"}`)])),
    );
  await commit('1');
  await apply(application('subscribed'));
  await eventually(() => expect(hanging).not.toEqual([])); // from here on a request is never answered
  await apply(application('plain', {}));
  await fairlead.until('plain', 'settled', isSettled);
  const revision = await commit('2');
  for (const name of names)
    await fairlead.until(
      name,
      'synced again',
      (app) => app.status?.sync?.revision === revision && isSettled(app),
    );
  // the same Events and history, while no request was answered
  const { items } = (await read('events')) as {
    items: {
      reason: string;
      involvedObject: { name: string };
      source: { component: string };
      firstTimestamp: string;
    }[];
  };
  const stepsOf = (name: string) =>
    items
      .filter(
        ({ involvedObject, source }) =>
          involvedObject.name === name && source.component === 'argocd-application-controller',
      )
      .map(({ reason }) => reason)
      .sort();
  expect(stepsOf('plain')).not.toEqual([]);
  expect(stepsOf('subscribed')).toEqual(stepsOf('plain'));
  const historyOf = async (name: string) =>
    (await read('application', name)).status.history.map((one: { revision: string }) => one.revision);
  expect(await historyOf('subscribed')).toEqual(await historyOf('plain'));
  expect(texts).not.toContain('subscribed succeeded');
  answer.up();
  for (const release of hanging) release();
});

test('/metrics counts deliveries and evaluations by trigger, service and outcome', async () => {
  const value = async (series: string): Promise<number> => {
    const page = await (await fetch(`${fairlead.url}/metrics`)).text();
    const line = page.split('\n').find((one) => one.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1) ?? 0);
  };
  const succeeded =
    'argocd_notifications_deliveries_total{trigger="on-succeeded",service="slack",succeeded="true"}';
  const failed =
    'argocd_notifications_deliveries_total{trigger="on-succeeded",service="slack",succeeded="false"}';
  const triggered = 'argocd_notifications_trigger_eval_total{name="on-succeeded",triggered="true"}';
  const untriggered = 'argocd_notifications_trigger_eval_total{name="on-failed",triggered="false"}';
  const all = [succeeded, failed, triggered, untriggered];
  const before = await Promise.all(all.map(value));
  expect(before[0]).toBeGreaterThan(0);
  answer.down();
  await repository.commit({ 'counted/settings.yaml': configMap('{a: "1"}') });
  await apply(application('counted'));
  await eventually(async () => expect(await value(failed)).toBeGreaterThan(before[1] ?? 0));
  answer.up();
  await eventually(async () => expect(await value(succeeded)).toBe((before[0] ?? 0) + 1));
  const after = await Promise.all(all.map(value));
  for (const [at, series] of all.entries()) expect(after[at], series).toBeGreaterThan(before[at] ?? 0);
});

test('a subscription to an unknown service is in `fairlead app get` until it is mended', async () => {
  await repository.commit({ 'wrong/settings.yaml': configMap('{a: "1"}') });
  await apply(application('wrong', { 'notifications.argoproj.io/subscribe.on-succeeded.slak': 'ops' }));
  const isWarned = ({ status }: Application) =>
    Boolean(status?.conditions?.some(({ type }) => type === 'NotificationWarning'));
  await fairlead.until('wrong', 'warned', isWarned);
  const { stdout } = await fairlead.cli('app', 'get', 'wrong', '--core');
  expect(stdout).toMatch(/NotificationWarning +service\.slak: there is no usable service slak/);
  await apply(application('wrong'));
  await eventually(() => expect(texts).toContain('wrong succeeded'));
  await fairlead.until('wrong', 'mended', (app) => !isWarned(app));
});
