import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type Application,
  type AppProject,
  asKubeObject,
  encodeBase64Text,
  type KubeObject,
} from '#base/model';
import { type Ctx, realClock, runAll, silent } from '#base/std';
import { Informer, SettingsWatch } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';
import { MailDouble, WebDouble } from '../../../../test/notify/doubles.ts';
import { createEventRecorder } from '../application/status/event-recorder.ts';
import { NotificationConfigs } from './configs.ts';
import { notificationController } from './controller.ts';

// compat server §6.5 on the embedded cluster: subscribers hear of a transition once, whatever happens in between

const apiVersion = 'argoproj.io/v1alpha1';
const namespace = 'argocd';
let cluster: EmbeddedCluster;
let kube: KubeClient;
let ctx: Ctx;
let slack: WebDouble;
let mail: MailDouble;
let lines: string[];
let life: { stop(): Promise<void> };

beforeEach(async () => {
  slack = await WebDouble.open();
  mail = await new MailDouble().open();
  lines = [];
  const warn = (text: string, fields: object = {}) => void lines.push(`${text} ${JSON.stringify(fields)}`);
  ctx = {
    signal: new AbortController().signal,
    log: { ...silent, warn, with: () => ctx.log },
    clock: realClock,
  };
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  for (const file of ['application', 'app-project']) {
    const definition = asKubeObject(parse(readFileSync(`deploy/crds/${file}.yaml`, 'utf8')), file);
    await kube.apply(ctx, definition, { fieldManager: 'test', force: true });
  }
  await put('Namespace', namespace, {}, {});
  life = { stop: async () => {} };
});
afterEach(async () => {
  await life.stop();
  await slack.close();
  await mail.close();
  await cluster.close();
});

function start(isLoopbackPermitted = true): { stop(): Promise<void> } {
  const stop = new AbortController();
  const inner = { ...ctx, signal: stop.signal };
  const settings = new SettingsWatch({ kube, namespace });
  const apps = new Informer<Application>(kube, { apiVersion, kind: 'Application' });
  const projects = new Informer<AppProject>(kube, { apiVersion, kind: 'AppProject', namespace });
  const configs = new NotificationConfigs({ kube, namespace, settings });
  const controller = notificationController({
    ...{ kube, apps, projects, configs, settings, namespace },
    outside: () => ({
      egress: { loopback: isLoopbackPermitted },
      proxy: {},
      trust: { certificates: {}, knownHosts: '' },
    }),
    events: createEventRecorder({ kube, component: 'argocd-notifications-controller' }),
    describe: async () => ({ author: 'Ann', message: 'a change', date: new Date(0), tags: [] }),
  });
  const tasks = [settings, apps, projects, configs].map((one) => (one_: Ctx) => one.run(one_));
  const running = runAll(inner, [...tasks, controller]).catch(() => {});
  const stopped = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { stop: stopped };
}

const put = (kind: string, name: string, rest: object, metadata: object = { namespace }) =>
  kube.apply(
    ctx,
    {
      apiVersion: kind === 'Application' ? apiVersion : 'v1',
      kind,
      metadata: { name, ...metadata },
      ...rest,
    } as KubeObject,
    {
      fieldManager: 'test',
      force: true,
    },
  );

const quick = { 'fairlead.delivery': '{groupWait: 0s}' };
const configured = (data: Record<string, string> = {}) =>
  put('ConfigMap', 'argocd-notifications-cm', {
    data: {
      ...quick,
      'service.slack': `token: $slack-token\napiURL: ${slack.url}/api`,
      'service.email': `host: 127.0.0.1\nport: ${mail.port}\nfrom: cd@example.com`,
      ...data,
    },
  });
const secret = (values: Record<string, string>) =>
  put('Secret', 'argocd-notifications-secret', {
    data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, encodeBase64Text(value)])),
  });

const subscribe = (trigger: string, service: string, to: string) => ({
  [`notifications.argoproj.io/subscribe.${trigger}.${service}`]: to,
});
const application = (name: string, annotations: object, where = namespace) =>
  put(
    'Application',
    name,
    {
      spec: {
        project: 'default',
        source: { repoURL: 'https://h/r', path: '.' },
        destination: { server: 'https://k' },
      },
    },
    { namespace: where, annotations },
  );
const ref = (name: string, where = namespace) => ({
  apiVersion,
  kind: 'Application',
  namespace: where,
  name,
});
const health = (name: string, status: string, where = namespace) =>
  kube.patch(ctx, ref(name, where), {
    type: 'merge',
    body: { status: { health: { status }, sync: { status: 'Synced' } } },
  });
const marks = async (name: string) =>
  (await kube.find(ctx, ref(name)))?.metadata.annotations?.['notified.notifications.argoproj.io'];
type Event = { reason: string; message: string; involvedObject: { kind: string; name: string } };
const events = async (): Promise<string[]> => {
  const { items } = await kube.list(ctx, { apiVersion: 'v1', kind: 'Event', namespace });
  return (items as unknown as Event[]).map(
    (one) => `${one.reason} ${one.involvedObject.name} ${one.message}`,
  );
};
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 15_000 });
const texts = () => slack.bodies.map(({ channel, text }) => `${channel}: ${String(text).split('\n')[0]}`);

test('a transition is announced once by chat and by mail, also after a restart', async () => {
  await secret({ 'slack-token': 'xoxb-1' });
  await configured();
  await application('shop', {
    ...subscribe('on-health-degraded', 'slack', 'alerts'),
    ...subscribe('on-health-degraded', 'email', 'ops@example.com'),
  });
  life = start();
  await health('shop', 'Degraded');
  await eventually(() => expect([slack.received.length, mail.received.length]).toEqual([1, 1]));
  expect(slack.received[0]).toMatchObject({
    path: '/api/chat.postMessage',
    headers: { authorization: 'Bearer xoxb-1' },
  });
  expect(texts()).toEqual(['alerts: Application shop is degraded.']);
  expect(mail.received[0]).toMatchObject({ from: 'cd@example.com', to: ['ops@example.com'] });
  expect(mail.received[0]?.text).toContain('Subject: shop is degraded');
  await eventually(async () =>
    expect(Object.keys(JSON.parse((await marks('shop')) ?? '{}'))).toHaveLength(2),
  );
  await life.stop();
  life = start();
  // something else is delivered, so the first application was evaluated again
  await application('other', subscribe('on-created', 'slack', 'news'));
  await eventually(() => expect(texts()).toHaveLength(2));
  expect(texts()[1]).toBe('news: Application other was created.');
  expect(mail.received).toHaveLength(1);
});

test('a process that dies between sending and marking sends at most once more, and loses nothing', async () => {
  await configured();
  await application('shop', subscribe('on-health-degraded', 'slack', 'alerts'));
  await health('shop', 'Degraded');
  const dying = new Promise<void>((resolve) => {
    slack.reply = () => {
      resolve();
      return new Promise(() => {});
    };
  });
  life = start();
  await dying; // the service has the message, and no mark is written
  await life.stop();
  expect(await marks('shop')).toBeUndefined();
  slack.reply = () => ({ body: '{"ok":true}' });
  life = start();
  await eventually(async () => expect(await marks('shop')).toBeDefined());
  expect(slack.received).toHaveLength(2);
});

test('a wrong key is a warning on the application and in the log, and delivery resumes when it is corrected', async () => {
  await secret({ 'slack-token': 'xoxb-wrong' });
  await configured();
  await application('shop', subscribe('on-created', 'slack', 'news'));
  slack.reply = ({ headers }) => ({
    body:
      headers.authorization === 'Bearer xoxb-right'
        ? '{"ok":true}'
        : `{"ok":false,"error":"invalid_auth","token":"xoxb-wrong"}`,
  });
  life = start();
  await eventually(async () =>
    expect(await events()).toContain(
      'NotificationFailed shop notification on-created to slack:news was not delivered: Slack refused: invalid_auth; check its token',
    ),
  );
  expect(lines.join()).toContain('notification not delivered');
  await secret({ 'slack-token': 'xoxb-right' });
  await eventually(async () => expect(await marks('shop')).toBeDefined());
  const everything = JSON.stringify([
    await events(),
    lines,
    await kube.list(ctx, { apiVersion: 'v1', kind: 'ConfigMap', namespace }),
  ]);
  expect(everything).not.toContain('xoxb-');
});

test('an unknown service or trigger is a warning on the application; the other subscriptions work', async () => {
  await configured();
  await application('shop', {
    ...subscribe('on-created', 'slack', 'news'),
    ...subscribe('on-created', 'slak', 'news'),
    ...subscribe('on-fire', 'slack', 'news'),
  });
  life = start();
  await eventually(() => expect(texts()).toEqual(['news: Application shop was created.']));
  await eventually(async () => expect(await events()).toHaveLength(2));
  expect((await events()).sort()).toEqual([
    'NotificationFailed shop service.slak: there is no usable service slak; there are slack, email',
    expect.stringContaining(
      'NotificationFailed shop trigger.on-fire: there is no trigger on-fire; there are on-created',
    ),
  ]);
});

test('what is wrong with a subscription is a condition of the application until it is mended', async () => {
  const conditions = async () => {
    const { status } = (await kube.get(ctx, ref('shop'))) as Application;
    return (status?.conditions ?? []).map(({ type, message }) => `${type} ${message.split(';')[0]}`);
  };
  const wrong = { 'template.app-health-degraded': 'message: "{{.app.metadata.name.first.second}}"' };
  await configured({ ...wrong, 'trigger.on-x': '- when: app.metadata.name + 1 > 2\n  send: [app-created]' });
  await application('shop', {
    ...subscribe('on-created', 'slak', 'news'),
    ...subscribe('on-fire', 'slack', 'news'),
    ...subscribe('on-health-degraded', 'slack', 'news'),
    ...subscribe('on-x', 'slack', 'news'),
  });
  const other = {
    type: 'SyncError',
    message: 'of another controller',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const body = { status: { conditions: [other] } };
  await kube.patch(ctx, ref('shop'), { type: 'merge', body });
  life = start();
  await health('shop', 'Degraded');
  await eventually(async () =>
    expect(await conditions()).toEqual([
      'NotificationWarning service.slak: there is no usable service slak',
      expect.stringMatching(/^NotificationWarning template\.app-health-degraded: .*first/),
      'NotificationWarning trigger.on-fire: there is no trigger on-fire',
      expect.stringMatching(/^NotificationWarning trigger\.on-x: /),
      'SyncError of another controller',
    ]),
  );
  await configured({ 'trigger.on-x': "- when: 'false'\n  send: [app-created]" });
  await application('shop', subscribe('on-health-degraded', 'slack', 'news'));
  await eventually(() => expect(texts()).toEqual(['news: Application shop is degraded.']));
  await eventually(async () => expect(await conditions()).toEqual(['SyncError of another controller']));
});

test('an outage with many applications is one message with a list', async () => {
  await configured({ 'fairlead.delivery': '{groupWait: 500ms}' });
  const names = Array.from({ length: 60 }, (_, at) => `app-${String(at).padStart(2, '0')}`);
  for (const name of names) await application(name, subscribe('on-health-degraded', 'slack', 'alerts'));
  for (const name of names) await health(name, 'Degraded');
  life = start();
  await eventually(() => expect(slack.received).toHaveLength(1));
  const text = String(slack.bodies[0]?.text);
  expect(text).toContain('60 applications: on-health-degraded\n• app-00: Application app-00 is degraded.');
  expect(text).toContain('… and 10 more');
  await eventually(async () => expect((await Promise.all(names.map(marks))).every(Boolean)).toBe(true));
  expect(slack.received).toHaveLength(1);
});

test('the log of deliveries is in the cluster, bounded, and survives a restart', async () => {
  await configured();
  await application('shop', subscribe('on-created', 'slack', 'news'));
  life = start();
  const log = async () => {
    const found = await kube.find(ctx, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace,
      name: 'fairlead-notifications',
    });
    return JSON.parse((found as { data?: { deliveries?: string } })?.data?.deliveries ?? '[]') as object[];
  };
  const first = {
    application: 'shop',
    trigger: 'on-created',
    service: 'slack',
    recipient: 'news',
    outcome: 'delivered',
    attempts: 1,
  };
  await eventually(async () => expect(await log()).toMatchObject([first]));
  await life.stop();
  life = start();
  await application('other', subscribe('on-created', 'slack', 'news'));
  await eventually(async () => expect(await log()).toMatchObject([{ application: 'other' }, first]));
});

test('a namespace with a configuration of its own is served where that is enabled, and cannot reach this machine', async () => {
  await put('Namespace', 'team', {}, {});
  await put('ConfigMap', 'argocd-cmd-params-cm', {
    data: { 'notificationscontroller.selfservice.enabled': 'true' },
  });
  await put(
    'ConfigMap',
    'argocd-notifications-cm',
    {
      data: {
        ...quick,
        'service.webhook.mine': `url: ${slack.url}`,
        'template.app-created': 'message: x\nwebhook: {mine: {body: "{{.secrets.x}}"}}',
      },
    },
    { namespace: 'team' },
  );
  await application('shop', subscribe('on-created', 'mine', ''), 'team');
  life = start();
  await eventually(() => expect(slack.received).toMatchObject([{ method: 'GET', body: '<no value>' }]));
  await life.stop();
  await application('next', subscribe('on-created', 'mine', ''), 'team');
  life = start(false);
  await eventually(() =>
    expect(lines.join('\n')).toContain(
      'host 127.0.0.1 is at a loopback address, which may not be fetched from',
    ),
  );
  expect(slack.received).toHaveLength(1);
});
