import { afterAll, beforeAll, expect, test } from 'vitest';
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

const settings = (as: 'anonymous' | 'reader') =>
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
  expect(JSON.stringify(await settings('reader'))).not.toContain('canary');
});

test('an anonymous caller sees the version only', async () => {
  const version = (as: 'anonymous' | 'reader') =>
    play(tenants, { about: '', as, ask: 'GET /api/version', status: 200 });
  expect(await version('anonymous')).toEqual({ Version: expect.stringMatching(/^v\d/) });
  expect(await version('reader')).toMatchObject({ Platform: expect.stringContaining('/'), Compiler: 'v8' });
});

test('the names of notifications, without anything else of them', async () => {
  await tenants.fairlead.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-notifications-cm', namespace: 'argocd' },
    data: {
      'service.slack': 'token: notification-canary',
      'service.webhook.grafana': 'url: x',
      'template.app-synced': 'message: x',
      'trigger.on-sync': '[]',
    },
  });
  const names = async (kind: string) =>
    (await play(tenants, { about: '', as: 'dev', ask: `GET /api/v1/notifications/${kind}`, status: 200 }))
      .items;
  await expect.poll(() => names('services')).toEqual([{ name: 'grafana' }, { name: 'slack' }]);
  expect([await names('templates'), await names('triggers')]).toEqual([
    [{ name: 'app-synced' }],
    [{ name: 'on-sync' }],
  ]);
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
