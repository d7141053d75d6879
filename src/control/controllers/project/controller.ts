import { type Application, type AppProject, finalizer } from '#base/model';
import { type Ctx, FairleadError, runAll, type Task } from '#base/std';
import type { Informer } from '#control/live';
import { type QueueHooks, type Requeue, runWorkers, WorkQueue } from '#control/runtime';
import { denyProjectDeletion } from '#engine';
import { hasReason, type KubeClient } from '#kubernetes/client';
import { defaultProject } from './default-project.ts';

export type ProjectControllerDeps = {
  readonly kube: Pick<KubeClient, 'create' | 'patch'>;
  readonly projects: Informer<AppProject>;
  readonly apps: Informer<Application>;
  readonly namespace: string;
  /** Receives what happens to the queue, for metrics. */
  readonly hooks?: QueueHooks;
};

const apiVersion = 'argoproj.io/v1alpha1';

/**
 * compat engine P-3, P-4: a project in use has a finalizer until no application uses it, and a project named `default` always
 * exists.
 */
export function projectController(deps: ProjectControllerDeps): Task {
  const { projects, apps } = deps;
  return async (ctx) => {
    const queue = new WorkQueue({ clock: ctx.clock, ...(deps.hooks && { hooks: deps.hooks }) });
    await runAll(ctx, [
      async (inner) => {
        for await (const { before, after } of projects.changes(inner))
          queue.add((after ?? before)?.metadata.name ?? '');
      },
      async (inner) => {
        // the application that leaves a project may have been its last
        for await (const { before } of apps.changes(inner)) if (before) addLeaving(queue, projects);
      },
      async (inner) => {
        await Promise.all([projects.whenSynced(inner), apps.whenSynced(inner)]);
        queue.add('default');
        addLeaving(queue, projects);
      },
      (inner) => runWorkers(inner, queue, (c, name) => reconcile(c, deps, name), { workers: 1 }),
    ]);
  };
}

function addLeaving(queue: WorkQueue, projects: Informer<AppProject>): void {
  for (const { metadata } of projects.list()) if (metadata.deletionTimestamp) queue.add(metadata.name);
}

async function reconcile(ctx: Ctx, deps: ProjectControllerDeps, name: string): Promise<Requeue | undefined> {
  const { projects, apps, namespace } = deps;
  await Promise.all([projects.whenSynced(ctx), apps.whenSynced(ctx)]);
  const project = projects.get(namespace, name);
  if (!project) {
    if (name === 'default') await makeDefault(ctx, deps);
    return undefined;
  }
  const { finalizers = [], deletionTimestamp } = project.metadata;
  const others = finalizers.filter((each) => each !== finalizer.resources);
  if (!deletionTimestamp || others.length === finalizers.length) return undefined;
  const held = name === 'default' ? undefined : denyProjectDeletion(project, apps.list(), namespace);
  if (held) {
    ctx.log.info('project deletion blocked: applications still use it', { project: name, why: held });
    return undefined;
  }
  await release(ctx, deps, project, others);
  return undefined;
}

/** Removes the finalizer only from the version that was read: a project that changed meanwhile is reconciled again. */
async function release(
  ctx: Ctx,
  { kube, namespace }: ProjectControllerDeps,
  { metadata: { name, resourceVersion } }: AppProject,
  finalizers: readonly string[],
): Promise<void> {
  const ref = { apiVersion, kind: 'AppProject', namespace, name };
  try {
    await kube.patch(ctx, ref, { type: 'merge', body: { metadata: { finalizers, resourceVersion } } });
  } catch (error) {
    if (hasReason(error, 'Conflict') || FairleadError.from(error).code === 'NotFound') return;
    throw error;
  }
}

/** Creates the default project at the start, and again whenever it is deleted. */
async function makeDefault(ctx: Ctx, { kube, namespace }: ProjectControllerDeps): Promise<void> {
  try {
    await kube.create(ctx, defaultProject(namespace));
    ctx.log.info('project default created');
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
}
