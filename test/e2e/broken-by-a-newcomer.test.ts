import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

/**
 * Five applications that run, and one slip in each, as a newcomer makes it. The cause stands in the first line of `app get`, and
 * in the status that the page reads.
 */
type Case = {
  readonly name: string;
  /** What is wrong, in the words that the cluster or the renderer has for it. */
  readonly cause: RegExp;
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
    files: (isBroken) => ({
      'all.yaml': deployment(isBroken ? { image: 'web:image-pull-error', outcome: '""' } : {}),
    }),
  },
  {
    name: 'secret',
    cause: /Deployment web \(CreateContainerConfigError: secret "credentails" not found/,
    files: (isBroken) => ({ 'all.yaml': deployment(isBroken ? { secret: 'credentails' } : {}) }),
  },
  {
    name: 'probe',
    cause:
      /Deployment web \(container web runs and is not ready: its readiness probe \(GET :8080\/helth\) does not pass/,
    files: (isBroken) => ({
      'all.yaml': deployment(isBroken ? { path: '/helth', outcome: 'never-ready' } : {}),
    }),
  },
  {
    name: 'port',
    cause: /Service port\/web: .*spec\.ports\[0\]\.port/,
    files: (isBroken) => ({ 'all.yaml': service(isBroken ? 'eighty' : '80') }),
  },
  {
    name: 'value',
    cause: /address must be set: the host that customers see/,
    files: (isBroken) => ({
      ...chart,
      'values.yaml': isBroken ? 'adress: shop.example\n' : 'address: shop.example\n',
    }),
  },
];

let fairlead: Fairlead;

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
  fairlead = await startFairlead();
  await commitAll(false);
  for (const one of cases) expect(await fairlead.apply(application(one))).toMatchObject({ code: 0 });
  for (const { name } of cases) await fairlead.until(name, 'well at first', isWell);
  const { host } = new URL(fairlead.url);
  const login = await fairlead.cli('login', host, '--username', 'admin', '--password', fairlead.password);
  expect(login).toMatchObject({ code: 0 });
  await commitAll(true);
});

afterAll(async () => {
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
