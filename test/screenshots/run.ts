// Draws docs/screenshots: each screen of the web UI, light and dark, on a started program with its demo and a few broken
// applications. `npm run screenshots`; build first.
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { launchBrowser } from '../e2e/browser.ts';
import { forget, isSettled, startFairlead } from '../e2e/fairlead.ts';

const folder = join(import.meta.dirname, '../../docs/screenshots');
const screens: Readonly<Record<string, string>> = {
  applications: '/applications',
  tiles: '/applications?view=tiles',
  'failing-sync': '/applications/argocd/payments',
  'render-error': '/applications/argocd/checkout',
  tree: '/applications/argocd/hello',
  resource: '/applications/argocd/guestbook?node=apps/Deployment/guestbook/web&tab=logs',
  sync: '/applications/argocd/by-hand?deploy=all',
  timeline: '/applications/argocd/demo?view=timeline',
  project: '/settings/projects/shop?tab=windows',
  clusters: '/settings/clusters',
  drift: '/applications/argocd/ledger?view=changes',
  parameters: '/applications/argocd/tuned?view=parameters',
  'new-application': '/applications?new=true',
  set: '/applicationsets/argocd/regions?view=preview',
  'new-set': '/applicationsets?new=true',
  history: '/applications/argocd/guestbook?view=history',
  network: '/applications/argocd/guestbook?view=network',
  pods: '/applications/argocd/guestbook?view=pods',
  repositories: '/settings/repos',
  accounts: '/settings/accounts',
  'in-force': '/settings/in-force',
  rollout: '/applications/argocd/web?node=argoproj.io/Rollout/web/web',
  traffic: '/applications/argocd/hello?node=serving.knative.dev/Service/hello/hello',
  notifications: '/settings/notifications',
  rehearsal: '/settings/notifications?tab=preview&app=argocd/web',
};

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "web:1" }] }
`;

// two services that are notified, of which one is down, and a metric
const rates = [0.991, 0.968, 0.984, 0.957, 0.993];
const listener = createServer((request, response) => {
  const isDown = request.url?.startsWith('/audit');
  response.setHeader('content-type', request.url === '/rate' ? 'application/json' : 'text/plain');
  const body = request.url === '/rate' ? JSON.stringify({ rate: rates.shift() ?? 0.98 }) : 'ok';
  response.writeHead(isDown ? 503 : 200).end(isDown ? 'down for maintenance' : body);
}).listen(0, '127.0.0.1');
await once(listener, 'listening');
const fairlead = await startFairlead('--allow-hosts', '127.0.0.1');
const browser = await launchBrowser();
try {
  await prepare();
  mkdirSync(folder, { recursive: true });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  await page.goto(`${fairlead.url}/applications`);
  await page.getByLabel('Password').fill(fairlead.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'guestbook' }).first().waitFor();
  for (const [name, path] of Object.entries(screens)) {
    if (process.argv.length > 2 && !process.argv.includes(name)) continue; // named ones only
    await page.goto(fairlead.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('load');
    await page.waitForTimeout(700); // the streams bring the rest
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
    }
  }
} finally {
  await browser.close();
  await fairlead.stop();
  forget(fairlead);
  listener.close();
}

async function prepare(): Promise<void> {
  const application = (name: string, path: string, automated: object | undefined) => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      source: { repoURL: `file://${fairlead.demo}`, path },
      destination: { server: 'https://kubernetes.default.svc', namespace: name },
      syncPolicy: {
        ...(automated && { automated }),
        syncOptions: ['CreateNamespace=true'],
        retry: { limit: 50, backoff: { duration: '5s' } },
      },
    },
  });
  await fairlead.commit(
    {
      'tuned/kustomization.yaml': 'resources: [deployment.yaml]\n',
      'tuned/deployment.yaml': deployment,
      'ledger/deployment.yaml': deployment,
    },
    'run the ledger',
  );
  await fairlead.commit(
    {
      'payments/service.yaml':
        'apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { ports: [{ port: "http" }] }\n',
      'checkout/base/kustomization.yaml': 'resources: [missing.yaml]\n',
      'checkout/prod/kustomization.yaml': 'resources: [../base]\n',
    },
    'open the payments port',
  );
  const windows = [
    { kind: 'allow', schedule: '0 8 * * 1-5', duration: '9h', applications: ['*'], manualSync: true },
    { kind: 'deny', schedule: '0 12 * * *', duration: '1h', applications: ['*'] },
  ];
  await fairlead.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'shop', namespace: 'argocd' },
    spec: { description: 'The shop', sourceRepos: ['*'], syncWindows: windows },
  });
  await fairlead.apply(application('payments', 'payments', {}));
  await fairlead.apply(application('checkout', 'checkout/prod', {}));
  await fairlead.apply(application('by-hand', 'guestbook', undefined));
  const tuned = application('tuned', 'tuned', undefined);
  const source = { ...tuned.spec.source, kustomize: { images: ['web:2'] } };
  await fairlead.apply({ ...tuned, spec: { ...tuned.spec, source } });
  await fairlead.apply(application('ledger', 'ledger', {}));
  await fairlead.apply(regions());
  for (const name of ['demo', 'guestbook', 'hello']) await fairlead.until(name, 'settled', isSettled);
  await prepareDelivery(application);
  await fairlead.until('payments', 'retried', ({ status }) => (status?.operationState?.retryCount ?? 0) > 1);
  await fairlead.until('checkout', 'compared', ({ status }) => (status?.conditions?.length ?? 0) > 0);
  await fairlead.until('ledger', 'settled', isSettled);
  const patch = JSON.stringify({ spec: { replicas: 5 } });
  const scale = ['patch', 'deployment/web', '-n', 'ledger', '--type=merge', '-p', patch];
  await fairlead.kubectl(...scale, '--field-manager=queue-scaler');
  await fairlead.until('ledger', 'drifted', ({ status }) => status?.sync?.status === 'OutOfSync');
}

/** An ApplicationSet for two regions. */
function regions(): object {
  const name = 'shop-{{ .region }}';
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'regions', namespace: 'argocd' },
    spec: {
      goTemplate: true,
      generators: [{ list: { elements: [{ region: 'eu' }, { region: 'us' }] } }],
      template: {
        metadata: { name },
        spec: {
          project: 'default',
          source: { repoURL: `file://${fairlead.demo}`, path: 'guestbook' },
          destination: { server: 'https://kubernetes.default.svc', namespace: name },
        },
      },
    },
  };
}

function rollout(version: number): object {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'web' },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: `ghcr.io/acme/web:${version}` }] },
      },
      strategy: {
        canary: {
          steps: [
            { setWeight: 25 },
            { analysis: { templates: [{ templateName: 'success-rate' }] } },
            { pause: {} },
            { setWeight: 50 },
            { pause: { duration: '10m' } },
          ],
        },
      },
    },
  };
}

/** A canary that waits for a person, a Knative Service whose traffic is split, and messages about both. */
async function prepareDelivery(
  application: (name: string, path: string, automated: object | undefined) => object,
): Promise<void> {
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const metric = { name: 'success-rate', interval: '1s', count: 5, successCondition: 'result >= 0.95' };
  const analysis = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AnalysisTemplate',
    metadata: { name: 'success-rate' },
    spec: { metrics: [{ ...metric, provider: { web: { url: `${url}/rate`, jsonPath: '{$.rate}' } } }] },
  };
  await fairlead.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-notifications-cm', namespace: 'argocd' },
    data: {
      'service.webhook.chat': `url: ${url}/chat`,
      'service.webhook.audit': `url: ${url}/audit`,
      subscriptions:
        '- recipients: [chat]\n  triggers: [on-created, on-deployed]\n- recipients: [audit]\n  triggers: [on-created]\n  selector: audited=yes\n',
    },
  });
  await fairlead.commit({
    'web/rollout.yaml': JSON.stringify(rollout(1)),
    'web/analysis.yaml': JSON.stringify(analysis),
  });
  const web = application('web', 'web', {}) as { metadata: object };
  await fairlead.apply({ ...web, metadata: { ...web.metadata, labels: { audited: 'yes' } } });
  await fairlead.until('web', 'settled', isSettled);
  const split = [
    { revisionName: 'hello-00001', percent: 80 },
    { latestRevision: true, percent: 20, tag: 'candidate' },
  ];
  const service = {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name: 'hello' },
    spec: { template: { spec: { containers: [{ image: 'example/helloworld:2.0' }] } }, traffic: split },
  };
  await fairlead.commit(
    { 'web/rollout.yaml': JSON.stringify(rollout(2)), 'hello/service.yaml': JSON.stringify(service) },
    'bring out version 2',
  );
  await fairlead.until('web', 'paused', ({ status }) => status?.health?.status === 'Suspended');
}
