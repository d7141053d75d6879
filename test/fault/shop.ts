import type { Application, KubeObject } from '#base/model';
import { Commits } from './control-plane.ts';
import { home, type Stage } from './stage.ts';

const namespace = 'shop';

type Hook = {
  readonly type: string;
  readonly wave?: number;
  readonly policy?: string;
  readonly image?: string;
  readonly runFor?: string;
  readonly ttl?: number;
};

/** A Job that runs for a while; `image` decides how it ends. */
export function hook(
  name: string,
  { type, wave = 0, policy, image = 'task:1', runFor = '4s', ttl }: Hook,
): KubeObject {
  const isGenerated = name.endsWith('-');
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...(isGenerated ? { name: '', generateName: name } : { name }),
      namespace,
      annotations: {
        'argocd.argoproj.io/hook': type,
        'argocd.argoproj.io/sync-wave': String(wave),
        ...(policy && { 'argocd.argoproj.io/hook-delete-policy': policy }),
      },
    },
    spec: {
      backoffLimit: 0,
      ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }),
      template: {
        metadata: { annotations: { 'simulate.fairlead.io/run-for': runFor } },
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image }] },
      },
    },
  };
}

export function config(name: string, value: string, wave = 0): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, annotations: { 'argocd.argoproj.io/sync-wave': String(wave) } },
    data: { value },
  } as KubeObject;
}

export function deployment(name: string, image: string, wave = 0): KubeObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, annotations: { 'argocd.argoproj.io/sync-wave': String(wave) } },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } },
    },
  };
}

export const shop = (more: Partial<Application['spec']> = {}, name = 'shop'): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: home },
  spec: {
    project: 'default',
    source: { repoURL: '/repositories/shop', path: '.' },
    destination: { server: 'https://kubernetes.default.svc', namespace },
    syncPolicy: { automated: { prune: true, selfHeal: true }, retry: { limit: 1 } },
    ...more,
  },
});

const hooks = (image?: string): KubeObject[] => [
  hook('migrate', { type: 'PreSync' }),
  hook('seed-', { type: 'PreSync', wave: 1, runFor: '2s' }),
  hook('warm', {
    type: 'Sync',
    wave: 1,
    policy: 'BeforeHookCreation,HookSucceeded',
    ...(image && { image }),
  }),
  hook('notify', { type: 'PostSync', policy: 'BeforeHookCreation,HookSucceeded' }),
  hook('keep', { type: 'PostSync', ttl: 0, runFor: '1s' }),
  hook('rescue', { type: 'SyncFail', runFor: '3s' }),
];

type Chapter = {
  readonly name: string;
  /** What is committed; left out: somebody asks for a sync by hand. */
  readonly objects?: readonly KubeObject[];
  readonly phase: 'Succeeded' | 'Failed';
};

/** A year in the life of an application, each part of which begins where the one before ended. */
export const chapters: readonly Chapter[] = [
  {
    name: 'the first sync',
    objects: [...hooks(), ...body('1', 'web:1'), config('old', '1')],
    phase: 'Succeeded',
  },
  { name: 'an update that prunes', objects: [...hooks(), ...body('2', 'web:2')], phase: 'Succeeded' },
  {
    name: 'a hook that fails, twice',
    objects: [...hooks('task-exit-1'), ...body('3', 'web:2')],
    phase: 'Failed',
  },
  { name: 'the fix', objects: [...hooks(), ...body('4', 'web:3')], phase: 'Succeeded' },
  { name: 'a sync by hand', phase: 'Succeeded' },
];

function body(value: string, image: string): KubeObject[] {
  return [config('settings', value, -1), deployment('web', image), config('late', value, 2)];
}

/** Whether everything that follows from a commit has come about. */
function isDone({ operation, status }: Application, revision: string, phase: string): boolean {
  const { operationState, sync, health } = status ?? {};
  const { syncResult } = operationState ?? {};
  const hasEnded = !operation && operationState?.phase === phase && syncResult?.revision === revision;
  if (!hasEnded || sync?.revision !== revision) return false;
  return phase === 'Failed' || (sync.status === 'Synced' && health?.status === 'Healthy');
}

/** The repository as it is before a chapter begins. */
export function repositoryBefore(chapter: number): Commits {
  const repo = new Commits();
  for (const { objects } of chapters.slice(0, chapter)) if (objects) repo.commit(objects);
  return repo;
}

/** What happens in a chapter, and when it is over. */
export async function play(stage: Stage, repo: Commits, { name, objects, phase }: Chapter): Promise<void> {
  const { objects: stored } = stage.cluster;
  const before = stage.app('shop')?.status?.operationState?.startedAt;
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: home, name: 'shop' };
  const operation = { sync: { revision: repo.head }, initiatedBy: { username: 'jane' } };
  if (objects) repo.commit(objects);
  else await stored.patch(ref, { type: 'merge', body: { operation } }, { manager: 'jane' });
  if (!stage.app('shop')) await stored.create(shop(), { manager: 'jane' });
  await stage.until(name, () => {
    const app = stage.app('shop') ?? shop();
    return app.status?.operationState?.startedAt !== before && isDone(app, repo.head, phase);
  });
  await stage.clock.advance(20_000); // nothing is begun that was not asked for
}
