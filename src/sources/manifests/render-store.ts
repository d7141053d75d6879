import { createHash, type Hash } from 'node:crypto';
import type { KubeObject } from '#base/model';
import { type Ctx, freeze, parseJson, printJson } from '#base/std';
import { bytes, json, type Store, type StoreChange, type Table } from '#platform/store';
import { inSteps } from '#platform/workers';
import type { Output } from './output.ts';
import { type RenderKey, type StoredKeyParts, sumOf } from './render-key.ts';
import { difference, type Trace, type Trees } from './trace.ts';

export type CacheLimits = {
  /** Characters of manifests kept in memory. */
  readonly memory: number;
  /** Characters of manifests kept on disk, in how many entries, and for how long. */
  readonly disk: number;
  readonly entries: number;
  readonly keepMs: number;
};

/**
 * The inputs and output of a render, when it was last used, and the size of its objects on disk, in how many pieces.
 * `sum` is a checksum of it all; a record with a wrong one counts as absent (sources CCH-4).
 */
type Note = StoredOutput & {
  readonly subject: string;
  readonly at: number;
  readonly bytes: number;
  readonly pieces: number;
  readonly sum: string;
};

type StoredOutput = Omit<Output, 'objects'> & { readonly trace: Trace };

export type StoredRender = Output & { readonly trace: Trace; readonly weight: number };

type Rendered = StoredOutput & {
  /** The serialized objects, one by one. */
  readonly texts: readonly string[];
  readonly isSecret: boolean;
};

/** Bump when the stored format, or how anything is rendered, changes meaning. */
const format = 'v4';
/** Objects are written and read in pieces of about this many characters: a megabyte does not block the event loop. */
const pieceLength = 128 * 1024;
/** The last use of an entry is recorded at most this often. */
const touchMs = 24 * 3600 * 1000;

/** The part of the cache that survives a restart. An error in it costs a render, never more. */
export class RenderStore {
  readonly #store: Store;
  readonly #notes: Table<Note>;
  readonly #pieces: Table<Uint8Array>;
  readonly #questions: Table<StoredKeyParts>;
  readonly #limits: CacheLimits;
  readonly #writes = new Set<Promise<void>>();
  #held: { bytes: number; entries: number } | undefined;

  constructor(store: Store, limits: CacheLimits) {
    this.#store = store;
    this.#notes = store.table('render-notes', json<Note>());
    this.#pieces = store.table('render-bodies', bytes);
    this.#questions = store.table('render-questions', json<StoredKeyParts>());
    this.#limits = limits;
  }

  /** The result that is still valid, frozen; else why the youngest is not; undefined when there is none. */
  find(ctx: Ctx, key: string, trees: Trees): Promise<StoredRender | { readonly why: string } | undefined> {
    return this.#quietly(ctx, async () => {
      let whyNot: string | undefined;
      for (const [id, note] of this.#about(key).sort(([, a], [, b]) => b.at - a.at)) {
        const why = difference(note.trace, trees);
        const stored = why === undefined ? await inSteps(this.#read(id, note)) : undefined;
        if (stored) {
          this.#touch(ctx, id, note);
          return stored;
        }
        whyNot ??= why;
      }
      return whyNot === undefined ? undefined : { why: whyNot };
    });
  }

  /** The inputs that the results of a key read. */
  async traces(ctx: Ctx, key: string): Promise<readonly Trace[]> {
    return (await this.#quietly(ctx, async () => this.#about(key).map(([, { trace }]) => trace))) ?? [];
  }

  /** The parts of the last key of this subject. */
  requested(ctx: Ctx, subject: string): Promise<StoredKeyParts | undefined> {
    return this.#quietly(ctx, async () => this.#questions.get(subject));
  }

  /** A result that contains a Secret is not written, nor is its key: only the cluster should store it (decision 16). */
  put(ctx: Ctx, question: RenderKey, parts: StoredKeyParts, rendered: Rendered): void {
    const { isSecret, texts, ...reported } = rendered;
    if (isSecret) return;
    const id = `${format}/${question.key}/${sumOf(printJson(reported.trace.requested)).slice(0, 16)}`;
    const at = ctx.clock.now().getTime();
    this.#later(ctx, async () => {
      const { pieces, ...sums } = await inSteps(cut(id, reported, texts));
      const note = { ...reported, ...sums, subject: question.subject, at, pieces: pieces.length };
      const before = this.#notes.get(id);
      const dropped = this.#roomFor(id, note.bytes, at);
      return [
        ...dropped.flatMap(([old, gone]) => [
          this.#notes.remove(old),
          ...this.#without(old, gone),
          this.#questions.remove(gone.subject),
        ]),
        ...(before ? this.#without(id, before) : []),
        this.#notes.put(id, note),
        ...pieces.map((piece, index) => this.#pieces.put(pieceOf(id, index), piece)),
        this.#questions.put(question.subject, parts),
      ];
    });
  }

  async settled(): Promise<void> {
    await Promise.all(this.#writes);
  }

  #about(key: string): (readonly [string, Note])[] {
    return [...this.#notes.range({ prefix: `${format}/${key}/` })];
  }

  /** Reads the pieces one by one; undefined: they do not match the checksum. */
  *#read(id: string, note: Note): Generator<void, StoredRender | undefined> {
    const { trace, commands, warnings } = note;
    const hash = begun(id, note);
    const objects: KubeObject[] = [];
    let weight = 0;
    for (let index = 0; index < note.pieces; index++) {
      const piece = this.#pieces.get(pieceOf(id, index));
      if (!piece) return undefined;
      hash.update(piece);
      const text = decoder.decode(piece);
      weight += text.length;
      for (const object of parseJson(text) as KubeObject[]) objects.push(freeze(object));
      yield;
    }
    if (hash.digest('hex') !== note.sum) return undefined;
    return { objects: Object.freeze(objects), commands, warnings, trace, weight };
  }

  /** Deletes the pieces that an entry has beside its note. */
  #without(id: string, { pieces = 1 }: Note): StoreChange[] {
    return Array.from({ length: pieces }, (_one, index) => this.#pieces.remove(pieceOf(id, index)));
  }

  #touch(ctx: Ctx, id: string, note: Note): void {
    const at = ctx.clock.now().getTime();
    if (at - note.at >= touchMs) this.#later(ctx, async () => [this.#notes.put(id, { ...note, at })]);
  }

  #later(ctx: Ctx, changes: () => Promise<readonly StoreChange[]>): void {
    const writing = (async () => this.#store.write(await changes()))()
      .catch((error: unknown) => ctx.log.warn('manifests could not be cached on disk', { error }))
      .finally(() => this.#writes.delete(writing));
    this.#writes.add(writing);
  }

  async #quietly<Value>(ctx: Ctx, read: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await read();
    } catch (error) {
      ctx.log.debug('cached manifests could not be read', { error });
      return undefined;
    }
  }

  /** Adds an entry; returns the entries to evict so that there is enough room: the least recently used first. */
  #roomFor(id: string, bytes: number, now: number): readonly (readonly [string, Note])[] {
    this.#held ??= this.#count();
    const before = this.#notes.get(id);
    this.#held.bytes += bytes - (before?.bytes ?? 0);
    this.#held.entries += before ? 0 : 1;
    const { disk, entries, keepMs } = this.#limits;
    if (this.#held.bytes <= disk && this.#held.entries <= entries) return [];
    const notes = [...this.#notes.range()].filter(([other]) => other !== id);
    const dropped: (readonly [string, Note])[] = [];
    for (const [old, note] of notes.sort(([, a], [, b]) => a.at - b.at)) {
      const isRoomy = this.#held.bytes <= disk / 2 && this.#held.entries <= entries / 2;
      if (isRoomy && old.startsWith(`${format}/`) && now - note.at < keepMs) break;
      dropped.push([old, note]);
      this.#held.bytes -= note.bytes;
      this.#held.entries -= 1;
    }
    return dropped;
  }

  #count(): { bytes: number; entries: number } {
    const held = { bytes: 0, entries: 0 };
    for (const [, note] of this.#notes.range()) {
      held.bytes += note.bytes;
      held.entries += 1;
    }
    return held;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

const pieceOf = (id: string, index: number): string => (index === 0 ? id : `${id}/${index}`);

const begun = (id: string, { trace, commands, warnings }: StoredOutput): Hash =>
  createHash('sha256').update(`${id}\n${printJson([trace, commands, warnings])}\n`);

type Cut = { readonly pieces: Uint8Array[]; readonly sum: string; readonly bytes: number };

/** Each piece is a list of some of the objects. */
function* cut(id: string, reported: StoredOutput, texts: readonly string[]): Generator<void, Cut> {
  const pieces: Uint8Array[] = [];
  const hash = begun(id, reported);
  let length = printJson(reported.trace).length;
  for (const some of together(texts)) {
    const piece = encoder.encode(`[${some.join(',')}]`);
    hash.update(piece);
    pieces.push(piece);
    length += piece.length;
    yield;
  }
  return { pieces, sum: hash.digest('hex'), bytes: length };
}

function* together(texts: readonly string[]): Generator<readonly string[]> {
  let some: string[] = [];
  let length = 0;
  for (const text of texts) {
    some.push(text);
    length += text.length;
    if (length < pieceLength) continue;
    yield some;
    [some, length] = [[], 0];
  }
  if (some.length > 0) yield some;
}
