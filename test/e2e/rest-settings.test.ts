import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalog } from '#control/notify';
import { forget } from './fairlead.ts';
import { play } from './rest-cases.ts';
import { startTenants, type Tenants } from './tenants.ts';

// Settings, version, names of notifications and badges through HTTP (server §2.8, §2.9).

let tenants: Tenants;
beforeAll(async () => {
  tenants = await startTenants();
  await tenants.configure('argocd-cm', {
    url: 'https://argo.example.com',
    'help.chatUrl': 'https://chat.example.com',
    'help.download.linux-amd64': 'https://dl.example.com/linux',
    'ui.bannercontent': 'maintenance at noon',
    'ui.bannerurl': 'https://status.example.com',
    'ga.trackingid': 'UA-1',
    'oidc.config': 'name: x\nissuer: https://x\nclientSecret: oidc-canary\n',
    'resource.customizations.health.example.com_Thing': 'hs = {}',
    'kustomize.path.v9': '/opt/kustomize-canary',
  });
});
afterAll(async () => {
  await tenants.fairlead.stop();
  forget(tenants.fairlead);
});

const settings = (as: 'anonymous' | 'reader' | 'admin') =>
  play(tenants, { about: '', as, ask: 'GET /api/v1/settings', status: 200 });

test('an anonymous caller gets what a page needs before the login', async () => {
  await expect.poll(async () => (await settings('anonymous')).url).toBe('https://argo.example.com');
  expect(await settings('anonymous')).toMatchObject({
    appLabelKey: 'app.kubernetes.io/instance',
    trackingMethod: 'annotation',
    passwordPattern: '^.{8,32}$',
    help: {
      chatUrl: 'https://chat.example.com',
      chatText: 'Chat now!',
      binaryUrls: { 'linux-amd64': 'https://dl.example.com/linux' },
    },
    googleAnalytics: { trackingID: 'UA-1', anonymizeUsers: true },
    userLoginsDisabled: false,
  });
});

test('banner, namespace and customizations are for callers that are signed in', async () => {
  const secret = [
    'uiBannerContent',
    'uiBannerURL',
    'controllerNamespace',
    'resourceOverrides',
    'kustomizeVersions',
    'settingKeys',
  ];
  const shown = await settings('anonymous');
  expect(secret.filter((field) => field in shown)).toEqual([]);
  expect(await settings('reader')).toMatchObject({
    uiBannerContent: 'maintenance at noon',
    uiBannerURL: 'https://status.example.com',
    controllerNamespace: 'argocd',
    kustomizeVersions: ['v9'],
    resourceOverrides: { 'example.com/Thing': { 'health.lua': 'hs = {}' } },
  });
  const { settingKeys } = await settings('reader');
  expect(settingKeys).toContainEqual({ configMap: 'argocd-cm', key: 'oidc.config' });
  expect(settingKeys).toContainEqual({
    configMap: 'argocd-cm',
    key: 'ga.trackingid',
    ignored: expect.stringContaining('loads nothing from other hosts'),
  });
  expect(JSON.stringify(await settings('reader'))).not.toContain('canary');
});

test('the values of the keys that are set are for administrators, with their secrets hidden', async () => {
  await tenants.configure('argocd-cm', { 'timeout.reconciliation': 'soon' });
  const keyOf = async (key: string) =>
    ((await settings('admin')).settingKeys as { key: string }[]).find((one) => one.key === key);
  await expect
    .poll(() => keyOf('timeout.reconciliation'))
    .toMatchObject({
      value: 'soon',
      problem: expect.stringContaining('soon'),
    });
  expect(await keyOf('oidc.config')).toMatchObject({
    configMap: 'argocd-cm',
    key: 'oidc.config',
    value: 'name: x\nissuer: https://x\nclientSecret: ++++++++',
  });
  expect(JSON.stringify(await settings('admin'))).not.toContain('oidc-canary');
});

test('an anonymous caller sees the version only', async () => {
  const version = (as: 'anonymous' | 'reader') =>
    play(tenants, { about: '', as, ask: 'GET /api/version', status: 200 });
  expect(await version('anonymous')).toEqual({ Version: expect.stringMatching(/^v\d/) });
  expect(await version('reader')).toMatchObject({ Platform: expect.stringContaining('/'), Compiler: 'v8' });
});

const asDev = (ask: string, status = 200) => play(tenants, { about: '', as: 'dev', ask, status });

test('the names of notifications, without anything else of them', async () => {
  await tenants.fairlead.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-notifications-cm', namespace: 'argocd' },
    data: {
      'service.slack': 'token: notification-canary',
      'service.webhook.grafana': 'url: x',
      'template.app-synced':
        'message: "{{.app.metadata.name}} {{.secrets.token}}"\nslack: {attachments: "[]"}',
      'trigger.on-sync': 'when: true',
    },
  });
  const secret = { name: 'argocd-notifications-secret', namespace: 'argocd' };
  const stringData = { token: 'notification-canary' };
  await tenants.fairlead.apply({ apiVersion: 'v1', kind: 'Secret', metadata: secret, stringData });
  const names = async (kind: string) => (await asDev(`GET /api/v1/notifications/${kind}`)).items;
  await expect.poll(() => names('services')).toEqual([{ name: 'grafana' }, { name: 'slack' }]);
  const beside = (kind: string, own: string) =>
    [...Object.keys(catalog).filter((key) => key.startsWith(kind)), `${kind}.${own}`]
      .map((key) => ({ name: key.slice(kind.length + 1) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  expect([await names('templates'), await names('triggers')]).toEqual([
    beside('template', 'app-synced'),
    beside('trigger', 'on-sync'),
  ]);
  await expect
    .poll(async () => (await asDev('GET /api/v1/notifications/triggers')).problems)
    .toEqual([
      { severity: 'error', key: 'trigger.on-sync', message: expect.stringContaining('a list of conditions') },
    ]);
});

test('a rehearsal of a notification shows its text, and references instead of secrets', async () => {
  const path = 'GET /api/v1/applications/web/notifications';
  const rehearse = () => asDev(`${path}?template=app-synced&service=slack&recipient=ops`);
  await expect.poll(rehearse).toEqual({
    items: [
      {
        trigger: '',
        service: 'slack',
        recipient: 'ops',
        isTriggered: false,
        message: 'web $token',
        part: { attachments: '[]' },
      },
    ],
    problems: [],
  });
  expect(await asDev(`${path}?template=gone&service=slack`)).toMatchObject({
    items: [{ error: 'there is no template gone' }],
  });
});

test('deliveries are shown to those who may get the application', async () => {
  const record = (application: string, project: string) => ({
    at: '2026-06-01T08:00:00.000Z',
    ...{ namespace: 'argocd', application, project, trigger: 't', service: 'slack', recipient: 'ops' },
    ...{ outcome: 'delivered', attempts: 1 },
  });
  const all = [record('web', 'shop'), record('vault', 'bank')];
  const metadata = { name: 'fairlead-notifications', namespace: 'argocd' };
  const data = { deliveries: JSON.stringify(all) };
  await tenants.fairlead.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  await expect.poll(() => asDev('GET /api/v1/notifications/deliveries')).toEqual({ items: [all[0]] });
  expect(await asDev('GET /api/v1/notifications/deliveries?application=vault')).toEqual({ items: [] });
  const ask = 'GET /api/v1/notifications/deliveries';
  expect((await play(tenants, { about: '', as: 'admin', ask, status: 200 })).items).toHaveLength(2);
});

const badge = async (query: string) => {
  const answer = await fetch(`${tenants.fairlead.url}/api/badge?${query}`);
  const text = await answer.text();
  const words = [...text.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, word]) => word);
  return { status: answer.status, headers: answer.headers, text, words };
};

test('a badge says nothing until the setting permits it', async () => {
  const { status, words, headers } = await badge('name=web');
  expect([status, words, headers.get('content-type'), headers.get('access-control-allow-origin')]).toEqual([
    200,
    ['Unknown'],
    'image/svg+xml',
    '*',
  ]);
});

test.each([
  ['name=web', ['Missing', 'OutOfSync']],
  ['name=web&showAppName=true', ['web', 'Missing', 'OutOfSync']],
  ['project=shop', ['Degraded', 'OutOfSync']],
  ['project=shop&project=bank', ['Degraded', 'OutOfSync']],
  ['project=absent', ['Unknown']],
  ['name=absent', ['Not Found']],
  ['', ['Unknown']],
])('the badge of %s', async (query, expected) => {
  await tenants.configure('argocd-cm', { 'statusbadge.enabled': 'true' });
  await tenants.fairlead.until('web', 'compared', ({ status }) => status?.sync?.status === 'OutOfSync');
  await expect.poll(async () => (await badge(query)).words, { timeout: 10_000 }).toEqual(expected);
});

test('a badge shows the revision and is as wide as wished', async () => {
  const { words, text } = await badge('name=web&revision=true&width=400');
  expect(words.at(-1)).toMatch(/^\([0-9a-f]{7}\)$/);
  expect(text).toContain('width="400"');
  expect((await badge('name=web&revision=true&keepFullRevision=true')).words.at(-1)).toMatch(
    /^\([0-9a-f]{40}\)$/,
  );
});

test.each(['name=<script>', 'name=..%2Fx', 'project=A_B', 'name=web&width=x'])(
  'a malformed badge is refused: %s',
  async (query) => {
    const { status, text } = await badge(query);
    expect([status, text.includes('<script>')]).toEqual([400, false]);
  },
);
