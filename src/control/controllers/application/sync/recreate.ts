import { groupOf, isKind, type KubeObject } from '#base/model';
import { type Ctx, equal, FairleadError } from '#base/std';
import { isDefinition } from '#engine';
import { hasReason, type KubeClient, type WriteOptions } from '#kubernetes/client';
import { deleteObserved } from '../deletion/delete-object.ts';

type Kube = Pick<KubeClient, 'create' | 'delete'>;

/** An object to be deleted and made anew, and how. */
type Renewal = {
  readonly target: KubeObject;
  readonly live: KubeObject;
  readonly options: WriteOptions;
  /** What becomes of what it owns. */
  readonly propagationPolicy: 'Foreground' | 'Background';
};

type Renewed =
  | { readonly object: KubeObject; readonly verb: string }
  /** As the cluster has it while somebody holds it. */
  | { readonly left: KubeObject };

/**
 * compat S-30: what cannot be changed is deleted and made again. Never waits: what is not gone at once is handed back, for a
 * later pass to make anew. What the cluster would refuse to make is not deleted in the first place.
 */
export async function deleteAndRecreate(ctx: Ctx, kube: Kube, renewal: Renewal): Promise<Renewed> {
  const { live, options, propagationPolicy } = renewal;
  const target = unborn(renewal.target);
  await kube.create(ctx, target, { ...options, dryRun: true }).catch(unlessInItsOwnWay);
  const left = await deleteObserved(ctx, kube, live, propagationPolicy);
  if (left) return { left };
  return { object: await kube.create(ctx, target, options), verb: 'replaced' };
}

/** Without what only an object in the cluster has. */
function unborn(target: KubeObject): KubeObject {
  const { resourceVersion: _version, uid: _uid, ...metadata } = target.metadata;
  return { ...target, metadata };
}

/** It is there still, and may stand in its own way: that does not say that it could not be made. */
function unlessInItsOwnWay(error: unknown): void {
  const isRefused = hasReason(error, 'Invalid') || hasReason(error, 'Forbidden');
  const { message } = FairleadError.from(error);
  if (isRefused && !ownWay.some((words) => message.includes(words))) throw error;
}

/** What a quota, the allocators of a Service, and somebody's rule about what may be there twice say. */
const ownWay = ['exceeded quota', 'already allocated', 'admission webhook'];

/** compat S-29: whatever is in it would go with it, so it is never made anew. */
export const containsOtherObjects = (object: KubeObject): boolean =>
  isKind(object, '', 'Namespace') || isDefinition(object);

const rbac = 'rbac.authorization.k8s.io';
const bindings: ReadonlySet<string> = new Set(['RoleBinding', 'ClusterRoleBinding']);

/** compat S-30: a binding is bound to its role for life. */
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
 * compat S-30: of a role or a binding Git knows all rules and all subjects, also where it knows of none. The rules of an
 * aggregated role are written by the cluster.
 */
export function withAllGrants(target: KubeObject, live: KubeObject): KubeObject {
  if (groupOf(target) !== rbac) return target;
  const grants = bindings.has(target.kind) ? 'subjects' : 'rules';
  const [wanted, held] = [target, live].map((side) => side as KubeObject & Record<string, unknown>);
  const isAggregated = wanted?.aggregationRule !== undefined;
  if (isAggregated || (wanted?.[grants] ?? undefined) !== undefined || !held?.[grants]) return target;
  return { ...target, [grants]: [] };
}
