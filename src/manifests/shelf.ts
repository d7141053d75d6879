import { type Ctx, parseJson, printJson } from '#std';
import { type Change, json, type Store, type Table } from '#store';
import type { Output } from './output.ts';
import { type Question, type RememberedParts, sumOf } from './question.ts';
import { difference, type Trace, type Trees } from './trace.ts';

export type CacheLimits = {
  /** Characters of manifests held in memory. */
  readonly memory: number;
  /** Characters of manifests kept on disk, in how many entries, and for how long. */
  readonly disk: number;
  readonly entries: number;
  readonly keepMs: number;
};

/** What a render saw, when it was last of use, and how much of the disk its result takes. */
type Note = { readonly trace: Trace; readonly subject: string; readonly at: number; readonly bytes: number };
/** `sum` covers the trace and the body; one that does not fit makes the record as good as absent (CCH-4). */
type Body = { readonly body: string; readonly sum: string };

export type Shelved = Output & { readonly trace: Trace; readonly weight: number };

type Rendered = { readonly trace: Trace; readonly body: string; readonly isSecret: boolean };

/** Bump when what is stored, or how anything is rendered, changes meaning. */
const format = 'v2';
/** An entry that is of use is said to be so at most this often. */
const touchMs = 24 * 3600 * 1000;

/** The part of the cache that survives a restart. Trouble with it costs a render, never more. */
export class Shelf {
  readonly #store: Store;
  readonly #notes: Table<Note>;
  readonly #bodies: Table<Body>;
  readonly #questions: Table<RememberedParts>;
  readonly #limits: CacheLimits;
  readonly #writes = new Set<Promise<void>>();
  #held: { bytes: number; entries: number } | undefined;

  constructor(store: Store, limits: CacheLimits) {
    this.#store = store;
    this.#notes = store.table('render-notes', json<Note>());
    this.#bodies = store.table('render-bodies', json<Body>());
    this.#questions = store.table('render-questions', json<RememberedParts>());
    this.#limits = limits;
  }

  /** The result that still holds; else why the youngest does not; undefined when there is none. */
  find(ctx: Ctx, key: string, trees: Trees): Shelved | { readonly why: string } | undefined {
    return this.#quietly(ctx, () => {
      const notes = [...this.#notes.range({ prefix: `${format}/${key}/` })].sort(
        ([, a], [, b]) => b.at - a.at,
      );
      let whyNot: string | undefined;
      for (const [id, note] of notes) {
        const why = difference(note.trace, trees);
        const shelved = why === undefined ? this.#body(id, note) : undefined;
        if (shelved) {
          this.#touch(ctx, id, note);
          return shelved;
        }
        whyNot ??= why;
      }
      return whyNot === undefined ? undefined : { why: whyNot };
    });
  }

  /** What the results of a question saw. */
  traces(ctx: Ctx, key: string): readonly Trace[] {
    const notes = () => [...this.#notes.range({ prefix: `${format}/${key}/` })].map(([, { trace }]) => trace);
    return this.#quietly(ctx, notes) ?? [];
  }

  /** The parts of the last question about this subject. */
  asked(ctx: Ctx, subject: string): RememberedParts | undefined {
    return this.#quietly(ctx, () => this.#questions.get(subject));
  }

  /**
   * A result that holds a Secret is not written down, nor that it was asked for: the disk is no place for what only
   * the cluster should hold (decision 16).
   */
  put(ctx: Ctx, question: Question, parts: RememberedParts, { trace, body, isSecret }: Rendered): void {
    if (isSecret) return;
    const id = `${format}/${question.key}/${sumOf(printJson(trace.asked)).slice(0, 16)}`;
    const bytes = body.length + printJson(trace).length;
    const at = ctx.clock.now().getTime();
    this.#later(ctx, () => {
      const dropped = this.#roomFor(id, bytes, at);
      return [
        ...dropped.flatMap(([old, { subject }]) => [
          this.#notes.remove(old),
          this.#bodies.remove(old),
          this.#questions.remove(subject),
        ]),
        this.#notes.put(id, { trace, subject: question.subject, at, bytes }),
        this.#bodies.put(id, { body, sum: sumOfEntry(id, trace, body) }),
        this.#questions.put(question.subject, parts),
      ];
    });
  }

  async settled(): Promise<void> {
    await Promise.all(this.#writes);
  }

  #body(id: string, { trace }: Note): Shelved | undefined {
    const record = this.#bodies.get(id);
    if (!record || record.sum !== sumOfEntry(id, trace, record.body)) return undefined;
    return { ...(parseJson(record.body) as Output), trace, weight: record.body.length };
  }

  #touch(ctx: Ctx, id: string, note: Note): void {
    const at = ctx.clock.now().getTime();
    if (at - note.at >= touchMs) this.#later(ctx, () => [this.#notes.put(id, { ...note, at })]);
  }

  #later(ctx: Ctx, changes: () => readonly Change[]): void {
    const writing = (async () => this.#store.write(changes()))()
      .catch((error: unknown) => ctx.log.warn('manifests could not be cached on disk', { error }))
      .finally(() => this.#writes.delete(writing));
    this.#writes.add(writing);
  }

  #quietly<Value>(ctx: Ctx, read: () => Value): Value | undefined {
    try {
      return read();
    } catch (error) {
      ctx.log.debug('cached manifests could not be read', { error });
      return undefined;
    }
  }

  /** Counts an entry in; what must go for it, so that much room is free again: the longest unused first. */
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

const sumOfEntry = (id: string, trace: Trace, body: string): string =>
  sumOf(`${id}\n${printJson(trace)}\n${body}`);
