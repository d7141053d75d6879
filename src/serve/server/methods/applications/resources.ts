import { isApplication, isKind, type KubeObject, maskerOf } from '#base/model';
import { type Ctx, FairleadError, isObject, printJson } from '#base/std';
import { type ApplicationEvent, fieldManager, redact, resourceActions } from '#engine';
import { type DeleteOptions, refOf } from '#kubernetes/client';
import type { EventList } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { eventsAbout } from '../events.ts';
import { findApplication } from './find.ts';
import { coordinatesIn, type FoundObject, findObject, grow } from './tree.ts';
import { parsedPatch } from './update.ts';
import { invalid } from './validate.ts';

/** One live object of an application's tree, with secrets masked. */
export async function resource(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<{ manifest: string }> {
  const app = findApplication(deps, call, 'get');
  const { live } = await findObject(ctx, deps, app, coordinatesIn(call.query));
  return { manifest: printJson(shownObject(deps, live)) };
}

/** The object without hidden values; the same object when it has none. */
export function shownObject({ context }: MethodDeps, object: KubeObject): KubeObject {
  const { sensitiveAnnotations } = context.settings().resources;
  const shown = redact({ live: object }, { sensitiveAnnotations }).live;
  const isOurs = isApplication(object) || isKind(object, 'argoproj.io', 'ApplicationSet');
  return isOurs ? maskerOf(object)(shown) : shown;
}

/** compat server §5.2: the application's own action is enough only where the setting says so. */
function findForWrite(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall,
  verb: 'update' | 'delete',
): Promise<FoundObject> {
  const at = coordinatesIn(call.query);
  const isInherited = !deps.context.settings().server.fineGrainedRbacInheritanceDisabled;
  const [first = verb, ...others] = resourceActions(verb, at, isInherited);
  return findObject(ctx, deps, findApplication(deps, call, first, ...others), at);
}

/**
 * compat server §2.8: patches a live object with the identity that syncs the application. Ours: with `dryRun` the cluster answers what
 * it would be, and nothing changes.
 */
export async function patchResource(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall<string>,
): Promise<{ manifest: string }> {
  // the body is a text, and names nothing
  const found = await findForWrite(ctx, deps, { ...call, body: undefined }, 'update');
  const { live, destination } = found;
  const patch = patchIn(call.query.get('patchType') ?? '', call.body);
  if (shownObject(deps, live) !== live) requireBlindPatch(patch, call.body);
  const dryRun = call.query.get('dryRun') === 'true';
  const patched = await destination.writer().patch(ctx, refOf(live), patch, { fieldManager, dryRun });
  if (dryRun) return { manifest: printJson(shownObject(deps, patched)) };
  destination.cluster.cache.put(patched);
  await report(ctx, deps, { call, found, reason: 'ResourceUpdated', done: 'patched resource' });
  return { manifest: printJson(shownObject(deps, patched)) };
}

type Patch = Parameters<ReturnType<FoundObject['destination']['writer']>['patch']>[2];

/** Argo CD's clients send the media type of a patch; the short names are ours. */
const patchTypes: Readonly<Record<string, Patch['type']>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  json: 'json',
  merge: 'merge',
  strategic: 'strategic',
  '': 'merge',
};

function patchIn(type: string, text: string): Patch {
  const known = Object.hasOwn(patchTypes, type) ? patchTypes[type] : undefined;
  if (!known)
    throw invalid(`unknown patchType ${type}: use ${Object.keys(patchTypes).slice(0, 3).join(', ')}`);
  const body = parsedPatch(text);
  if (known === 'json') {
    if (!Array.isArray(body) || !body.every(isObject)) throw invalid('a JSON patch is a list of operations');
    return { type: known, body };
  }
  if (!isObject(body)) throw invalid(`a ${known} patch is an object`);
  return { type: known, body };
}

/** What a JSON patch of an object with hidden values may compare: it would answer guesses about them. */
const comparable: ReadonlySet<unknown> = new Set(['/metadata/resourceVersion', '/metadata/uid']);

/** Values that are not shown are neither moved to where they are, nor guessed, nor overwritten with their mask. */
function requireBlindPatch({ type, body }: Patch, text: string): void {
  const operations = type === 'json' ? (body as readonly { op?: unknown; path?: unknown }[]) : [];
  const reading = operations.find(
    ({ op, path }) => op === 'copy' || op === 'move' || (op === 'test' && !comparable.has(path)),
  );
  if (reading)
    throw new FairleadError(
      'PermissionDenied',
      `the object has hidden values, so a patch of it must not ${reading.op} ${String(reading.path)}: add, replace or remove fields`,
    );
  if (text.includes('++++++++'))
    throw invalid(
      'the patch has ++++++++, which stands for a hidden value: write the value, or leave it out',
    );
}

/** compat server §2.8: in the foreground; with `force` at once and in the background; with `orphan` without its dependents. */
export async function deleteResource(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall,
): Promise<Record<string, never>> {
  const found = await findForWrite(ctx, deps, call, 'delete');
  const { live, destination } = found;
  await destination.writer().delete(ctx, refOf(live), deletionOf(call.query, live));
  await report(ctx, deps, { call, found, reason: 'ResourceDeleted', done: 'deleted resource' });
  return {};
}

/** The object that was found and no other: one of the same name may have been created since. */
function deletionOf(query: URLSearchParams, { metadata }: KubeObject): DeleteOptions {
  const { uid } = metadata;
  const precise = uid ? { preconditions: { uid } } : {};
  if (query.get('orphan') === 'true') return { ...precise, propagationPolicy: 'Orphan' };
  if (query.get('force') === 'true')
    return { ...precise, propagationPolicy: 'Background', gracePeriodSeconds: 0 };
  return { ...precise, propagationPolicy: 'Foreground' };
}

type Report = {
  readonly call: MethodCall;
  readonly found: FoundObject;
  readonly reason: ApplicationEvent['reason'];
  readonly done: string;
};

async function report(ctx: Ctx, deps: MethodDeps, { call, found, reason, done }: Report): Promise<void> {
  const { app, live } = found;
  const [by, { group, kind, name }] = [call.user?.username || 'Unknown user', coordinatesIn(call.query)];
  const message = `${by} ${done} ${group}/${kind} '${name}'`;
  await deps.raise?.(ctx, app, { type: 'Normal', reason, message });
  const { namespace } = live.metadata;
  ctx.log.info(done, { app: app.metadata.name, kind, namespace, name, user: by });
}

/** compat server §2.8: the Events about the application, or about one object of its tree. */
export async function events(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<EventList> {
  const app = findApplication(deps, call, 'get');
  const mask = maskerOf(app);
  const [name, uid] = [call.query.get('resourceName') ?? '', call.query.get('resourceUID') ?? ''];
  if (!name && !uid) return mask(await eventsAbout(ctx, deps.kube, app.metadata));
  const namespace = call.query.get('resourceNamespace') ?? '';
  const { nodes, orphanedNodes = [] } = await grow(ctx, deps, app);
  const isIt = (node: { name: string; namespace?: string; uid?: string }): boolean =>
    (!name || node.name === name) && (!uid || node.uid === uid) && (node.namespace ?? '') === namespace;
  const node = [...nodes, ...orphanedNodes].find(isIt);
  if (!node) throw invalid(`${name || uid} not found as part of application ${app.metadata.name}`);
  const { kube } = deps.context.clusters.resolve(app.spec.destination);
  return mask(await eventsAbout(ctx, kube, node));
}
