import { groupOf, isKind, type KubeObject } from '#base/model';
import { type Ctx, equal, FairleadError } from '#base/std';
import { isDefinition } from '#engine';
import { hasReason, type KubeClient, type WriteOptions } from '#kubernetes/client';
import { deleteObserved } from '../deletion/delete-object.ts';

type Kube = Pick<KubeClient, 'create' | 'delete'>;

/** An object to be deleted and recreated, and how. */
type Recreation = {
  readonly target: KubeObject;
  readonly live: KubeObject;
  readonly options: WriteOptions;
  /** How its dependents are deleted. */
  readonly propagationPolicy: 'Foreground' | 'Background';
};

type Renewed =
  | { readonly object: KubeObject; readonly verb: string }
  /** As the cluster has it while finalizers block its deletion. */
  | { readonly left: KubeObject };

/**
 * compat engine S-30: an object with a changed immutable field is deleted and recreated. Never waits: if it is not deleted at
 * once, it is returned, for a later pass to recreate. An object that the cluster would refuse to create is not deleted in the
 * first place.
 */
export async function deleteAndRecreate(ctx: Ctx, kube: Kube, recreation: Recreation): Promise<Renewed> {
  const { live, options, propagationPolicy } = recreation;
  const target = withoutServerFields(recreation.target);
  await kube.create(ctx, target, { ...options, dryRun: true }).catch(ignoreRefusalByExisting);
  const left = await deleteObserved(ctx, kube, live, propagationPolicy);
  if (left) return { left };
  return { object: await kube.create(ctx, target, options), verb: 'replaced' };
}

/** Without the fields that only an object in the cluster has. */
function withoutServerFields(target: KubeObject): KubeObject {
  const { resourceVersion: _version, uid: _uid, ...metadata } = target.metadata;
  return { ...target, metadata };
}

/**
 * Ignores a refusal that the existing object itself may cause: it does not mean that the object could not be created after
 * the deletion.
 */
function ignoreRefusalByExisting(error: unknown): void {
  const isRefused = hasReason(error, 'Invalid') || hasReason(error, 'Forbidden');
  const { message } = FairleadError.from(error);
  if (isRefused && !causedByExisting.some((words) => message.includes(words))) throw error;
}

/** Refusals by a quota, by the allocators of a Service, and by admission webhooks that forbid duplicates. */
const causedByExisting = ['exceeded quota', 'already allocated', 'admission webhook'];

/** compat engine S-29: deleting it would delete its contents, so it is never recreated. */
export const containsOtherObjects = (object: KubeObject): boolean =>
  isKind(object, '', 'Namespace') || isDefinition(object);

const rbac = 'rbac.authorization.k8s.io';
const bindings: ReadonlySet<string> = new Set(['RoleBinding', 'ClusterRoleBinding']);

/** compat engine S-30: a binding's role is immutable. */
export function bindsAnotherRole(target: KubeObject, live: KubeObject): boolean {
  if (!bindings.has(target.kind) || target.apiVersion !== `${rbac}/v1`) return false;
  return !equal(roleOf(target), roleOf(live));
}

type RoleRef = { readonly apiGroup?: string; readonly kind?: string; readonly name?: string };

function roleOf(binding: KubeObject): RoleRef {
  const { apiGroup, kind, name } = (binding as KubeObject & { roleRef?: RoleRef }).roleRef ?? {};
  return { apiGroup: apiGroup || rbac, kind: kind ?? '', name: name ?? '' };
}

/**
 * compat engine S-30: Git owns all rules of a role and all subjects of a binding, also if it lists none. The cluster writes
 * the rules of an aggregated role.
 */
export function withAllGrants(target: KubeObject, live: KubeObject): KubeObject {
  if (groupOf(target) !== rbac) return target;
  const grants = bindings.has(target.kind) ? 'subjects' : 'rules';
  const [wanted, held] = [target, live].map((side) => side as KubeObject & Record<string, unknown>);
  const isAggregated = wanted?.aggregationRule !== undefined;
  if (isAggregated || (wanted?.[grants] ?? undefined) !== undefined || !held?.[grants]) return target;
  return { ...target, [grants]: [] };
}
