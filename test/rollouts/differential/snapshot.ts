import type { KubeObject, ObjectMeta } from '#base/model';
import { isObject } from '#base/std';
import { type Environment, kinds, refOf } from './environment.ts';

/** Everything of a namespace that a controller of Rollouts decides, by `Kind/name`, without what differs from run to run. */
export type Snapshot = Readonly<Record<string, unknown>>;

const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Reads all objects of the namespace. */
export async function takeSnapshot(env: Environment, namespace: string): Promise<Snapshot> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const { items } = await env.kube.list(env.ctx, { ...refOf(kind), namespace });
      return items.map((item) => ({ ...item, kind }) as KubeObject);
    }),
  );
  const objects = lists.flat().filter(({ metadata }) => !metadata.deletionTimestamp);
  const pods = objects.filter(({ kind }) => kind === 'Pod').map((pod) => podOf(pod));
  const others = objects.filter(({ kind }) => kind !== 'Pod');
  const entries = others.map((one) => [`${one.kind}/${one.metadata.name}`, objectOf(one)] as const);
  const text = JSON.stringify({ ...Object.fromEntries(entries), Pods: pods.sort(byText) });
  const masked = text
    .replaceAll(env.web.url, '$WEB')
    .replaceAll(namespace, '$NS')
    .replaceAll(instant, '<time>')
    .replaceAll(uuid, '<uid>');
  return withoutEmpty(JSON.parse(masked)) as Snapshot;
}

/** Go writes `{}` where nothing is set and drops what is empty: to a reader both are absent. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).map(([name, inner]) => [name, withoutEmpty(inner)] as const);
  return Object.fromEntries(kept.filter(([, inner]) => !isEmpty(inner)));
}

const isEmpty = (value: unknown): boolean =>
  (isObject(value) && Object.keys(value).length === 0) || (Array.isArray(value) && value.length === 0);

/** Go drops most counts of zero and flags that are false: to a reader of a status they are absent too. The first step is step 0. */
function withoutZeros(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutZeros(item));
  if (!isObject(value)) return (value === 0 && name !== 'currentStepIndex') || value === false ? {} : value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutZeros(inner, key)]));
}

/** The events of the namespace's Rollouts, runs and experiments, each kind of them once. */
export async function eventsIn(env: Environment, namespace: string): Promise<Snapshot> {
  const { items } = await env.kube.list(env.ctx, { ...refOf('Event'), namespace });
  const found = new Set<string>();
  for (const item of items as unknown as {
    involvedObject: { kind: string; name: string };
    type: string;
    reason: string;
  }[]) {
    const { kind, name } = item.involvedObject;
    if (['Rollout', 'AnalysisRun', 'Experiment'].includes(kind))
      found.add(`${kind}/${name} ${item.type} ${item.reason}`);
  }
  return { events: Object.fromEntries([...found].sort().map((one) => [one, true])) };
}

const byText = (one: unknown, other: unknown): number =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;

function metadataOf({ labels, annotations, ownerReferences = [], finalizers = [] }: ObjectMeta): object {
  const owners = ownerReferences.map(({ kind, name, controller }) => ({ kind, name, controller }));
  return { labels, annotations, owners, ...(finalizers.length > 0 && { finalizers }) };
}

/** Names of pods are random: a pod is what it carries. */
const podOf = ({ metadata, spec, status }: KubeObject) => ({
  ...metadataOf(metadata),
  affinity: (spec as { affinity?: unknown }).affinity,
  phase: (status as { phase?: string } | undefined)?.phase,
});

function objectOf(object: KubeObject): object {
  const { apiVersion: _version, kind, metadata, spec, status, ...rest } = object;
  const parts = { metadata: metadataOf(metadata), ...rest };
  if (kind === 'Service') return { ...parts, selector: (spec as { selector?: unknown }).selector };
  return { ...parts, spec, ...(isObject(status) && { status: withoutZeros(statusOf(metadata, status)) }) };
}

/** Conditions by type, and whether the controller has seen the newest version instead of its number. */
function statusOf({ generation }: ObjectMeta, status: Record<string, unknown>): object {
  const { conditions, observedGeneration, ...rest } = status;
  const isCurrent = String(observedGeneration) === String(generation);
  return {
    ...rest,
    ...(observedGeneration !== undefined && { isCurrent }),
    ...(Array.isArray(conditions) && { conditions: byType(conditions) }),
  };
}

/** A pause that is over, or was too short to be noted, is no pause. */
const byType = (conditions: readonly Record<string, unknown>[]): object =>
  Object.fromEntries(
    conditions
      .filter(({ type, status }) => type !== 'Paused' || status !== 'False')
      .map(({ type, status, reason, message }) => [type, { status, reason, message }]),
  );
