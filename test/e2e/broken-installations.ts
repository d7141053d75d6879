import type { Application } from '#base/model';
import type { Fairlead } from './fairlead.ts';

/**
 * An application that ran, and the one change that broke it. Whoever opens its page must find out what is broken, since when,
 * because of which commit and resource, who changed a field, and what Sync would do.
 */
type Broken = {
  readonly name: string;
  readonly automated?: object | undefined;
  /** What it ran with. */
  readonly good: Readonly<Record<string, string>>;
  /** What the commit changes; nothing where it is no commit that breaks it. */
  readonly bad: Readonly<Record<string, string>>;
  /** The subject of that commit. */
  readonly commit: string;
  /** It has been noticed. */
  isBroken(app: Application): boolean;
};

const deployment = (image: string, replicas = 2) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "${image}" }] }
`;
const service = (port: string) =>
  `apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { selector: { app: web }, ports: [{ port: ${port} }] }\n`;
const job = (image: string) => `apiVersion: batch/v1
kind: Job
metadata: { name: migrate, annotations: { argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: BeforeHookCreation } }
spec: { backoffLimit: 0, template: { spec: { restartPolicy: Never, containers: [{ name: migrate, image: ${image} }] } } }
`;
const setting = (value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { value: "${value}" }\n`;
const knative = (image: string, probe = '') => `apiVersion: serving.knative.dev/v1
kind: Service
metadata: { name: agent }
spec: { template: { spec: { containers: [{ image: "${image}"${probe} }] } } }
`;

const hasFailed = ({ status }: Application): boolean =>
  (status?.operationState?.retryCount ?? 0) > 1 || status?.operationState?.phase === 'Failed';

const brokenInstallations: readonly Broken[] = [
  {
    name: 'dry-run',
    automated: {},
    good: { 'service.yaml': service('80') },
    bad: { 'service.yaml': service('"http"') },
    commit: 'name the port of the service',
    isBroken: hasFailed,
  },
  {
    name: 'hook',
    automated: {},
    good: { 'job.yaml': job('migrate:1'), 'settings.yaml': setting('1') },
    bad: { 'job.yaml': job('job-fail'), 'settings.yaml': setting('2') },
    commit: 'migrate to the second schema',
    isBroken: hasFailed,
  },
  {
    name: 'image',
    automated: {},
    good: { 'web.yaml': deployment('web:1') },
    bad: { 'web.yaml': deployment('web:image-pull-error') },
    commit: 'release web 2',
    isBroken: ({ status }) => status?.health?.message?.includes('ImagePullBackOff') ?? false,
  },
  {
    name: 'drift',
    good: { 'web.yaml': deployment('web:1') },
    bad: {},
    commit: '',
    isBroken: ({ status }) => status?.sync?.status === 'OutOfSync',
  },
  {
    name: 'knative',
    automated: {},
    good: { 'agent.yaml': knative('agent:1') },
    bad: { 'agent.yaml': knative('agent:2', ', startupProbe: { httpGet: { path: /healthz } }') },
    commit: 'probe the agent',
    isBroken: ({ status }) => status?.health?.status === 'Degraded',
  },
  // the last: the newest commit is its own
  {
    name: 'render',
    automated: {},
    good: { 'kustomization.yaml': 'resources: [settings.yaml]\n', 'settings.yaml': setting('1') },
    bad: { 'kustomization.yaml': 'resources: [settings.yaml, limits.yaml]\n' },
    commit: 'limit the memory',
    isBroken: ({ status }) => status?.conditions?.some(({ type }) => type === 'ComparisonError') ?? false,
  },
];

const applicationOf = ({ name, automated }: Broken, demo: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    source: { repoURL: `file://${demo}`, path: `trial/${name}` },
    destination: { server: 'https://kubernetes.default.svc', namespace: name },
    syncPolicy: {
      ...(automated && { automated }),
      syncOptions: ['CreateNamespace=true'],
      retry: { limit: 20, backoff: { duration: '2s', factor: 3, maxDuration: '5m' } },
    },
  },
});

const filesOf = (which: 'good' | 'bad') => (one: Broken) =>
  Object.entries(one[which]).map(([path, text]) => [`trial/${one.name}/${path}`, text] as const);

const isWell = ({ status }: Application): boolean =>
  status?.sync?.status === 'Synced' && status.health?.status === 'Healthy';

/** Makes the applications, lets them settle, breaks each of them, and returns when all of it has been noticed. */
export async function breakInstallations(fairlead: Fairlead): Promise<void> {
  await fairlead.commit(Object.fromEntries(brokenInstallations.flatMap(filesOf('good'))), 'run everything');
  for (const one of brokenInstallations) await fairlead.apply(applicationOf(one, fairlead.demo));
  await fairlead.cli(
    'login',
    new URL(fairlead.url).host,
    '--username',
    'admin',
    '--password',
    fairlead.password,
  );
  await fairlead.until('drift', 'compared', ({ status }) => status?.sync !== undefined);
  await fairlead.cli('app', 'sync', 'drift');
  for (const { name } of brokenInstallations) await fairlead.until(name, 'well at first', isWell);
  const patch = JSON.stringify({ spec: { replicas: 5 } });
  const scaled = ['patch', 'deployment/web', '-n', 'drift', '--type=merge', '-p', patch];
  await fairlead.kubectl(...scaled, '--field-manager=queue-scaler');
  // one after the other, as they happen: each is synced at its own commit
  for (const one of brokenInstallations) {
    if (one.commit) await fairlead.commit(Object.fromEntries(filesOf('bad')(one)), one.commit);
    await fairlead.until(one.name, 'broken', one.isBroken);
  }
}
