// Draws docs/screenshots: each screen of the web UI, light and dark, on a started program with its demo and a few broken
// applications. `npm run screenshots`; build first.
import { mkdirSync } from 'node:fs';
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
};

const fairlead = await startFairlead();
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
  for (const name of ['demo', 'guestbook', 'hello']) await fairlead.until(name, 'settled', isSettled);
  await fairlead.until('payments', 'retried', ({ status }) => (status?.operationState?.retryCount ?? 0) > 1);
  await fairlead.until('checkout', 'compared', ({ status }) => (status?.conditions?.length ?? 0) > 0);
}
