import { type KubeObject, matches, parseSelector, qualifiedName } from '#base/model';
import { type Ctx, joined } from '#base/std';
import type { Informer, ObjectChange } from '#control/live';

/** A change as a stream sends it. */
export type WatchedChange<T> = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T };

/** Sorted by namespace and name. */
export function sortedByName<T extends KubeObject>(objects: readonly T[]): T[] {
  const named = objects.map((object) => [nameOf(object), object] as const);
  return named.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
}

const names = new WeakMap<KubeObject, string>();

/** `namespace/name`; objects of a cluster never change, so it is made once. */
function nameOf(object: KubeObject): string {
  const known = names.get(object);
  if (known !== undefined) return known;
  const name = qualifiedName(object);
  names.set(object, name);
  return name;
}

type Listing<T> = { list(): T[] };

const ranks = new WeakMap<object, ReadonlyMap<string, number>>();

/** Everything of an informer, sorted. Objects are changed more often than they come and go, so the order is kept. */
export function allByName<T extends KubeObject>(objects: Listing<T>): readonly T[] {
  const all = objects.list();
  const known = ranks.get(objects);
  const ordered = known?.size === all.length ? inOrder(all, known) : undefined;
  if (ordered) return ordered;
  const sorted = sortedByName(all);
  ranks.set(objects, new Map(sorted.map((object, rank) => [nameOf(object), rank])));
  return sorted;
}

/** Undefined when one of the objects has no rank. */
function inOrder<T extends KubeObject>(
  all: readonly T[],
  known: ReadonlyMap<string, number>,
): T[] | undefined {
  const ordered = new Array<T>(all.length);
  for (const object of all) {
    const rank = known.get(nameOf(object));
    if (rank === undefined) return undefined;
    ordered[rank] = object;
  }
  return ordered;
}

type Filtered<T> = {
  readonly query: URLSearchParams;
  readonly namespace: string;
  projectOf(object: T): string;
};

/** compat server §2.8: the filters that lists and streams of applications and of sets share. */
export function filterOf<T extends KubeObject>({
  query,
  namespace,
  projectOf,
}: Filtered<T>): (object: T) => boolean {
  const projects = [...query.getAll('projects'), ...query.getAll('project')].filter(Boolean);
  const name = query.get('name');
  const selector = parseSelector(query.get('selector') ?? '');
  return (object) =>
    (!name || object.metadata.name === name) &&
    (!namespace || object.metadata.namespace === namespace) &&
    (projects.length === 0 || projects.includes(projectOf(object))) &&
    matches(selector, object.metadata.labels ?? {});
}

type Watched<T extends KubeObject> = {
  readonly objects: Pick<Informer<T>, 'list' | 'listDeleted' | 'changes'>;
  readonly query: URLSearchParams;
  /** Whether the reader gets the object now: its filter, and its permissions. */
  isShown(object: T): boolean;
};

/**
 * compat server §2.5: everything that is shown, then its changes. An object that leaves the filter, or that the reader may no
 * longer get, is reported as deleted. With a `resourceVersion`, and without a name, only what is newer is sent first. With a name
 * the deletion of an object is sent as well if it is the last that happened to it: `argocd app delete --wait` opens its stream
 * when the application may be gone already, and waits for that.
 *
 * A reader that is slower than the changes gets the newest state of each object and skips the states in between: what waits for
 * it is at most one change for each object.
 */
export async function* watchObjects<T extends KubeObject>(
  ctx: Ctx,
  { objects, query, isShown }: Watched<T>,
): AsyncGenerator<WatchedChange<T>> {
  const stopped = new AbortController();
  const { signal, release } = joined(ctx.signal, stopped.signal);
  const inner = { ...ctx, signal };
  const backlog = new Backlog<T>();
  const collected = backlog.collect(objects.changes(inner));
  try {
    const isOfOne = Boolean(query.get('name'));
    const isNews = newerThan(isOfOne ? '' : (query.get('resourceVersion') ?? ''));
    const present = sortedByName(objects.list().filter((one) => isNews(one) && isShown(one)));
    const deleted = isOfOne ? objects.listDeleted().filter(isShown) : [];
    for (const object of present) yield { type: 'ADDED', object };
    for (const object of deleted) yield { type: 'DELETED', object };
    for (;;) {
      const change = await backlog.next(inner);
      if (!change) break;
      yield* shownOf(change, isShown);
    }
  } finally {
    stopped.abort();
    await collected;
    release();
  }
}

function* shownOf<T extends KubeObject>(
  change: Change<T>,
  isShown: (object: T) => boolean,
): Generator<WatchedChange<T>> {
  const before = change.before && isShown(change.before) ? change.before : undefined;
  const after = change.after && isShown(change.after) ? change.after : undefined;
  const isSame = before?.metadata.uid === after?.metadata.uid;
  if (before && after && isSame) yield { type: 'MODIFIED', object: after };
  else {
    if (before) yield { type: 'DELETED', object: before };
    if (after) yield { type: 'ADDED', object: after };
  }
}

/** compat server §2.5: a numeric floor; anything else counts as none. */
function newerThan(version: string): (object: KubeObject) => boolean {
  if (!/^\d+$/.test(version)) return () => true;
  return ({ metadata }) => isNewer(metadata.resourceVersion ?? '', version);
}

/** Versions are decimal counters: a longer one is larger. */
const isNewer = (version: string, than: string): boolean =>
  version.length === than.length ? version > than : version.length > than.length;

/** The largest version among the objects: a stream that is opened with it continues a list of them. */
export function newestVersion(objects: readonly KubeObject[]): string | undefined {
  let newest = '';
  for (const { metadata } of objects)
    if (isNewer(metadata.resourceVersion ?? '', newest)) newest = metadata.resourceVersion ?? '';
  return newest || undefined;
}

type Change<T> = { readonly before?: T | undefined; readonly after?: T | undefined };

/** The changes that a reader has not got yet, one for each object: from the state it knows to the newest. */
class Backlog<T extends KubeObject> {
  readonly #pending = new Map<string, Change<T>>();
  #isEnded = false;
  #failure: unknown;
  #wake = (): void => {};

  /** Resolves when the changes end; `next` throws why. */
  async collect(changes: AsyncIterable<ObjectChange>): Promise<void> {
    try {
      for await (const change of changes) this.#add(change as Change<T>);
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#isEnded = true;
      this.#wake();
    }
  }

  #add({ before, after }: Change<T>): void {
    const object = after ?? before;
    if (!object) return;
    const key = qualifiedName(object);
    const known = this.#pending.get(key);
    const first = known ? known.before : before;
    if (first || after) this.#pending.set(key, { before: first, after });
    else this.#pending.delete(key); // created and deleted before the reader knew of it
    this.#wake();
  }

  /** Undefined when there are no more. */
  async next(ctx: Ctx): Promise<Change<T> | undefined> {
    while (!this.#isEnded && !ctx.signal.aborted) {
      const [entry] = this.#pending;
      if (entry) {
        this.#pending.delete(entry[0]);
        return entry[1];
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure && !ctx.signal.aborted) throw this.#failure;
    return undefined;
  }
}
