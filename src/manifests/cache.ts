import { createHash } from 'node:crypto';
import { type Ctx, FairleadError, freeze, Lru, parseJson, printJson } from '#std';
import type { Store, Table } from '#store';
import { json } from '#store';
import type { Output } from './output.ts';
import { difference, type Trace, type Trees } from './trace.ts';

/** A render that was done: what it saw and what came of it, objects or a failure that would come again. */
type Entry = { readonly trace: Trace; readonly result: Output | FairleadError; readonly weight: number };

export type Found =
  | { readonly hit: true; readonly result: Output | FairleadError }
  | { readonly hit: false; readonly why: string };

/** What is kept on disk. `sum` is the hash of `body`; one that does not fit makes the record as good as absent. */
type Shelved = { readonly body: string; readonly sum: string };
type Note = { readonly at: number; readonly bytes: number };

export type CacheLimits = {
  /** Characters of manifests held in memory. */
  readonly memory: number;
  /** Characters of manifests kept on disk, and for how long. */
  readonly disk: number;
  readonly keepMs: number;
};

/** Renders of one kind that are remembered: a branch and its revert, an environment or two. */
const mostEntries = 4;
/** Bump when what is stored, or how anything is rendered, changes meaning. */
const format = 1;

/**
 * Remembers renders by what they were asked to do (`key`) and by what they saw. A result is served only while every
 * file, folder and missing file it depended on is as it was, whatever the commit.
 */
export class ManifestCache {
  readonly #memory: Lru<readonly Entry[]>;
  readonly #shelf: Shelf | undefined;

  constructor(store: Store | undefined, limits: CacheLimits) {
    this.#memory = new Lru({
      capacity: limits.memory,
      weigh: (entries) => entries.reduce((sum, e) => sum + e.weight, 1),
    });
    this.#shelf = store && new Shelf(store, limits);
  }

  find(ctx: Ctx, key: string, trees: Trees): Found {
    const remembered = this.#memory.get(key);
    const shelved = remembered ? undefined : this.#shelf?.get(ctx, key);
    const entries = remembered ?? (shelved ? [shelved] : []);
    let why = 'it was not rendered before with these parameters';
    for (const [at, entry] of entries.entries()) {
      const changed = difference(entry.trace, trees);
      if (changed === undefined) {
        if (at > 0 || shelved) this.#memory.set(key, [entry, ...entries.filter((other) => other !== entry)]);
        return { hit: true, result: entry.result };
      }
      if (at === 0) why = changed;
    }
    return { hit: false, why };
  }

  /** Objects are frozen: they are handed out again and again. */
  keep(ctx: Ctx, key: string, trace: Trace, result: Output | FairleadError): void {
    const body = result instanceof FairleadError ? '' : printJson({ trace, ...result });
    if (!(result instanceof FairleadError)) freeze(result.objects);
    const entry: Entry = { trace, result, weight: body.length + 1000 };
    this.#memory.set(key, [entry, ...(this.#memory.get(key) ?? [])].slice(0, mostEntries));
    // what fails is looked at again after a restart; what works is worth keeping
    if (body !== '') this.#shelf?.put(ctx, key, body);
  }

  /** Resolves when everything is on disk. */
  async settled(): Promise<void> {
    await this.#shelf?.settled();
  }
}

/** The part that survives a restart. Trouble with it costs a render, never more. */
class Shelf {
  readonly #store: Store;
  readonly #records: Table<Shelved>;
  readonly #notes: Table<Note>;
  readonly #limits: CacheLimits;
  readonly #writes = new Set<Promise<void>>();
  #bytes: number | undefined;

  constructor(store: Store, limits: CacheLimits) {
    this.#store = store;
    this.#records = store.table('manifests', json<Shelved>());
    this.#notes = store.table('manifest-notes', json<Note>());
    this.#limits = limits;
  }

  get(ctx: Ctx, key: string): Entry | undefined {
    try {
      const record = this.#records.get(shelfKey(key));
      if (!record || sumOf(record.body) !== record.sum) return undefined;
      const { trace, objects, commands, warnings } = parseJson(record.body) as Output & { trace: Trace };
      freeze(objects);
      return { trace, result: { objects, commands, warnings }, weight: record.body.length + 1000 };
    } catch (error) {
      ctx.log.debug('cached manifests could not be read', { error });
      return undefined;
    }
  }

  put(ctx: Ctx, key: string, body: string): void {
    const writing = this.#write(ctx, shelfKey(key), body)
      .catch((error: unknown) => ctx.log.warn('manifests could not be cached on disk', { error }))
      .finally(() => this.#writes.delete(writing));
    this.#writes.add(writing);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#writes);
  }

  async #write(ctx: Ctx, key: string, body: string): Promise<void> {
    const at = ctx.clock.now().getTime();
    this.#bytes = (this.#bytes ?? this.#sum()) + body.length;
    const stale = this.#bytes > this.#limits.disk ? this.#oldest(at) : [];
    await this.#store.write([
      ...stale.flatMap((old) => [this.#records.remove(old), this.#notes.remove(old)]),
      this.#records.put(key, { body, sum: sumOf(body) }),
      this.#notes.put(key, { at, bytes: body.length }),
    ]);
  }

  #sum(): number {
    let bytes = 0;
    for (const [, note] of this.#notes.range()) bytes += note.bytes;
    return bytes;
  }

  /** Keys to drop so that half the room is free again, the oldest and the outdated first. */
  #oldest(now: number): string[] {
    const notes = [...this.#notes.range()].sort(([, a], [, b]) => a.at - b.at);
    let bytes = notes.reduce((sum, [, note]) => sum + note.bytes, 0);
    const dropped: string[] = [];
    for (const [key, note] of notes) {
      if (bytes <= this.#limits.disk / 2 && now - note.at < this.#limits.keepMs) break;
      dropped.push(key);
      bytes -= note.bytes;
    }
    this.#bytes = bytes;
    return dropped;
  }
}

const shelfKey = (key: string): string => `${format}/${key}`;

const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A short name for everything a render is asked to do. */
export const cacheKey = (parts: unknown): string => sumOf(printJson(parts));
