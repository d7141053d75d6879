import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../e2e/browser.ts';
import { type Fairlead, forget, startFairlead } from '../e2e/fairlead.ts';

// Whatever users and the settings write is opened in a real browser: no text becomes a script, and no link leads to one.
const script = 'javascript:alert(document.domain)';
const markup = '<img src=x onerror=alert(1)>';
let fairlead: Fairlead;
let browser: Browser;
let page: Page;
const dialogs: string[] = [];

const link = (title: string, url: string): string => `- title: ${title}\n  url: ${JSON.stringify(url)}\n`;

beforeAll(async () => {
  [fairlead, browser] = await Promise.all([startFairlead(), launchBrowser()]);
  const data = {
    'ui.bannercontent': `read ${markup}`,
    'ui.bannerurl': script,
    'ui.bannerpermanent': 'true',
    'help.chatUrl': script,
    'help.chatText': markup,
    'help.download.linux-amd64': script,
    'application.links':
      link(markup, 'https://example.com/{{.app.metadata.annotations.note}}') + link('hostile', script),
    'resource.links': link('hostile', '{{.resource.metadata.annotations.target}}'),
    'project.links': link('hostile', script),
  };
  await fairlead.kubectl(
    ...['-n', 'argocd', 'patch', 'cm', 'argocd-cm', '--type=merge', '-p', JSON.stringify({ data })],
  );
  const annotations = { 'link.argocd.argoproj.io/x': script, target: script, note: markup };
  const role = `${markup}-role`;
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const hostile = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hostile', annotations }, data: { x: markup } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: role, annotations },
      rules,
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: {
        name: 'web',
        annotations: { ...annotations, 'external-dns.alpha.kubernetes.io/hostname': script },
      },
      spec: {
        rules: [
          {
            host: 'example.com',
            http: {
              paths: [
                {
                  path: `/${markup}`,
                  pathType: 'ImplementationSpecific',
                  backend: { service: { name: 'web', port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
    },
  ];
  await fairlead.commit(
    { 'hostile/all.yaml': hostile.map((one) => JSON.stringify(one)).join('\n---\n') },
    `${markup} ${script}`,
  );
  const application = (name: string, repoURL: string, automated: object | undefined) => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      namespace: 'argocd',
      annotations: { ...annotations, 'argocd.argoproj.io/external-link': script },
    },
    spec: {
      source: { repoURL, path: 'hostile' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'hostile' },
      info: [{ name: markup, value: script }],
      syncPolicy: { ...(automated && { automated }), syncOptions: ['CreateNamespace=true'] },
    },
  });
  await fairlead.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'hostile', namespace: 'argocd' },
    spec: { description: `${markup} ${script}`, roles: [{ name: 'x', description: markup, policies: [] }] },
  });
  await fairlead.apply(application('hostile', `file://${fairlead.demo}`, {}));
  await fairlead.apply(application('unreadable', script, undefined));
  await fairlead.until('hostile', 'synced', ({ status }) => status?.operationState?.phase !== undefined);
  await fairlead.until('unreadable', 'compared', ({ status }) => (status?.conditions?.length ?? 0) > 0);
  page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(30_000);
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    dialog.dismiss().catch(() => {});
  });
  await page.goto(`${fairlead.url}/login?return_url=${encodeURIComponent(script)}`);
  await page.getByLabel('Password').fill(fairlead.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'hostile' }).first().waitFor();
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

/** The links that lead neither to a page nor to a letter, and the elements that a text became. */
async function harmIn(one: Page): Promise<string[]> {
  return one.evaluate(() => {
    const { document } = globalThis as any;
    const links = [...document.querySelectorAll('a, area, form, iframe, object, embed')]
      .flatMap((element: any) => ['href', 'action', 'src', 'data'].map((name) => element.getAttribute(name)))
      .filter((address) => address !== null && !/^(?:https?:\/\/|mailto:|\/|#|\?|\.)/i.test(address));
    const made = [...document.querySelectorAll('img, [onerror], [onload], [onclick], script:not([src])')];
    return [...links, ...made.map((element: any) => element.outerHTML)];
  });
}

const node = (id: string): string => `/applications/argocd/hostile?node=${encodeURIComponent(id)}&tab=`;
const role = 'rbac.authorization.k8s.io/Role/hostile/<img src=x onerror=alert(1)>-role';
const screens = [
  '/applications',
  '/applications?view=tiles',
  ...['tree', 'list', 'network', 'changes', 'timeline', 'history', 'events', 'manifest', 'parameters'].map(
    (view) => `/applications/argocd/hostile?view=${view}`,
  ),
  '/applications/argocd/unreadable',
  '/applications/argocd/unreadable?view=history',
  ...['summary', 'manifest', 'events'].map((tab) => `${node('/ConfigMap/hostile/hostile')}${tab}`),
  `${node('networking.k8s.io/Ingress/hostile/web')}summary`,
  `${node(role)}summary`,
  '/settings/projects',
  '/settings/projects/hostile',
  '/settings/projects/hostile?tab=roles',
  '/settings/repos',
  '/settings/in-force',
  '/settings/notifications?tab=preview&app=argocd/hostile',
  '/help',
  `/login?has_sso_error=true&sso_error=${encodeURIComponent(markup)}`,
  `/login?return_url=${encodeURIComponent(script)}`,
];

test.each(screens)('%s has no script of a user, and no link to one', async (path) => {
  await page.goto(fairlead.url + path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.locator('.skeleton').count(), { timeout: 30_000 }).toBe(0);
  expect({ path, harm: await harmIn(page), dialogs }).toEqual({ path, harm: [], dialogs: [] });
});

test('the hostile values were there to be shown', async () => {
  await page.goto(`${fairlead.url}/applications`);
  await page.getByRole('complementary', { name: 'Announcement' }).first().getByText(markup).waitFor();
  await page.goto(`${fairlead.url}/settings/projects`);
  await page
    .getByRole('row', { name: /^hostile/ })
    .getByText(markup)
    .waitFor();
  await page.goto(`${fairlead.url}${node('/ConfigMap/hostile/hostile')}manifest`);
  await page.getByText('onerror').first().waitFor();
});
