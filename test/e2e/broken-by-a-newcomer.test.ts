import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

/**
 * Five applications that run, and one slip in each, as a newcomer makes it. The cause stands in the first line of `app get`, in
 * the status that the page reads, and in the sentence with which the page of the application opens.
 */
type Case = {
  readonly name: string;
  /** What is wrong, in the words that the cluster or the renderer has for it. */
  readonly cause: RegExp;
  /** The same in the sentence with which its page opens. */
  readonly opening: RegExp;
  files(isBroken: boolean): Record<string, string>;
};

type Workload = {
  readonly image?: string;
  readonly secret?: string;
  readonly path?: string;
  readonly outcome?: string;
};

const deployment = ({
  image = 'web:1',
  secret = 'credentials',
  path = '/health',
  outcome = 'succeed',
}: Workload) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata:
      labels: { app: web }
      annotations: { simulate.fairlead.io/outcome: ${outcome} }
    spec:
      containers:
        - name: web
          image: ${image}
          env: [{ name: KEY, valueFrom: { secretKeyRef: { name: ${secret}, key: key } } }]
          readinessProbe: { httpGet: { path: ${path}, port: 8080 } }
---
apiVersion: v1
kind: Secret
metadata: { name: credentials }
stringData: { key: value }
`;

const service = (port: string) => `
apiVersion: v1
kind: Service
metadata: { name: web }
spec:
  selector: { app: web }
  ports: [{ port: ${port}, targetPort: 8080 }]
`;

const chart = {
  'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'templates/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data:
  address: {{ required "address must be set: the host that customers see" .Values.address | quote }}
`,
};

const cases: readonly Case[] = [
  {
    name: 'image',
    cause: /Deployment web \(ImagePullBackOff: .*"web:image-pull-error"/,
    opening: /Deployment web .*ImagePullBackOff: .*web:image-pull-error/,
    files: (isBroken) => ({
      'all.yaml': deployment(isBroken ? { image: 'web:image-pull-error', outcome: '""' } : {}),
    }),
  },
  {
    name: 'secret',
    cause: /Deployment web \(CreateContainerConfigError: secret "credentails" not found/,
    opening: /Deployment web .*CreateContainerConfigError: secret .credentails. not found/,
    files: (isBroken) => ({ 'all.yaml': deployment(isBroken ? { secret: 'credentails' } : {}) }),
  },
  {
    name: 'probe',
    cause:
      /Deployment web \(container web runs and is not ready: its readiness probe \(GET :8080\/helth\) does not pass/,
    opening: /Deployment web .*its readiness probe \(GET :8080\/helth\) does not pass/,
    files: (isBroken) => ({
      'all.yaml': deployment(isBroken ? { path: '/helth', outcome: 'never-ready' } : {}),
    }),
  },
  {
    name: 'port',
    cause: /Service port\/web: .*spec\.ports\[0\]\.port/,
    opening: /Service web: .*spec\.ports\[0\]\.port/,
    files: (isBroken) => ({ 'all.yaml': service(isBroken ? 'eighty' : '80') }),
  },
  {
    name: 'value',
    cause: /address must be set: the host that customers see/,
    opening: /cannot be compared with Git: .*address must be set: the host that customers see/,
    files: (isBroken) => ({
      ...chart,
      'values.yaml': isBroken ? 'adress: shop.example\n' : 'address: shop.example\n',
    }),
  },
];

let fairlead: Fairlead;
let browser: Browser;
let page: Page;

const application = ({ name }: Case) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project: 'default',
    source: { repoURL: `file://${fairlead.demo}`, targetRevision: 'HEAD', path: `newcomer/${name}` },
    destination: { server: 'https://kubernetes.default.svc', namespace: name },
    syncPolicy: { automated: {}, syncOptions: ['CreateNamespace=true'], retry: { limit: 0 } },
  },
});

const commitAll = (isBroken: boolean): Promise<string> => {
  const files = cases.flatMap((one) =>
    Object.entries(one.files(isBroken)).map(([path, text]) => [`newcomer/${one.name}/${path}`, text]),
  );
  for (const [path = ''] of files) mkdirSync(join(fairlead.demo, path, '..'), { recursive: true });
  return fairlead.commit(Object.fromEntries(files));
};

const isWell = ({ status }: Application): boolean =>
  status?.sync?.status === 'Synced' && status.health?.status === 'Healthy';

beforeAll(async () => {
  [fairlead, browser] = await Promise.all([startFairlead(), launchBrowser()]);
  await commitAll(false);
  for (const one of cases) expect(await fairlead.apply(application(one))).toMatchObject({ code: 0 });
  for (const { name } of cases) await fairlead.until(name, 'well at first', isWell);
  const { host } = new URL(fairlead.url);
  const login = await fairlead.cli('login', host, '--username', 'admin', '--password', fairlead.password);
  expect(login).toMatchObject({ code: 0 });
  await commitAll(true);
  page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(30_000);
  await page.goto(`${fairlead.url}/applications`);
  await page.getByLabel('Password').fill(fairlead.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'guestbook' }).first().waitFor();
});

afterAll(async () => {
  await browser?.close();
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

test.each(cases)(
  'a wrong $name is named in the first line, and in what the page reads',
  async ({ name, cause }) => {
    const told = await fairlead.until(name, 'named in the status', ({ status }) => {
      const { health, operationState, conditions = [] } = status ?? {};
      const texts = [health?.message, operationState?.message, ...conditions.map(({ message }) => message)];
      return texts.some((text) => text !== undefined && cause.test(text));
    });
    expect(isWell(told)).toBe(false);
    const { stdout, code } = await fairlead.cli('app', 'get', name);
    expect(code).toBe(0);
    expect(stdout.split('\n', 1)[0]).toMatch(cause);
  },
);

test.each(cases)('the page of the application with a wrong $name opens with the cause', async (one) => {
  await page.goto(`${fairlead.url}/applications/argocd/${one.name}`);
  const isRendered = one.name !== 'value';
  if (isRendered) await page.getByRole('treeitem').nth(1).waitFor(); // the sentence counts the pods of the tree
  await page.getByRole('heading', { level: 1, name: one.opening }).waitFor();
});
