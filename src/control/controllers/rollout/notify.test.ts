import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { asKubeObject, encodeBase64Text, type KubeObject } from '#base/model';
import { type Ctx, parseJson, realClock, runAll, silent } from '#base/std';
import { SettingsWatch } from '#control/live';
import { createCluster, type EmbeddedCluster, runSimulation } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { WebDouble } from '../../../../test/notify/doubles.ts';
import { analysisController } from '../analysis/controller.ts';
import { createEventRecorder } from '../application/status/event-recorder.ts';
import { experimentController } from '../experiment/controller.ts';
import { NotificationConfigs } from '../notification/configs.ts';
import { RolloutNotifier } from '../notification/rollout-notifier.ts';
import { rolloutController } from './controller.ts';
import { RolloutInformers } from './informers.ts';

// compat rollouts RE-2 on the embedded cluster: subscribers of a Rollout hear of what happens to it

const apiVersion = 'argoproj.io/v1alpha1';
const [home, config, namespace] = ['argocd', 'argo-rollouts', 'shop'];
let cluster: EmbeddedCluster;
let kube: KubeClient;
let ctx: Ctx;
let slack: WebDouble;
let life: { stop(): Promise<void> };
/** What metrics count. */
let attempts: string[];

beforeEach(async () => {
  slack = await WebDouble.open();
  attempts = [];
  ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  for (const item of parseJson(readFileSync('deploy/rollouts/definitions.json', 'utf8')) as unknown[])
    await kube.apply(ctx, asKubeObject(item, 'definitions'), { fieldManager: 'test', force: true });
  for (const name of [home, config, namespace]) await put('v1', 'Namespace', { name });
  life = start();
});
afterEach(async () => {
  await life.stop();
  await slack.close();
  await cluster.close();
});

type Transport = Parameters<typeof createKubeClient>[0]['transport'];

function start(transport: Transport = (request) => cluster.handle(request)): { stop(): Promise<void> } {
  const stop = new AbortController();
  const kube = createKubeClient({ transport });
  const settings = new SettingsWatch({ kube, namespace: home });
  const informers = new RolloutInformers(kube);
  const events = createEventRecorder({ kube, component: 'rollouts-controller' });
  const notifier = new RolloutNotifier({
    ...{ kube, events, namespace: home, recordsName: 'fairlead-rollout-notifications' },
    observe: {
      notified: ({ kind, namespace: of, name, type, reason }, _ms, error) =>
        attempts.push(`${kind} ${of}/${name} ${type} ${reason} ${error ? 'failed' : 'sent'}`),
    },
    configs: new NotificationConfigs({ kube, namespace: config, settings, topic: 'rollouts' }),
    outside: () => ({
      egress: { loopback: true },
      proxy: {},
      trust: { certificates: {}, knownHosts: '' },
    }),
  });
  const request = async (): Promise<never> => {
    throw new Error('no endpoint is measured');
  };
  const deps = { kube, informers, events, request, announce: notifier.announce };
  const running = runAll({ ...ctx, signal: stop.signal }, [
    (inner) => runSimulation(inner, cluster.objects, { pace: 'instant' }),
    (inner) => settings.run(inner),
    (inner) => informers.run(inner),
    (inner) => notifier.run(inner),
    rolloutController(deps),
    analysisController(deps),
    experimentController(deps),
  ]).catch(() => {});
  const stopped = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { stop: stopped };
}

const put = (version: string, kind: string, metadata: KubeObject['metadata'], rest: object = {}) =>
  kube.apply(ctx, { apiVersion: version, kind, metadata, ...rest } as KubeObject, {
    fieldManager: 'test',
    force: true,
  });
const configured = (data: Record<string, string> = {}, where = config) =>
  put('v1', 'ConfigMap', { name: 'argo-rollouts-notification-configmap', namespace: where }, { data });
const withSlack = (data: Record<string, string> = {}) =>
  configured({ 'service.slack': `token: $slack-token\napiURL: ${slack.url}/api`, ...data });
const secret = () =>
  put(
    'v1',
    'Secret',
    { name: 'argo-rollouts-notification-secret', namespace: config },
    { data: { 'slack-token': encodeBase64Text('xoxb-1') } },
  );
const subscribed = (subscriptions: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(subscriptions).map(([to, whom]) => [`notifications.argoproj.io/subscribe.${to}`, whom]),
  );
const rollout = (subscriptions: Record<string, string>, image = 'web:1') =>
  put(
    apiVersion,
    'Rollout',
    {
      ...{ name: 'web', namespace },
      annotations: subscribed(subscriptions),
    },
    {
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image }] },
        },
        strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } },
      },
    },
  );
const ref = { apiVersion, kind: 'Rollout', namespace, name: 'web' };
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 15_000 });
const phase = (wanted: string) =>
  eventually(async () =>
    expect(((await kube.get(ctx, ref)) as { status?: { phase?: string } }).status?.phase).toBe(wanted),
  );
const texts = () => slack.bodies.map(({ channel, text }) => `${channel}: ${String(text).trim()}`);
const problems = async (): Promise<string[]> => {
  const { items } = await kube.list(ctx, { apiVersion: 'v1', kind: 'Event', namespace });
  return (items as unknown as { reason: string; message: string }[])
    .filter(({ reason }) => reason === 'NotificationFailed')
    .map(({ message }) => message)
    .toSorted();
};

test('the stock triggers announce an update, a pause, an abort and the end', async () => {
  await secret();
  await withSlack();
  const all = Object.fromEntries(
    ['updated', 'paused', 'aborted', 'completed'].map((what) => [`on-rollout-${what}.slack`, what]),
  );
  await rollout(all);
  await eventually(() => expect(texts().join('\n')).toContain('completed: Rollout shop/web is complete.'));
  expect(slack.received[0]).toMatchObject({ headers: { authorization: 'Bearer xoxb-1' } });
  const before = texts().length;
  await rollout(all, 'web:2');
  await phase('Paused');
  await eventually(() => expect(texts().slice(before)).toHaveLength(2));
  const [updated, paused] = [...texts().slice(before)].toSorted().reverse();
  expect(updated).toBe('updated: Rollout shop/web was updated.\nRollout updated to revision 2\nweb: web:2');
  expect(paused).toContain('paused: Rollout shop/web is paused.');
  await kube.patch(
    ctx,
    { ...ref, subresource: 'status' },
    { type: 'merge', body: { status: { abort: true } } },
  );
  await eventually(() => expect(texts().join('\n')).toContain('aborted: Rollout shop/web was aborted.'));
  expect(await problems()).toEqual([]);
});

test('a trigger and a template of your own, without a condition, read the Rollout as it is now', async () => {
  await secret();
  await withSlack({
    'trigger.on-rollout-paused': '- send: [mine]',
    'trigger.on-rollout-step-completed': "- when: rollout.metadata.name == 'other'\n  send: [mine]",
    'template.mine':
      "message: '{{.rollout.status.phase}} {{len .analysisRuns}} {{.serviceType}} {{.recipient}} {{index .secrets `slack-token` | len}}'",
  });
  const both = { 'on-rollout-paused.slack': 'ops', 'on-rollout-step-completed.slack': 'ops' };
  await rollout(both);
  await phase('Healthy');
  await rollout(both, 'web:2');
  await eventually(() => expect(texts()).toEqual(['ops: Paused 0 slack ops 6']));
});

test('a subscription that nothing can deliver is an Event of the Rollout, and delays nothing', async () => {
  await rollout({ 'on-rollout-completed.slack': 'ops', 'on-rollout-done.slack': 'ops' });
  await eventually(async () =>
    expect(await problems()).toEqual([
      'service.slack: there is no usable service slack; none is configured in argo-rollouts-notification-configmap',
      expect.stringMatching(
        /^trigger.on-rollout-done: there is no trigger on-rollout-done; there are on-rollout-updated/,
      ),
    ]),
  );
  await phase('Healthy');
});

test('a service that is down gets its message from the next process', async () => {
  await secret();
  await withSlack();
  slack.reply = () => ({ status: 503 });
  await rollout({ 'on-rollout-completed.slack': 'ops' });
  await eventually(async () =>
    expect((await problems()).join()).toContain('notification on-rollout-completed to slack:ops was not'),
  );
  await life.stop();
  const failed = slack.received.length;
  slack.reply = () => ({ body: JSON.stringify({ ok: true, channel: 'C1', ts: '1.1' }) });
  life = start();
  await eventually(() => expect(slack.received.length).toBe(failed + 1));
  const attempt = 'Rollout shop/web Normal RolloutCompleted';
  await eventually(() => expect(attempts.at(-1)).toBe(`${attempt} sent`));
  expect(attempts).toContain(`${attempt} failed`);
  const kept = { apiVersion: 'v1', kind: 'Secret', namespace: home, name: 'fairlead-rollout-notifications' };
  await eventually(async () =>
    expect(Object.keys((await kube.get(ctx, kept)) as { data?: object }).includes('data')).toBe(false),
  );
});

test('a namespace of its own configuration sees no secrets, and only where that is enabled', async () => {
  await secret();
  await withSlack();
  await configured(
    {
      'service.webhook.here': `url: ${slack.url}/hook`,
      'trigger.on-rollout-completed': '- send: [mine]',
      'template.mine': `webhook: {here: {method: POST, body: '{"text":"{{.rollout.metadata.name}} {{.secrets}}"}'}}`,
    },
    namespace,
  );
  await rollout({ 'on-rollout-completed.here': '' });
  await eventually(async () => expect((await problems()).join()).toContain('no usable service here'));
  await life.stop();
  await put(
    'v1',
    'ConfigMap',
    { name: 'argocd-cmd-params-cm', namespace: home, labels: { 'app.kubernetes.io/part-of': 'argocd' } },
    { data: { 'notificationscontroller.selfservice.enabled': 'true' } },
  );
  await kube.delete(ctx, ref);
  life = start();
  await rollout({ 'on-rollout-completed.here': '' });
  await eventually(() =>
    expect(slack.received.map(({ path, body }) => `${path} ${body}`)).toEqual([
      '/hook {"text":"web <no value>"}',
    ]),
  );
});

/** What a dead process still requests has no answer. */
const dead: Transport = ({ signal }) =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));

/** The channels of the messages about the second version. */
const channels = () =>
  texts()
    .filter((text) => text.includes('web:2'))
    .map((text) => text.split(':')[0])
    .toSorted();

/** The process dies in its write of this state, before or after the cluster has made it. */
function dyingAt(isMade: boolean, concerns: (text: string) => boolean) {
  const death = { isDone: false };
  const transport: Transport = async (request) => {
    if (death.isDone) return dead(request);
    const { body } = request;
    const text = body === undefined ? '' : typeof body === 'string' ? body : Buffer.from(body).toString();
    if (request.method === 'GET' || !concerns(text)) return cluster.handle(request);
    death.isDone = true;
    if (isMade) await cluster.handle(request);
    return dead(request);
  };
  return { death, transport };
}

test.each([
  ['after', true],
  ['before', false],
])('a process that dies right %s the pass that pauses announces the pause once', async (_when, isMade) => {
  await secret();
  await withSlack();
  const both = { 'on-rollout-updated.slack': 'updated', 'on-rollout-paused.slack': 'paused' };
  await rollout(both);
  await phase('Healthy');
  await life.stop();
  const { death, transport } = dyingAt(isMade, (text) => text.includes('CanaryPauseStep'));
  life = start(transport);
  await rollout(both, 'web:2');
  await eventually(() => expect(death.isDone).toBe(true));
  await life.stop();
  life = start();
  await phase('Paused');
  await eventually(() => expect(channels()).toContain('paused'));
  // a later message: what was to come before it has come
  const more = { ...both, 'on-rollout-aborted.slack': 'aborted' };
  await rollout(more, 'web:2');
  await kube.patch(
    ctx,
    { ...ref, subresource: 'status' },
    { type: 'merge', body: { status: { abort: true } } },
  );
  await eventually(() => expect(texts().join('\n')).toContain('aborted: Rollout shop/web was aborted'));
  // what was sent and not struck off the records before the death comes again
  expect([...new Set(channels())]).toEqual(['aborted', 'paused', 'updated']);
  expect(channels().filter((channel) => channel === 'paused')).toHaveLength(1);
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])('a process that dies after %i writes loses no message', async (most) => {
  await secret();
  await withSlack();
  const both = { 'on-rollout-updated.slack': 'updated', 'on-rollout-paused.slack': 'paused' };
  await rollout(both);
  await phase('Healthy');
  await life.stop();
  let writes = 0;
  life = start(async (request) => {
    if (writes >= most) return dead(request);
    if (request.method !== 'GET') writes += 1;
    const answer = await cluster.handle(request);
    return writes >= most ? dead(request) : answer;
  });
  await rollout(both, 'web:2');
  await eventually(() => expect(writes).toBe(most));
  await life.stop();
  life = start();
  await phase('Paused');
  await eventually(() => expect([...new Set(channels())]).toEqual(['paused', 'updated']));
});

/** A run that ends at once: no controller of ours measures so. */
const run = (name: string, metadata: Partial<KubeObject['metadata']> = {}) =>
  put(
    apiVersion,
    'AnalysisRun',
    { name, namespace, ...metadata },
    { spec: { metrics: [{ name: 'rate', provider: { plugin: { 'example.com/rate': {} } } }] } },
  );

test('an AnalysisRun and an Experiment that subscribe are notified, under the triggers of their events', async () => {
  await secret();
  await withSlack({
    'trigger.on-experiment-running': '- send: [mine]',
    'template.mine': "message: '{{.rollout.kind}} {{.rollout.metadata.name}}: {{.rollout.status.phase}}'",
  });
  await run('check', { annotations: subscribed({ 'on-analysis-run-error.slack': 'ops' }) });
  await eventually(() =>
    expect(texts().join()).toMatch(/^ops: AnalysisRun shop\/check could not be analysed/),
  );
  slack.received.length = 0;
  await put(
    apiVersion,
    'Experiment',
    { name: 'compare', namespace, annotations: subscribed({ 'on-experiment-running.slack': 'ops' }) },
    {
      spec: {
        templates: [
          {
            name: 'a',
            selector: { matchLabels: { app: 'a' } },
            template: {
              metadata: { labels: { app: 'a' } },
              spec: { containers: [{ name: 'a', image: 'a:1' }] },
            },
          },
        ],
      },
    },
  );
  await eventually(() => expect(texts()).toEqual(['ops: Experiment compare: Running']));
});

test('subscriptions of the configuration are for runs on their own; those of a Rollout are its events', async () => {
  await secret();
  await withSlack({
    subscriptions: JSON.stringify([{ recipients: ['slack:ops'], triggers: ['on-analysis-run-error'] }]),
  });
  const owner = { apiVersion, kind: 'Rollout', name: 'web', uid: 'u', controller: true };
  await run('part', { ownerReferences: [owner] });
  await run('alone');
  await eventually(() => expect(texts().join()).toContain('AnalysisRun shop/alone could not'));
  await run('later');
  await eventually(() => expect(texts().join()).toContain('AnalysisRun shop/later could not'));
  expect(texts().join()).not.toContain('shop/part');
});

test('a process that dies right after the verdict of a run loses no message', async () => {
  await secret();
  await withSlack();
  await life.stop();
  const { death, transport } = dyingAt(true, (text) => text.includes('"phase":"Error"'));
  life = start(transport);
  await run('check', { annotations: subscribed({ 'on-analysis-run-error.slack': 'ops' }) });
  await eventually(() => expect(death.isDone).toBe(true));
  await life.stop();
  expect(texts()).toEqual([]);
  life = start();
  await eventually(() => expect(texts()).toHaveLength(1));
});
