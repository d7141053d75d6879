import { afterEach, expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { Commits, Life } from '../../../../../test/fault/control-plane.ts';
import { furnished, home, Stage } from '../../../../../test/fault/stage.ts';

const namespace = 'shop';
const server = 'https://kubernetes.default.svc';
const outcome = 'simulate.fairlead.io/outcome';

let stage: Stage;
let life: Life | undefined;

afterEach(async () => {
  await life?.end();
  await stage.close();
});

const application: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'web', namespace: home },
  spec: {
    project: 'default',
    source: { repoURL: 'https://git.example.com/shop', path: 'web', targetRevision: 'main' },
    destination: { server, namespace },
    syncPolicy: { automated: {} },
  },
};

type PodOptions = {
  readonly image?: string;
  readonly annotations?: Record<string, string>;
  readonly env?: object[];
};

const template = ({ image = 'web:1', annotations = {}, env = [] }: PodOptions, restartPolicy = 'Always') => ({
  metadata: { labels: { app: 'web' }, annotations },
  spec: { restartPolicy, containers: [{ name: 'web', image, env }] },
});

const missingSecret = [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'absent', key: 'key' } } }];

/** One object of each kind that runs pods. */
const kinds: Record<string, (pod: PodOptions) => KubeObject> = {
  Deployment: (pod) => workload('apps/v1', 'Deployment', { replicas: 1, ...selected(pod) }),
  ReplicaSet: (pod) => workload('apps/v1', 'ReplicaSet', { replicas: 1, ...selected(pod) }),
  StatefulSet: (pod) =>
    workload('apps/v1', 'StatefulSet', { replicas: 1, serviceName: 'web', ...selected(pod) }),
  DaemonSet: (pod) => workload('apps/v1', 'DaemonSet', selected(pod)),
  Job: (pod) => workload('batch/v1', 'Job', { template: template(pod, 'Never') }),
  Pod: (pod) => {
    const { metadata, spec } = template(pod);
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace, ...metadata },
      spec,
    } as KubeObject;
  },
};

const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'web', namespace },
} as KubeObject;

const selected = (pod: PodOptions) => ({
  selector: { matchLabels: { app: 'web' } },
  template: template(pod),
});

const workload = (apiVersion: string, kind: string, spec: object): KubeObject =>
  ({ apiVersion, kind, metadata: { name: 'web', namespace }, spec }) as KubeObject;

async function begin(
  objects: readonly KubeObject[],
  more: Partial<ConstructorParameters<typeof Life>[1]> = {},
) {
  const commits = new Commits();
  commits.commit(objects);
  stage = await Stage.open(await furnished());
  life = new Life(stage, { generate: commits.generate, ...more });
  await stage.kube.create(stage.ctx, application);
  return commits;
}

const textOf = () => stage.app('web')?.status?.health?.message ?? '';
const waitOf = () => stage.app('web')?.status?.operationState?.message ?? '';

test.each(Object.keys(kinds))('a %s names why its pod does not start', async (kind) => {
  const make = kinds[kind] as (pod: PodOptions) => KubeObject;
  await begin([make({ env: missingSecret })]);
  const reason = 'CreateContainerConfigError: secret "absent" not found';
  await stage.until(`${kind} names the Secret`, () => textOf().includes(reason), 60_000);
  expect(textOf()).toContain(`${kind} web (`);
});

test.each([
  ['crash-loop', 'CrashLoopBackOff: container web exited with code 1'],
  ['image-pull-error', 'ImagePullBackOff: '],
  ['unschedulable', 'Unschedulable: '],
  ['never-ready', 'container web runs and is not ready'],
])(
  'a Deployment whose pods are told to %s says so although its status stays the same',
  async (how, reason) => {
    await begin([kinds.Deployment?.({}) as KubeObject]);
    await stage.until('healthy', () => stage.app('web')?.status?.health?.status === 'Healthy');
    const [pod] = stage.list('v1', 'Pod', namespace);
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace };
    const body = { spec: { template: { metadata: { annotations: { [outcome]: how } } } } };
    await stage.kube.patch(stage.ctx, deployment, { type: 'merge', body });
    await stage.until(`names ${how}`, () => textOf().includes(reason), 120_000);
    expect(textOf()).not.toContain(pod?.metadata.name);
  },
);

test('a CronJob names why the pod of its last run failed, although an earlier one succeeded', async () => {
  const cronJob = (image: string): KubeObject =>
    workload('batch/v1', 'CronJob', {
      schedule: '*/1 * * * *',
      jobTemplate: { spec: { backoffLimit: 0, template: template({ image }, 'Never') } },
    });
  const commits = await begin([cronJob('tool:1')]);

  const succeeded = (): boolean => {
    const [found] = stage.list('batch/v1', 'CronJob', namespace) as KubeObject<object, object>[];
    return found?.status !== undefined && 'lastSuccessfulTime' in found.status;
  };
  await stage.until('a run succeeded', succeeded, 180_000);
  expect(textOf()).toBe('');
  commits.commit([cronJob('job-fail')]);
  await stage.until('names the pod', () => textOf().includes('exited with code'), 300_000);
  expect(textOf()).toMatch(/^CronJob web \(/);
});

test('a hook that cannot start names the reason of its pod in the wait of the sync, and goes on when it can', async () => {
  const hook = kinds.Job?.({ env: missingSecret }) as KubeObject;
  hook.metadata.annotations = { 'argocd.argoproj.io/hook': 'PreSync' };
  await begin([hook, configMap]);
  const reason = 'CreateContainerConfigError: secret "absent" not found';
  await stage.until('the wait names the Secret', () => waitOf().includes(reason), 20_000);
  expect(waitOf()).not.toContain('the job is running');
  const metadata = { name: 'absent', namespace };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { key: 'x' } };
  await stage.kube.create(stage.ctx, secret);
  await stage.until('synced', () => stage.app('web')?.status?.operationState?.phase === 'Succeeded', 60_000);
  expect(JSON.stringify(stage.app('web')?.status)).not.toContain('CreateContainerConfigError');
});

test('a crash loop that goes on for an hour is written a few times, not at every restart', async () => {
  const writes: string[] = [];
  await begin([kinds.Deployment?.({ annotations: { [outcome]: 'crash-loop' } }) as KubeObject], {
    transport: (request) => {
      if (request.method === 'PATCH' && request.path.includes('/applications/web')) writes.push(request.path);
      return stage.transport(request);
    },
  });
  await stage.until('crashes', () => textOf().includes('CrashLoopBackOff'));
  const end = stage.clock.now().getTime() + 3_600_000;
  await stage.until('it settles', () => stage.app('web')?.status?.health?.status === 'Degraded', 1_200_000);
  writes.length = 0;
  await stage.until('an hour', () => stage.clock.now().getTime() >= end, 7_200_000);
  expect(textOf()).toContain('CrashLoopBackOff: container web exited with code 1');
  expect(writes.length).toBeLessThanOrEqual(60);
});
