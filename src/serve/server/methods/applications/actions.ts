import { type Application, groupOf, gvkOf, isApplication, type KubeObject, keyOf } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { type AppDestination, scopeIn } from '#control/comparison';
import {
  type ActionChange,
  type ActionStep,
  actionsFor,
  discoverActions,
  fieldManager,
  planAction,
  readChanges,
  startAction,
} from '#engine';
import { hasReason, type KubeClient, refOf } from '#kubernetes/client';
import type { ActionRequest, ResourceAction } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { findApplication } from './find.ts';
import { type Coordinates, coordinatesIn, findObject } from './tree.ts';

/**
 * The actions of an object: those built in for its kind, or those of `resource.customizations.actions` (engine H-32).
 */
export async function actions(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall,
): Promise<{ actions: readonly ResourceAction[] }> {
  const app = findApplication(deps, call, 'get');
  const { live } = await findSubject(ctx, deps, app, coordinatesIn(call.query));
  const found = discoverActions(live, configuredFor(deps, live));
  const returned = found.script ? await deps.context.scripts.run(ctx, found.script) : undefined;
  return { actions: actionsFor(found, returned).map((action) => ({ ...action, available: true })) };
}

/** compat server §2.8: the older form, with the action's name as the whole body and no parameters. */
export function runAction(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall<string>,
): Promise<Record<string, never>> {
  const at = coordinatesIn(call.query);
  return run(ctx, deps, call, { at, name: call.body, parameters: {} });
}

export function runActionWith(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall<ActionRequest>,
): Promise<Record<string, never>> {
  const { group = '', kind, namespace = '', resourceName, action } = call.body;
  const parameters = (call.body.resourceActionParameters ?? []).map(({ name, value }) => [name, value]);
  const at = { group, kind, namespace, name: resourceName };
  return run(ctx, deps, call, { at, name: action, parameters: Object.fromEntries(parameters) });
}

type Wanted = {
  readonly at: Coordinates;
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
};

async function run(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall,
  { at, name, parameters }: Wanted,
): Promise<Record<string, never>> {
  const app = findApplication(deps, call, `action/${at.group}/${at.kind}/${name}`);
  const subject = await findSubject(ctx, deps, app, at);
  // compat engine P-27: the identity that writes for the application also reads the object to change, as it is now
  const kube = subject.writer();
  const live = await kube.get(ctx, refOf(subject.live));
  const configured = configuredFor(deps, live);
  const request = { name, parameters, now: ctx.clock.now(), ...(configured !== undefined && { configured }) };
  const started = startAction(live, request);
  const changes =
    'changes' in started
      ? started.changes
      : readChanges(live, await deps.context.scripts.run(ctx, started.script));
  subject.requirePermission(changes);
  for (const step of planAction(live, changes)) await take(ctx, kube, subject, step);
  const by = call.user?.username ?? 'an anonymous user';
  const message = `${by} ran ${name} on ${live.kind} ${live.metadata.name}`;
  await deps.raise?.(ctx, app, { type: 'Normal', reason: 'ResourceActionRan', message });
  ctx.log.info('action ran', { app: app.metadata.name, action: name, kind: live.kind, user: by });
  return {};
}

/** The object of an action, and how it is written. */
type Subject = {
  readonly live: KubeObject;
  writer(): Pick<KubeClient, 'get' | 'create' | 'patch'>;
  /** Throws PermissionDenied where one of the changes is not permitted. */
  requirePermission(changes: readonly ActionChange[]): void;
  written(object: KubeObject): void;
};

/** compat server §2.8: an object of the tree, or the application itself: Argo CD's clients list the actions of both. */
async function findSubject(ctx: Ctx, deps: MethodDeps, app: Application, at: Coordinates): Promise<Subject> {
  if (isItself(app, at)) return itself(deps, app);
  const { live, destination } = await findObject(ctx, deps, app, at);
  return {
    live,
    writer: () => destination.writer(),
    requirePermission: (changes) => requirePermission(destination, changes),
    written: (object) => destination.cluster.cache.put(object),
  };
}

const isItself = (app: Application, { group, kind, namespace, name }: Coordinates): boolean =>
  isApplication({ apiVersion: `${group}/v1alpha1`, kind, metadata: { name } }) &&
  name === app.metadata.name &&
  (namespace === '' || namespace === app.metadata.namespace);

/** The identity of the control plane writes it, so a script of an administrator may change nothing else. */
function itself({ kube, apps }: MethodDeps, app: Application): Subject {
  const isOther = ({ operation, resource }: ActionChange): boolean =>
    operation !== 'patch' || keyOf(resource) !== keyOf(app);
  return {
    live: app,
    writer: () => kube,
    requirePermission: (changes) => {
      if (changes.some(isOther))
        throw new FairleadError('PermissionDenied', 'an action on an application may change nothing else');
    },
    written: (object) => apps.put(object as Application),
  };
}

/** compat engine H-32: by the exact kind, no patterns. */
function configuredFor({ context }: MethodDeps, object: KubeObject): string | undefined {
  const group = groupOf(object);
  const { overrides } = context.settings().resources;
  const kind = group ? `${group}/${object.kind}` : object.kind;
  return Object.hasOwn(overrides, kind) ? overrides[kind]?.actions : undefined;
}

/** compat engine H-35: all of them, before the first is written. An object of unknown scope is used as written. */
function requirePermission({ denies, cluster }: AppDestination, changes: readonly ActionChange[]): void {
  const scope = scopeIn(cluster);
  for (const { resource } of changes) {
    const namespaced = scope(gvkOf(resource)) ?? (resource.metadata.namespace ?? '') !== '';
    const why = denies(resource, namespaced);
    if (why) throw new FairleadError('PermissionDenied', why);
  }
}

const written = { fieldManager };

/**
 * compat engine H-35: the status uses its subresource where there is one, and is part of one patch where there is none.
 */
async function take(
  ctx: Ctx,
  kube: Pick<KubeClient, 'create' | 'patch'>,
  subject: Pick<Subject, 'written'>,
  step: ActionStep,
): Promise<void> {
  const merge = (body: object, subresource?: string) =>
    kube.patch(ctx, { ...refOf(step.object), subresource }, { type: 'merge', body }, written);
  if (!('patch' in step)) {
    const dryRun = step.do === 'dry-run-create';
    const made = await kube.create(ctx, step.object, { ...written, dryRun });
    if (!dryRun) subject.written(made);
  } else if (step.do === 'patch') subject.written(await merge(step.patch));
  else {
    const isSplit = await patchedStatus(() => merge(step.patch, 'status'));
    const rest = isSplit ? step.rest : step.whole;
    if (rest) subject.written(await merge(rest));
  }
}

/** False when the kind has no such subresource; the object itself was read a moment ago. */
async function patchedStatus(patch: () => Promise<unknown>): Promise<boolean> {
  try {
    await patch();
    return true;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return false;
    throw error;
  }
}
