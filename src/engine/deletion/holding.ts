import { type Application, finalizer, isApplication, type KubeObject, parseTime } from '#base/model';
import { isObject } from '#base/std';

/** An object that is being deleted and does not go. */
type Held = { readonly name: string; readonly since: string; readonly by: string };

/** Finalizers take a while where something outside the cluster is taken down; nobody is told before this. */
const patienceMs = 60_000;

const maxListed = 3;

/** What the garbage collector sets and takes off itself: it waits for what the object owns. */
const cascading = new Set(['foregroundDeletion', 'orphan']);

/** A child that is being deleted has work to do; only what it complains about itself is told of it. */
const ours: ReadonlySet<string> = new Set(Object.values(finalizer));

/** A Namespace says in its conditions what is in the way of its end; those that are True are it. */
const namespaceTroubles = new Set([
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceContentRemaining',
  'NamespaceFinalizersRemaining',
]);

/** What keeps an object that is being deleted in the cluster, as far as it tells; undefined: nothing that we know of. */
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

/** What helps once something is held for long; undefined while it may still go by itself. */
export function remedyFor(objects: readonly KubeObject[], now: Date): string | undefined {
  if (!objects.some((object) => isLate(object, now))) return undefined;
  return 'a finalizer is removed by the controller that set it: see that it runs, or remove the finalizer by hand where there is none any more';
}

/**
 * dev A-32: which of these objects have been on their way out for a minute and are held, by whom and since when; undefined:
 * none. The same words as long as the same objects are held.
 */
export function heldUp(objects: readonly KubeObject[], now: Date): string | undefined {
  const late = objects.filter((object) => isLate(object, now));
  const held = late.flatMap(heldOf).sort((a, b) => order(a.since, b.since) || order(a.name, b.name));
  if (held.length === 0) return undefined;
  const told = held.slice(0, maxListed).map(({ name, since, by }) => `${name} since ${since} by ${by}`);
  const more = held.length > maxListed ? `; and ${held.length - maxListed} more` : '';
  return `deletion is held up: ${told.join('; ')}${more}; ${remedyFor(late, now)}`;
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
  return since !== undefined && now.getTime() - since >= patienceMs;
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
