import { type Application, finalizer, isApplication, type KubeObject, parseTime } from '#base/model';
import { isObject } from '#base/std';

/** An object whose deletion is blocked. */
type Held = { readonly name: string; readonly since: string; readonly by: string };

/**
 * Finalizers take a while when they remove something outside the cluster; the controller reports nothing
 * earlier.
 */
const timeoutMs = 60_000;

const maxListed = 3;

/** Finalizers that the garbage collector sets and removes itself while it waits for dependents. */
const cascading = new Set(['foregroundDeletion', 'orphan']);

/**
 * Our own finalizers: a child with one is still being deleted by its controller; only its own conditions are
 * reported.
 */
const ours: ReadonlySet<string> = new Set(Object.values(finalizer));

/** The conditions of a Namespace that, when True, name what blocks its deletion. */
const namespaceTroubles = new Set([
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceContentRemaining',
  'NamespaceFinalizersRemaining',
]);

/** What blocks the deletion of an object, as far as the object reports it; undefined: no known blocker. */
export function holderOf(object: KubeObject): string | undefined {
  const { finalizers = [], deletionTimestamp } = object.metadata;
  if (!deletionTimestamp) return undefined;
  const foreign = finalizers.filter(
    (name) => !cascading.has(name) && !(isApplication(object) && ours.has(name)),
  );
  const parts = [
    ...(foreign.length > 0 ? [foreign.join(', ')] : []),
    ...(isNamespace(object) ? remaining(object) : []),
    ...(isApplication(object) ? troubles(object as Application) : []),
  ];
  if (parts.length > 0) return parts.join(' and ');
  return finalizers.includes('foregroundDeletion') ? 'what it owns, which is not gone yet' : undefined;
}

/**
 * What the user can do about a deletion that has been blocked for long; undefined while it may still finish
 * by itself.
 */
export function remedyFor(objects: readonly KubeObject[], now: Date): string | undefined {
  if (!objects.some((object) => isLate(object, now))) return undefined;
  return 'a finalizer is removed by the controller that set it: see that it runs, or remove the finalizer by hand where there is none any more';
}

/**
 * dev engine A-32: which of these objects have had a deletion timestamp for a minute and are blocked, by
 * which finalizer and since when; undefined: none. The text stays the same as long as the same objects are
 * blocked.
 */
export function heldUp(objects: readonly KubeObject[], now: Date): string | undefined {
  const late = objects.filter((object) => isLate(object, now));
  const held = late.flatMap(heldOf).sort((a, b) => order(a.since, b.since) || order(a.name, b.name));
  if (held.length === 0) return undefined;
  const reported = held.slice(0, maxListed).map(({ name, since, by }) => `${name} since ${since} by ${by}`);
  const more = held.length > maxListed ? `; and ${held.length - maxListed} more` : '';
  return `deletion is held up: ${reported.join('; ')}${more}; ${remedyFor(late, now)}`;
}

function heldOf(object: KubeObject): Held[] {
  const { kind, metadata } = object;
  const by = holderOf(object);
  if (!by || !metadata.deletionTimestamp) return [];
  const name = metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;
  return [{ name: `${kind} ${name}`, since: metadata.deletionTimestamp, by }];
}

function isLate({ metadata }: KubeObject, now: Date): boolean {
  const since = parseTime(metadata.deletionTimestamp);
  return since !== undefined && now.getTime() - since >= timeoutMs;
}

const isNamespace = ({ apiVersion, kind }: KubeObject): boolean =>
  apiVersion === 'v1' && kind === 'Namespace';

const troubles = ({ status }: Application): string[] =>
  (status?.conditions ?? []).flatMap(({ type, message }) => (type === 'DeletionError' ? [message] : []));

function remaining({ status }: KubeObject): string[] {
  const conditions = isObject(status) && Array.isArray(status.conditions) ? status.conditions : [];
  return conditions.flatMap((one) => {
    if (!isObject(one) || one.status !== 'True' || !namespaceTroubles.has(String(one.type))) return [];
    return typeof one.message === 'string' && one.message ? [one.message] : [String(one.type)];
  });
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
