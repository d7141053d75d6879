import { deadline, parseJson, printJson, realClock } from '#base/std';
import type { Form } from '../accept.ts';
import { type Core, tableOf } from '../core.ts';
import { apiVersionOf, type ServedResource } from '../kinds.ts';
import type { ServedResponse } from '../request.ts';
import { StatusError } from '../status.ts';
import type { Stored } from '../stored.ts';
import { tableText } from '../table.ts';
import { fullText, partialText } from './encode.ts';
import { follow, type Seen, type WatchBatch } from './follow.ts';
import { reach, type ServedCollection } from './list.ts';
import type { ServedListOptions } from './list-options.ts';

/** A watch as a stream of lines. Headers are sent at once: clients wait for them before they wait for events. */
export async function watch(
  core: Core,
  { resource, namespace }: ServedCollection,
  options: ServedListOptions,
  request: { readonly form: Form; readonly signal: AbortSignal },
): Promise<ServedResponse> {
  if (options.sendInitialEvents) await reach(core, options.resourceVersion);
  const seconds = options.timeoutSeconds || 1800 + core.ids.number(1800);
  const signal = AbortSignal.any([request.signal, deadline(seconds * 1000)]);
  const overrun = new AbortController();
  const what = {
    collection: tableOf(core, resource),
    namespace,
    match: options.match,
    signal,
    since: sinceOf(core, options),
    onLost: () => overrun.abort(),
  };
  const ticks = new Ticks(signal);
  const batches = follow(core, what, (nudge) => options.bookmarks && ticks.start(nudge));
  const stream = new Stream(core, options, new Lines(core, resource, request.form));
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
    body: stream.run(batches, ticks, request.signal),
    overrun: overrun.signal,
  };
}

/** compat cluster 3.3: with the existing objects, unless a version is given or initial events are not requested. */
function sinceOf(
  { state }: Core,
  { resourceVersion, sendInitialEvents }: ServedListOptions,
): number | undefined {
  if (sendInitialEvents === true) return undefined;
  if (resourceVersion !== '' && resourceVersion !== '0') return Number(resourceVersion);
  return sendInitialEvents === false ? state.rv : undefined;
}

/** The number of bytes that are sent to a client at a time. */
const piece = 256 * 1024;

class Stream {
  readonly #core: Core;
  readonly #options: ServedListOptions;
  readonly #lines: Lines;

  constructor(core: Core, options: ServedListOptions, lines: Lines) {
    this.#core = core;
    this.#options = options;
    this.#lines = lines;
  }

  async *run(batches: AsyncIterable<WatchBatch>, ticks: Ticks, client: AbortSignal): AsyncGenerator<string> {
    try {
      for await (const batch of batches) {
        yield* this.#texts(batch, ticks.taken());
      }
      if (this.#options.bookmarks && !client.aborted) yield this.#progress();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      yield this.#lines.error(error);
    } finally {
      ticks.stop();
    }
  }

  /** In chunks: the state of a whole cluster as one text, for each new watch, would take too much memory. */
  *#texts({ events, initial, rv }: WatchBatch, isBookmarkDue: boolean): Generator<string> {
    const { sendInitialEvents, bookmarks } = this.#options;
    let text = '';
    for (const seen of events) {
      text += this.#lines.event(seen);
      if (text.length < piece) continue;
      yield text;
      text = '';
    }
    if (initial && sendInitialEvents && bookmarks) text += this.#lines.bookmark(rv, true);
    if (isBookmarkDue) text += this.#progress();
    if (text !== '') yield text;
  }

  #progress(): string {
    return this.#lines.bookmark(this.#core.state.durableRv, false);
  }
}

/** Nudges the stream once a minute, for clients that requested bookmarks, to send its resourceVersion. */
class Ticks {
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  #due = false;

  constructor(signal: AbortSignal) {
    this.#signal = AbortSignal.any([signal, this.#over.signal]);
  }

  start(nudge: () => void): void {
    this.#run(nudge).catch(() => {}); // it ends only by being stopped
  }

  stop(): void {
    this.#over.abort();
  }

  /** True once per tick. */
  taken(): boolean {
    const due = this.#due;
    this.#due = false;
    return due;
  }

  async #run(nudge: () => void): Promise<void> {
    while (!this.#signal.aborted) {
      await realClock.sleep(60_000, this.#signal);
      this.#due = true;
      nudge();
    }
  }
}

/** Events as the lines of one kind of watch; the text of an object is created once for all watches. */
class Lines {
  readonly #core: Core;
  readonly #resource: ServedResource;
  readonly #form: Form;
  #isHeaded = false;

  constructor(core: Core, resource: ServedResource, form: Form) {
    this.#core = core;
    this.#resource = resource;
    this.#form = form;
  }

  event({ type, stored }: Seen): string {
    return `{"type":"${type}","object":${this.#object(stored)}}\n`;
  }

  bookmark(rv: number, isInitialEnd: boolean): string {
    const annotations = isInitialEnd && { annotations: { 'k8s.io/initial-events-end': 'true' } };
    const metadata = { resourceVersion: String(rv), ...annotations };
    return `${printJson({ type: 'BOOKMARK', object: { ...this.#identity(), metadata } })}\n`;
  }

  error({ status }: StatusError): string {
    return `${printJson({ type: 'ERROR', object: status })}\n`;
  }

  #identity(): object {
    const form = this.#form;
    if (form.as === 'object') return { kind: this.#resource.kind, apiVersion: apiVersionOf(this.#resource) };
    const kind = form.as === 'table' ? 'Table' : 'PartialObjectMetadata';
    return { kind, apiVersion: `meta.k8s.io/${form.version}`, ...(form.as === 'table' && { rows: [] }) };
  }

  #object(stored: Stored): string {
    const form = this.#form;
    if (form.as === 'object') return fullText(stored, this.#resource);
    if (form.as === 'partial') return partialText(stored, form.version);
    const now = this.#core.clock.now().getTime();
    const metadata = { resourceVersion: stored.item.metadata.resourceVersion };
    const text = tableText({ resource: this.#resource, form, now }, [stored], metadata).trimEnd();
    if (!this.#isHeaded) {
      this.#isHeaded = true;
      return text;
    }
    // compat cluster 3.19: only the first Table has the column definitions
    return printJson({ ...(parseJson(text) as object), columnDefinitions: null });
  }
}
