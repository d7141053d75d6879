import type { KubeObject } from '#base/model';
import { type Ctx, FairleadError, freeze, Lru, printJson } from '#base/std';
import type { Store } from '#platform/store';
import { inSteps } from '#platform/workers';
import type { Output } from './output.ts';
import { changedPart, type RenderKey, storedParts } from './render-key.ts';
import { type CacheLimits, RenderStore } from './render-store.ts';
import { difference, pointersOf, type RemotePointer, rootsOf, type Trace, type Trees } from './trace.ts';

/** A finished render: the inputs it read, and its objects or a failure that the same inputs would repeat. */
type Entry = { readonly trace: Trace; readonly result: Output | FairleadError; readonly weight: number };

export type CacheLookup =
  | { readonly hit: true; readonly result: Output | FairleadError; readonly trace: Trace }
  | { readonly hit: false; readonly why: string };

/** Results kept per key: branches, and their reverts. */
const mostEntries = 16;
/** Weight of an entry beside its manifests. */
const entryWeight = 1000;

/**
 * Caches renders by their parameters and the inputs they read. A result is served only while every file, folder and
 * missing file it depended on is unchanged, whatever the commit.
 */
export class ManifestCache {
  readonly #memory: Lru<readonly Entry[]>;
  readonly #requested: Lru<ReturnType<typeof storedParts>>;
  readonly #store: RenderStore | undefined;

  constructor(store: Store | undefined, limits: CacheLimits) {
    this.#memory = new Lru({
      capacity: limits.memory,
      weigh: (entries) => entries.reduce((sum, e) => sum + e.weight, 1),
    });
    this.#requested = new Lru({ capacity: limits.entries });
    this.#store = store && new RenderStore(store, limits);
  }

  /** The remote bases that must be opened before `find` can decide whether a result is still valid. */
  async pointers(ctx: Ctx, { key }: RenderKey, trees: Trees): Promise<readonly RemotePointer[]> {
    const held = this.#memory.get(key)?.map(({ trace }) => trace);
    const traces = held ?? (await this.#store?.traces(ctx, key)) ?? [];
    return traces.flatMap((trace) => pointersOf(trace, trees));
  }

  async find(ctx: Ctx, question: RenderKey, trees: Trees): Promise<CacheLookup> {
    const entries = this.#memory.get(question.key) ?? [];
    const fits = entries.find((entry) => difference(entry.trace, trees) === undefined);
    if (fits) {
      // the same answers from other commits: the next lookup compares one hash again
      const isMoved = fits.trace.roots[''] !== trees.get('')?.hash('');
      const moved = isMoved ? { ...fits, trace: { ...fits.trace, roots: rootsOf(trees) } } : fits;
      if (isMoved || fits !== entries[0]) this.#front(question.key, moved, fits);
      return { hit: true, result: fits.result, trace: fits.trace };
    }
    const stored = await this.#store?.find(ctx, question.key, trees);
    if (stored && 'objects' in stored) {
      const { trace, weight, ...result } = stored;
      this.#front(question.key, { trace, result, weight });
      return { hit: true, result, trace };
    }
    const [last] = entries;
    return {
      hit: false,
      why: (last && difference(last.trace, trees)) ?? stored?.why ?? (await this.#why(ctx, question)),
    };
  }

  /** Objects are frozen: callers share them. */
  async keep(ctx: Ctx, question: RenderKey, trace: Trace, result: Output | FairleadError): Promise<void> {
    const parts = storedParts(question);
    this.#requested.set(question.subject, parts);
    if (result instanceof FairleadError) {
      // failures are rendered again after a restart; only results are written to disk
      this.#front(question.key, { trace, result, weight: entryWeight });
      return;
    }
    const { objects, commands, warnings } = result;
    const texts = await inSteps(frozen(objects));
    const weight = texts.reduce((sum, text) => sum + text.length, entryWeight);
    this.#front(question.key, { trace, result, weight });
    const isKeptOff = objects.some(isSecret) || hasLogin(trace);
    this.#store?.put(ctx, question, parts, { trace, texts, commands, warnings, isSecret: isKeptOff });
  }

  /** Resolves when everything is on disk. */
  async settled(): Promise<void> {
    await this.#store?.settled();
  }

  /** Puts an entry before all others of its key, replacing `instead` if it is there. */
  #front(key: string, entry: Entry, instead?: Entry): void {
    const others = this.#memory.get(key)?.filter((other) => other !== instead) ?? [];
    this.#memory.set(key, [entry, ...others].slice(0, mostEntries));
  }

  /** Nothing was rendered with these parameters: the parameter that differs from the last render is the reason. */
  async #why(ctx: Ctx, question: RenderKey): Promise<string> {
    const before =
      this.#requested.get(question.subject) ?? (await this.#store?.requested(ctx, question.subject));
    const changed = before && changedPart(before, storedParts(question));
    return changed ?? 'it was not rendered before with these parameters';
  }
}

/** Freezes the objects and serializes them, one at a time: there may be megabytes of them. */
function* frozen(objects: readonly KubeObject[]): Generator<void, string[]> {
  const texts: string[] = [];
  for (const object of objects) {
    freeze(object);
    texts.push(printJson(object));
    yield;
  }
  Object.freeze(objects);
  return texts;
}

/** A URL in a kustomization may contain a user name, and must not be written to disk, like a Secret. */
const hasLogin = ({ remotes = {} }: Trace): boolean =>
  Object.values(remotes).some(({ place }) => /https?:\/\/[^/?#]*@/i.test(place));

const isSecret = ({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean =>
  kind === 'Secret' && apiVersion === 'v1';
