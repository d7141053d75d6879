import {
  type Application,
  annotation,
  effectiveSources,
  finalizer,
  hasMultipleSources,
  isAutomated,
  type Operation,
  printTime,
  type ResourceStatus,
} from '#base/model';
import { type Ctx, equal, FairleadError } from '#base/std';
import { resolveDestination } from '#control/comparison';
import {
  denyLocalManifests,
  gateRequest,
  givenInfo,
  overrideInfo,
  requestTermination,
  rollbackOperation,
  syncProblem,
} from '#engine';
import { hasReason } from '#kubernetes/client';
import type { SyncRequest } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { raiseFor } from '../raise-for.ts';
import { applicationRef, findApplication, onApplication, withHealth } from './find.ts';
import { positionOf } from './manifests.ts';
import { mostAttempts } from './update.ts';
import { invalid } from './validate.ts';

/** The application; with `refresh` only once the controller has refreshed it. */
export async function get(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<Application> {
  const app = findApplication(deps, call, 'get');
  const refresh = call.query.get('refresh');
  if (!refresh) return withHealth(ctx, deps, app);
  const changes = deps.apps.changes(ctx);
  const annotations = { [annotation.refresh]: refresh === 'hard' ? 'hard' : 'normal' };
  const requested = await patch(ctx, deps, app, { metadata: { annotations } });
  for await (const { after } of changes) {
    const isIt = after?.metadata.uid === requested.metadata.uid;
    if (isIt && after?.metadata.annotations?.[annotation.refresh] === undefined) {
      return withHealth(ctx, deps, after as Application);
    }
  }
  throw new FairleadError('Unavailable', 'stopped while waiting for the refresh');
}

/** compat server §2.8: the finalizer says how the resources are deleted. */
const finalizerOf: Readonly<Record<string, string>> = {
  foreground: finalizer.resourcesForeground,
  background: finalizer.resourcesBackground,
};

/** compat engine A-29: cascades unless disabled. */
export async function remove(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<Record<string, never>> {
  const app = findApplication(deps, call, 'get');
  call.permissions.require(onApplication(deps, app, 'delete'));
  const cascade = call.query.get('cascade') !== 'false';
  const policy = call.query.get('propagationPolicy') ?? '';
  if (!['', 'foreground', 'background'].includes(policy)) {
    throw invalid(`unknown propagation policy ${policy}: use foreground or background`);
  }
  if (!cascade && policy) throw invalid('a propagation policy makes no sense without cascade');
  await writeCascade(ctx, deps, app, cascade ? (finalizerOf[policy] ?? finalizer.resources) : undefined);
  await deps.kube.delete(ctx, applicationRef(app));
  await raiseFor(ctx, deps, call.user, {
    about: app,
    reason: 'ResourceDeleted',
    done: 'deleted application',
  });
  return {};
}

/** Only over the version that was read: the controller adds the finalizers of deletion hooks to the same list. */
async function writeCascade(
  ctx: Ctx,
  deps: MethodDeps,
  first: Application,
  wanted: string | undefined,
): Promise<void> {
  for (let app = first, attempt = 1; ; attempt++) {
    const { finalizers: before = [], deletionTimestamp, resourceVersion } = app.metadata;
    const others = before.filter((name) => !name.startsWith(finalizer.resources));
    const finalizers = wanted ? [...others, wanted] : others;
    if (deletionTimestamp || equal(finalizers, before)) return;
    try {
      await patch(ctx, deps, app, { metadata: { finalizers, resourceVersion } });
      return;
    } catch (error) {
      if (!hasReason(error, 'Conflict') || attempt === mostAttempts) throw error;
      app = (await deps.kube.get(ctx, applicationRef(app))) as Application;
    }
  }
}

/** Requests a sync from the controller; responds before it has begun. */
export async function sync(ctx: Ctx, deps: MethodDeps, call: MethodCall<SyncRequest>): Promise<Application> {
  const app = findApplication(deps, call, 'get');
  const { body, permissions } = call;
  const override = requireOpenWindow(ctx, deps, app, call);
  permissions.require(onApplication(deps, app, 'sync'));
  if (needsOverride(deps, app, body)) permissions.require(onApplication(deps, app, 'override'));
  const problem = problemOf(deps, app, body);
  if (problem) throw new FairleadError('PolicyFailed', problem);
  for (const wanted of body.resources ?? []) requireResource(app, wanted);
  const operation: Operation = {
    sync: {
      ...(body.revision && { revision: body.revision }),
      ...revisionsOf(app, body),
      ...(body.prune && { prune: true }),
      ...(body.dryRun && { dryRun: true }),
      ...strategyOf(body),
      ...(body.resources?.length && { resources: body.resources.map(defined) }),
      ...(body.manifests?.length && { manifests: body.manifests }),
      ...optionsOf(app, body),
    },
    initiatedBy: { username: call.user?.username ?? '' },
    ...infoOf(body, override),
    ...retryOf(app, body),
  };
  return start(ctx, deps, app, operation);
}

/** compat server §2.8: for manifests of the caller's own and, where the setting says so, for another revision than the target. */
function needsOverride({ context }: MethodDeps, app: Application, body: SyncRequest): boolean {
  if (body.manifests?.length) return true;
  if (!context.settings().server.revisionSyncNeedsOverride) return false;
  const targets = effectiveSources(app.spec).map(({ targetRevision }) => targetRevision || 'HEAD');
  const { revisions = [] } = revisionsOf(app, body);
  if (revisions.some((revision, i) => revision !== targets[i])) return true;
  return Boolean(body.revision) && !targets.includes(body.revision ?? '');
}

/** compat server §2.8: a revision for every source; the sources that the request does not name keep theirs. */
function revisionsOf(
  { spec }: Application,
  { revisions, sourcePositions }: SyncRequest,
): { revisions?: string[] } {
  if (!revisions?.length) return {};
  const sources = effectiveSources(spec);
  const wanted = new Map(
    (sourcePositions ?? []).map((at, i) => [positionOf(String(at), sources), revisions[i]]),
  );
  if (wanted.size !== revisions.length || !hasMultipleSources(spec))
    throw invalid(
      'revisions and sourcePositions are for an application with several sources, one of each for a source',
    );
  return {
    revisions: sources.map(({ targetRevision }, i) => wanted.get(i + 1) ?? (targetRevision || 'HEAD')),
  };
}

/** compat engine R-46: why the request is refused, for any user; undefined: it is allowed. */
function problemOf({ context }: MethodDeps, app: Application, body: SyncRequest): string | undefined {
  const manifests = body.manifests ?? [];
  const placed = resolveDestination(context, app);
  const problem = syncProblem(
    app,
    {
      ...(body.revision && { revision: body.revision }),
      ...revisionsOf(app, body),
      ...(body.dryRun && { dryRun: true }),
      ...(manifests.length > 0 && { manifests }),
      ...optionsOf(app, body),
    },
    {
      mayOverride: true, // checked before
      hasSourceIntegrity:
        'destination' in placed &&
        denyLocalManifests(placed.destination.project, effectiveSources(app.spec)) !== undefined,
      replaceAllowed: context.settings().server.replaceAllowed,
    },
  );
  const bytes = manifests.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (problem || bytes <= mostLocalBytes) return problem;
  return `local manifests of ${bytes} bytes are too large: an operation holds at most ${mostLocalBytes}; commit them and sync the commit`;
}

/** They are part of the Application, and a cluster stores no object of more than some 1.5 MB. */
const mostLocalBytes = 1024 * 1024;

/** compat engine P-41, P-44: checked first. Returns until when an override lifts the windows (engine X-22). */
function requireOpenWindow(
  ctx: Ctx,
  deps: MethodDeps,
  app: Application,
  { user, permissions, body }: MethodCall<SyncRequest>,
): Date | undefined {
  const placed = resolveDestination(deps.context, app);
  if ('conditions' in placed) return undefined; // the operation itself reports the error
  const mayOverride = permissions.may(onApplication(deps, app, 'override'));
  const gate = gateRequest(placed.destination.project, app, { now: ctx.clock.now(), mayOverride });
  if (!gate.allowed) {
    // compat engine X-23: force deletes and creates again, and has no effect on windows
    const isForced = body.strategy?.apply?.force || body.strategy?.hook?.force;
    const hint = isForced ? '; --force does not open it' : '';
    throw new FairleadError('PermissionDenied', `cannot sync: blocked by sync window: ${gate.why}${hint}`);
  }
  if (gate.overrides) {
    const until = gate.overrides.toISOString();
    ctx.log.warn('sync windows overridden', { app: app.metadata.name, user: user?.username ?? '', until });
  }
  return gate.overrides;
}

function infoOf({ infos }: SyncRequest, override: Date | undefined): Pick<Operation, 'info'> {
  const info = [...givenInfo(infos ?? []), ...(override ? [overrideInfo(override)] : [])];
  return info.length > 0 ? { info } : {};
}

type Wanted = NonNullable<SyncRequest['resources']>[number];

/** An empty selection would succeed without doing anything. */
function requireResource({ status, metadata }: Application, wanted: Wanted): void {
  const isIt = (one: ResourceStatus) =>
    (one.group ?? '') === (wanted.group ?? '') &&
    one.kind === wanted.kind &&
    one.name === wanted.name &&
    (!wanted.namespace || one.namespace === wanted.namespace);
  if (status?.resources?.some(isIt)) return;
  const name = [wanted.group ?? '', wanted.kind, wanted.name].join(':');
  throw invalid(`application ${metadata.name} has no resource ${name}: see app get`);
}

function strategyOf({ strategy }: SyncRequest) {
  if (strategy?.apply) return { syncStrategy: { apply: { force: strategy.apply.force === true } } };
  return { syncStrategy: { hook: { force: strategy?.hook?.force === true } } };
}

/** compat server §2.8: a list in the request replaces the application's as a whole. */
function optionsOf({ spec }: Application, { syncOptions }: SyncRequest) {
  const options = syncOptions ? (syncOptions.items ?? []) : spec.syncPolicy?.syncOptions;
  return options ? { syncOptions: options } : {};
}

function retryOf({ spec }: Application, { retryStrategy }: SyncRequest): Pick<Operation, 'retry'> {
  const retry = retryStrategy ?? spec.syncPolicy?.retry;
  return retry ? { retry: defined(retry) as NonNullable<Operation['retry']> } : {};
}

function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return JSON.parse(JSON.stringify(value));
}

/** compat engine R-45: syncs to a history entry, without hooks; refused while automated sync would undo it. */
export async function rollback(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall<{ id: number; dryRun?: boolean | undefined; prune?: boolean | undefined }>,
): Promise<Application> {
  // compat server §5.2: an action of its own only where the setting says so
  const { rollbackEnforced } = deps.context.settings().server;
  const app = findApplication(deps, call, rollbackEnforced ? 'rollback' : 'sync');
  const { id, dryRun, prune } = call.body;
  const operation = rollbackOperation(app, { id, dryRun, prune, username: call.user?.username ?? '' });
  if ('problem' in operation) {
    const isRefused = isAutomated(app.spec) || app.metadata.deletionTimestamp !== undefined;
    throw isRefused ? new FairleadError('PolicyFailed', operation.problem) : invalid(operation.problem);
  }
  return start(ctx, deps, app, operation);
}

/** compat engine A-21: one operation at a time; setting one deletes the state of the last. */
async function start(
  ctx: Ctx,
  deps: MethodDeps,
  app: Application,
  operation: Operation,
): Promise<Application> {
  const fresh = (await deps.kube.get(ctx, applicationRef(app))) as Application;
  if (fresh.operation)
    throw new FairleadError(
      'PolicyFailed',
      'another operation is already in progress: wait for it or terminate it',
    );
  const { resourceVersion } = fresh.metadata;
  const state = fresh.status?.operationState ? { status: { operationState: null } } : {};
  try {
    return await patch(ctx, deps, fresh, { metadata: { resourceVersion }, operation, ...state });
  } catch (error) {
    if (hasReason(error, 'Conflict')) return start(ctx, deps, app, operation);
    throw error;
  }
}

/** compat engine R-41 */
export async function terminate(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall,
): Promise<Record<string, never>> {
  const app = findApplication(deps, call, 'sync');
  for (let attempt = 1; ; attempt++) {
    const fresh = (await deps.kube.get(ctx, applicationRef(app))) as Application;
    const state = requestTermination(fresh);
    if (!state) throw invalid('unable to terminate operation: no operation is in progress');
    const { resourceVersion } = fresh.metadata;
    const message = `termination requested at ${printTime(ctx.clock.now())}`;
    const status = { operationState: { phase: state.phase, message } };
    try {
      await patch(ctx, deps, fresh, { metadata: { resourceVersion }, status });
      return {};
    } catch (error) {
      // the controller records its progress at the same time
      if (!hasReason(error, 'Conflict') || attempt === mostAttempts) throw error;
    }
  }
}

async function patch(
  ctx: Ctx,
  { kube, apps }: MethodDeps,
  app: Application,
  body: object,
): Promise<Application> {
  const written = (await kube.patch(ctx, applicationRef(app), { type: 'merge', body })) as Application;
  apps.put(written);
  return written;
}
