import { groupOf, gvkOf, type KubeObject } from '#base/model';
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
import { type Coordinates, coordinatesIn, type FoundObject, findObject } from './tree.ts';

/**
 * The actions of an object: those built in for its kind, or those of `resource.customizations.actions` (engine H-32).
 */
export async function actions(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall,
): Promise<{ actions: readonly ResourceAction[] }> {
  const app = findApplication(deps, call, 'get');
  const { live } = await findObject(ctx, deps, app, coordinatesIn(call.query));
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
  const found = await findObject(ctx, deps, app, at);
  // compat engine P-27: the identity that writes for the application also reads the object to change, as it is now
  const kube = found.destination.writer();
  const live = await kube.get(ctx, refOf(found.live));
  const configured = configuredFor(deps, live);
  const request = { name, parameters, now: ctx.clock.now(), ...(configured !== undefined && { configured }) };
  const started = startAction(live, request);
  const changes =
    'changes' in started
      ? started.changes
      : readChanges(live, await deps.context.scripts.run(ctx, started.script));
  requirePermission(found.destination, changes);
  for (const step of planAction(live, changes)) await take(ctx, kube, found, step);
  const by = call.user?.username ?? 'an anonymous user';
  const message = `${by} ran ${name} on ${live.kind} ${live.metadata.name}`;
  await deps.raise?.(ctx, found.app, { type: 'Normal', reason: 'ResourceActionRan', message });
  ctx.log.info('action ran', { app: found.app.metadata.name, action: name, kind: live.kind, user: by });
  return {};
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
  { destination }: FoundObject,
  step: ActionStep,
): Promise<void> {
  const merge = (body: object, subresource?: string) =>
    kube.patch(ctx, { ...refOf(step.object), subresource }, { type: 'merge', body }, written);
  const { cache } = destination.cluster;
  if (!('patch' in step)) {
    const dryRun = step.do === 'dry-run-create';
    const made = await kube.create(ctx, step.object, { ...written, dryRun });
    if (!dryRun) cache.put(made);
  } else if (step.do === 'patch') cache.put(await merge(step.patch));
  else {
    const isSplit = await patchedStatus(() => merge(step.patch, 'status'));
    const rest = isSplit ? step.rest : step.whole;
    if (rest) cache.put(await merge(rest));
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
