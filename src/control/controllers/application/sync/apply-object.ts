import { annotation, type Condition, gvkOf, isConditionTrue, type KubeObject } from '#base/model';
import { type Ctx, FairleadError, printJson } from '#base/std';
import {
  fieldManager,
  gatedService,
  isDefinition,
  isLeaving,
  keepNamedRevision,
  keepRolloutFields,
  lastAppliedOf,
  migratedFields,
  type SyncTask,
} from '#engine';
import { hasReason, type KubeClient, refOf } from '#kubernetes/client';
import { createThreeWayMergePatch, createThreeWayStrategicPatch } from '#kubernetes/patch';
import { type FieldProblem, findType, type JsonObject, validateStrict } from '#kubernetes/schema';
import { bindsAnotherRole, containsOtherObjects, deleteAndRecreate, withAllGrants } from './recreate.ts';

export type ObjectToApply = {
  readonly target: KubeObject;
  readonly live?: KubeObject;
  readonly mode: SyncTask['mode'];
  /** Field managers whose fields we take over first (engine S-50). */
  readonly migrateFrom?: readonly string[];
  /** This sync deleted it already: the object that has its name now is not deleted again. */
  readonly isRemade?: boolean;
};
export type WrittenObject = {
  /** As the cluster has it now. */
  readonly object: KubeObject;
  /** `created`, `configured`, `unchanged`, … in kubectl's words. */
  readonly verb: string;
};
export type AppliedObject =
  | WrittenObject
  /** It is being deleted: apply it again once it is gone. */
  | { readonly left: KubeObject };

type Kube = Pick<KubeClient, 'find' | 'create' | 'update' | 'patch' | 'apply' | 'delete'>;

/**
 * compat engine S-24: validates on the client, so that it does not fail for what this very sync creates or deletes first (its
 * namespace, an earlier hook). Throws InvalidSpec for unknown fields.
 */
export function validateFields({ target, mode }: Omit<ObjectToApply, 'live'>): void {
  const type = mode.validate ? findType(gvkOf(target)) : undefined;
  const [problem] = type ? validateStrict(fields(target), type) : [];
  if (problem)
    throw new FairleadError('InvalidSpec', `${target.kind} ${target.metadata.name}: ${wordsFor(problem)}`);
  if (mode.force && mode.verb === 'server-side-apply') throw bothForced();
}

function wordsFor(problem: FieldProblem): string {
  if (problem.kind === 'unknown') return `strict decoding error: unknown field "${problem.path}"`;
  return `${problem.path} must be ${problem.expected}, not ${problem.found}`;
}

const bothForced = () =>
  new FairleadError(
    'InvalidSpec',
    'Force=true and ServerSideApply=true exclude each other: remove one of them',
  );

/** compat engine S-28 … S-32: writes one object as its options say. Safe to repeat; never waits for a finalizer. */
export async function applyObject(ctx: Ctx, kube: Kube, applying: ObjectToApply): Promise<AppliedObject> {
  const applied = await write(ctx, kube, applying);
  if (isDefinition(applying.target)) await established(ctx, kube, applying.target);
  if (!applying.live && gatedService(applying.target) !== undefined) await pinned(ctx, kube, applying.target);
  return applied;
}

/**
 * compat engine S-34: waits until the definition is established, because its instances may follow at once. Gives up after a
 * while.
 */
async function established(ctx: Ctx, kube: Kube, definition: KubeObject): Promise<void> {
  for (let waited = 0; waited < 3_000; waited += 100) {
    const found = (await kube.find(ctx, refOf(definition))) as KubeObject<
      unknown,
      { conditions?: Condition[] }
    >;
    if (isConditionTrue(found?.status?.conditions, 'Established')) return;
    await ctx.clock.sleep(100, ctx.signal);
  }
  ctx.log.warn('CustomResourceDefinition is not established yet', { name: definition.metadata.name });
}

type Gate = KubeObject<unknown, { stableRS?: string; phase?: string }>;

/**
 * compat rollouts RK-12: waits until a new Rollout has pinned the traffic of its Knative Service, because a new template may
 * follow at once. Not where there is nothing to pin yet; gives up after a while.
 */
async function pinned(ctx: Ctx, kube: Kube, rollout: KubeObject): Promise<void> {
  const { namespace, name } = rollout.metadata;
  const service = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', namespace };
  const gated = await kube.find(ctx, { ...service, name: gatedService(rollout) ?? '' }).catch((error) => {
    if (hasReason(error, 'NoMatch')) return undefined;
    throw error;
  });
  if (!gated) return;
  for (let waited = 0; waited < 10_000; waited += 100) {
    const { status } = ((await kube.find(ctx, refOf(rollout))) ?? {}) as Partial<Gate>;
    if (status?.stableRS || status?.phase === 'Degraded') return;
    await ctx.clock.sleep(100, ctx.signal);
  }
  ctx.log.warn('Rollout has not pinned the traffic of its Knative Service yet', { namespace, name });
}

function write(ctx: Ctx, kube: Kube, applying: ObjectToApply): Promise<AppliedObject> {
  switch (applying.mode.verb) {
    case 'server-side-apply':
      return serverSide(ctx, kube, applying);
    case 'replace':
      return replace(ctx, kube, applying);
    default:
      return clientSide(ctx, kube, applying);
  }
}

const writeOptions = ({ mode }: ObjectToApply) => ({
  fieldManager,
  fieldValidation: mode.validate ? ('Strict' as const) : ('Ignore' as const),
});

/** compat engine S-31 */
async function serverSide(ctx: Ctx, kube: Kube, applying: ObjectToApply): Promise<AppliedObject> {
  if (applying.mode.force) throw bothForced();
  if (applying.migrateFrom) await takeOver(ctx, kube, applying.target, applying.migrateFrom);
  const options = { ...writeOptions(applying), fieldManager, force: true };
  const { target, live } = applying;
  const wanted = live ? keepNamedRevision(target, live) : target;
  return { object: await kube.apply(ctx, wanted, options), verb: 'serverside-applied' };
}

/**
 * compat engine S-50: takes over the fields of client-side apply, so that a field removed from Git is removed from the
 * object.
 */
async function takeOver(ctx: Ctx, kube: Kube, target: KubeObject, from: readonly string[]): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const live = await kube.find(ctx, refOf(target));
    const { managedFields = [], resourceVersion = '' } = live?.metadata ?? {};
    const next = migratedFields(managedFields, from);
    if (!live || next === managedFields) return;
    const body = [
      { op: 'replace', path: '/metadata/managedFields', value: next },
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    ];
    try {
      await kube.patch(ctx, refOf(target), { type: 'json', body }, { fieldManager });
      return;
    } catch (error) {
      if (!hasReason(error, 'Conflict') || attempt === maxConflicts) throw error;
    }
  }
}

const maxConflicts = 5;

/** compat engine S-29: never deletes definitions and namespaces for it. Overwrites concurrent writes. */
async function replace(ctx: Ctx, kube: Kube, applying: ObjectToApply): Promise<AppliedObject> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await replaceNow(ctx, kube, applying);
    } catch (error) {
      if (!hasReason(error, 'Conflict') || attempt === maxConflicts) throw error;
    }
  }
}

async function replaceNow(ctx: Ctx, kube: Kube, applying: ObjectToApply): Promise<AppliedObject> {
  const { target, mode } = applying;
  const live = await kube.find(ctx, refOf(target));
  if (!live) return { object: await kube.create(ctx, target, writeOptions(applying)), verb: 'created' };
  if (mode.force && !containsOtherObjects(target)) {
    if (isLeaving(live)) return { left: live };
    if (!applying.isRemade) return recreate(ctx, kube, { ...applying, live });
  }
  const kept = keepRolloutFields(target, live);
  const metadata = { ...kept.metadata, resourceVersion: live.metadata.resourceVersion ?? '' };
  const object = await kube.update(ctx, { ...kept, metadata }, writeOptions(applying));
  return { object, verb: 'replaced' };
}

/** compat engine S-30: kubectl's three-way patch, with the last-applied configuration in an annotation on the object. */
async function clientSide(ctx: Ctx, kube: Kube, applying: ObjectToApply): Promise<AppliedObject> {
  const { target, mode } = applying;
  const wanted = withLastApplied(target);
  const made = applying.live ? undefined : await createAtOnce(ctx, kube, wanted, applying);
  if (made) return made;
  const live = await kube.find(ctx, refOf(target));
  if (!live) return { object: await kube.create(ctx, wanted, writeOptions(applying)), verb: 'created' };
  const change = { ...applying, live, target: wanted };
  const isRebound = bindsAnotherRole(target, live);
  if (isLeaving(live) && (mode.force || isRebound)) return { left: live };
  return isRebound && !applying.isRemade ? recreate(ctx, kube, change) : patch(ctx, kube, change);
}

type Change = ObjectToApply & { readonly live: KubeObject };

async function patch(ctx: Ctx, kube: Kube, change: Change): Promise<AppliedObject> {
  const { target, live, mode, isRemade = false } = change;
  const next = patchFor(withAllGrants(target, live), live);
  if (Object.keys(next.body).length === 0) return { object: live, verb: 'unchanged' };
  try {
    return { object: await kube.patch(ctx, refOf(target), next, writeOptions(change)), verb: 'configured' };
  } catch (error) {
    // another client deleted it a moment ago: create it again instead of failing the attempt and its hooks
    if (hasReason(error, 'NotFound'))
      return { object: await kube.create(ctx, target, writeOptions(change)), verb: 'created' };
    const isRefused = hasReason(error, 'Conflict') || hasReason(error, 'Invalid');
    if (!mode.force || isRemade || !isRefused) throw error;
    return recreate(ctx, kube, change);
  }
}

/** Creates an object that is not in the cache without reading it first; undefined: it exists already. */
async function createAtOnce(
  ctx: Ctx,
  kube: Kube,
  wanted: KubeObject,
  applying: ObjectToApply,
): Promise<AppliedObject | undefined> {
  try {
    return { object: await kube.create(ctx, wanted, writeOptions(applying)), verb: 'created' };
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
    return undefined;
  }
}

function patchFor(wanted: KubeObject, live: KubeObject) {
  const applied = lastAppliedOf(live) as JsonObject | undefined;
  const modified = fields(keepNamedRevision(wanted, live, applied as KubeObject | undefined));
  const sides = { original: applied ?? {}, modified, current: fields(live) };
  const type = findType(gvkOf(wanted));
  return type
    ? { type: 'strategic' as const, body: createThreeWayStrategicPatch(sides, type) }
    : { type: 'merge' as const, body: createThreeWayMergePatch(sides) };
}

const fields = (object: KubeObject): JsonObject => object as unknown as JsonObject;

/** The annotation holds the target object without the annotation itself. */
function withLastApplied(target: KubeObject): KubeObject {
  const { [annotation.lastApplied]: _before, ...annotations } = target.metadata.annotations ?? {};
  const declared = { ...target, metadata: { ...target.metadata, annotations } };
  return {
    ...target,
    metadata: {
      ...target.metadata,
      annotations: { ...annotations, [annotation.lastApplied]: `${printJson(declared)}\n` },
    },
  };
}

/**
 * Recreates with foreground propagation, so that dependents of the old object are deleted before the new one; a binding has
 * none.
 */
function recreate(ctx: Ctx, kube: Kube, change: Change): Promise<AppliedObject> {
  const { target, live, mode } = change;
  const propagationPolicy = mode.force ? 'Foreground' : 'Background';
  return deleteAndRecreate(ctx, kube, { target, live, options: writeOptions(change), propagationPolicy });
}
