import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { type Ctx, FairleadError, realClock, silent } from '#base/std';
import { Clusters, Repositories, SettingsWatch } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { reportIgnored, reportNotificationProblems } from './report-ignored.ts';

// what a user has configured and nothing uses is reported once, by name, in the log and on the object

let cluster: EmbeddedCluster;
let kube: KubeClient;
let ctx: Ctx;
let stop: AbortController;
let lines: string[];
let running: Promise<unknown>[];

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  stop = new AbortController();
  lines = [];
  running = [];
  const warn = (text: string, fields: object = {}) => void lines.push(`${text} ${JSON.stringify(fields)}`);
  ctx = { signal: stop.signal, log: { ...silent, warn }, clock: realClock };
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await cluster.close();
});

const put = (kind: string, name: string, rest: object, metadata: object = {}) =>
  kube.create(ctx, {
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: 'default', labels: { 'app.kubernetes.io/part-of': 'argocd' }, ...metadata },
    ...rest,
  } as KubeObject);

function start(): void {
  const from = { kube, namespace: 'default' };
  const settings = new SettingsWatch(from);
  const repositories = new Repositories(from);
  const open = (): never => {
    throw new FairleadError('InvalidSpec', 'not reached from here');
  };
  const clusters = new Clusters({ ...from, open });
  running.push(...[settings, repositories, clusters].map((one) => one.run(ctx).catch(() => {})));
  running.push(reportIgnored({ ...from, settings, clusters, repositories })(ctx).catch(() => {}));
}

type Event = {
  type: string;
  reason: string;
  message: string;
  involvedObject: { kind: string; name: string };
};
const events = async (): Promise<string[]> => {
  const { items } = await kube.list(ctx, { apiVersion: 'v1', kind: 'Event', namespace: 'default' });
  return (items as unknown as Event[])
    .map(
      (one) =>
        `${one.type} ${one.reason} ${one.involvedObject.kind}/${one.involvedObject.name} ${one.message}`,
    )
    .sort();
};
const extensions =
  'Warning SettingIgnored ConfigMap/argocd-cm extension.config: not supported yet: there are no proxy extensions';

test('ignored settings are reported once, also when other settings change', async () => {
  await put('ConfigMap', 'argocd-cm', {
    data: { 'extension.config': '{}', url: 'https://a.example' },
  });
  start();
  await expect.poll(events).toEqual([extensions]);
  expect(lines).toEqual([
    'setting ignored {"configMap":"argocd-cm","key":"extension.config","message":"not supported yet: there are no proxy extensions"}',
  ]);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'argocd-cm' };
  const set = (data: object) => kube.patch(ctx, ref, { type: 'merge', body: { data } });
  await set({ url: 'https://b.example', 'commit.author.name': 'x' });
  await expect.poll(() => lines.length).toBe(2);
  expect(lines[1]).toContain('"key":"commit.author.name"');
  expect(await events()).toHaveLength(2);
});

test.each([
  {
    type: 'cluster',
    stringData: {
      server: 'https://far.example',
      name: 'far',
      shard: '2',
      namespace: 'a',
      config:
        '{"bearerToken":"hidden","tlsClientconfig":{"insecure":true},"execProviderConfig":{"argument":[]}}',
    },
    expected: {
      shard: 'no effect: one controller at a time reconciles all clusters',
      namespace: 'no effect: there is no such key; did you mean namespaces?',
      'config.tlsClientconfig': 'no effect: there is no such key; did you mean tlsClientConfig?',
      'config.execProviderConfig.argument': 'no effect: there is no such key; there are command, args',
    },
  },
  {
    type: 'repository',
    stringData: {
      url: 'https://git.example/shop',
      usernam: 'hidden',
      depth: '1',
      azureServicePrincipalClientID: 'x',
      webhookManifestCacheWarmDisabled: 'true',
    },
    expected: {
      usernam: 'no effect: there is no such key; did you mean username?',
      webhookManifestCacheWarmDisabled: 'no effect: a push refreshes',
    },
  },
  {
    type: 'repo-creds',
    stringData: { url: 'https://git.example', password: 'hidden', enableLfs: 'true' },
    expected: { enableLfs: 'no effect: there is no such key; there are ' },
  },
])(
  'keys without effect in a Secret of type $type are reported by name, and no value is shown',
  async ({ type, stringData, expected }) => {
    const labels = { 'argocd.argoproj.io/secret-type': type };
    start();
    await put('Secret', 'theirs', { stringData }, { labels });
    const messages = Object.entries(expected).sort(([a], [b]) => (a < b ? -1 : 1));
    const wanted = messages.map(([key, text]) =>
      expect.stringContaining(`Warning SettingIgnored Secret/theirs ${key}: ${text}`),
    );
    await expect.poll(events).toEqual(wanted);
    await expect
      .poll(() => lines.filter((line) => line.startsWith('setting ignored')))
      .toHaveLength(wanted.length);
    expect(lines.join('\n')).toContain('"secret":"theirs"');
    expect([...lines, ...(await events())].join(' ')).not.toContain('hidden');
  },
);

test('keys of argocd-notifications-cm that cannot be used are reported on it', async () => {
  await reportNotificationProblems(ctx, kube, {
    namespace: 'default',
    problems: [
      { severity: 'error', key: 'trigger.x', message: 'condition 1 has no when' },
      { severity: 'warning', key: 'colour', message: 'no effect: no such key is read' },
    ],
  });
  expect(await events()).toEqual([
    'Warning SettingNotUsable ConfigMap/argocd-notifications-cm trigger.x: condition 1 has no when',
    'Warning SettingToCheck ConfigMap/argocd-notifications-cm colour: no effect: no such key is read',
  ]);
});
