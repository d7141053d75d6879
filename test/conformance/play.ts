import { randomBytes } from 'node:crypto';
import { type Ctx, isObject, type JsonObject, parseJson, printJson, within } from '#base/std';
import { type Answer, type Case, requestOf, type Settings, type Step } from './case.ts';
import { contains } from './compare.ts';
import { Mask } from './mask.ts';
import { find, prune } from './pointer.ts';
import { readBytes, readLines } from './stream.ts';
import type { Target } from './target.ts';

/** An answer as it came, the parts of it that can be compared. */
type Told = {
  code?: number;
  headers?: Record<string, string>;
  body?: unknown;
  text?: string;
  events?: unknown[];
};

const patience = 60_000;
const settling = 20_000;
const pause = 50;
const json = 'application/json';
const knativeNamespace = 'knative-serving';

/** Whether this is the answer to a step that was recorded. */
type IsRecorded = (answer: Answer, at: number) => boolean;

/**
 * Plays a case in a namespace of its own and answers what was said, masked, step by step. A cluster whose controllers
 * take their time is asked again where asking changes nothing, until it answers what was recorded.
 */
export async function play(
  target: Target,
  one: Case,
  isRecorded: IsRecorded = () => true,
): Promise<Answer[]> {
  const namespace = `t-${randomBytes(6).toString('hex')}`;
  const stage = new Stage(within(target.ctx, 100_000), target, namespace);
  let mask = new Mask({ namespace, nodes: target.nodes, source: one.source });
  try {
    await stage.enter();
    await stage.configure(one.settings);
    const answers: Answer[] = [];
    for (const [at, step] of one.steps.entries()) {
      const deadline = Date.now() + settling;
      for (;;) {
        const told = await stage.take(step).catch((error: Error) => {
          throw new Error(`step ${at + 1}: ${error.message}`, { cause: error });
        });
        const words = mask.copy();
        const answer = answerOf(step, told, words);
        if (isFinal(step, told) || isRecorded(answer, at) || Date.now() > deadline) {
          mask = words;
          answers.push(answer);
          break;
        }
        await target.ctx.clock.sleep(pause, target.ctx.signal);
      }
    }
    return answers;
  } finally {
    await stage.leave();
  }
}

/** What has changed something, or stands in a stream, is not asked for a second time. */
const isFinal = ({ request }: Step, { code }: Told): boolean =>
  request === undefined || !(request.startsWith('GET ') || code === 404);

function answerOf({ answer: { only, without } = {} }: Step, told: Told, mask: Mask): Answer {
  const { body, ...rest } = mask.of(told) as Told;
  const choice = { ...(only && { only }), ...(without && { without }) };
  if (body === undefined) return { ...rest, ...choice };
  if (!only) return { ...rest, ...choice, body: without ? prune(body, without) : body };
  const parts = only.flatMap((pattern) => find(body, pattern)).map(({ path, value }) => [path, value]);
  return { ...rest, ...choice, parts: Object.fromEntries(parts) };
}

/** Where one case plays: its namespace, the watches it has open, what it has kept and what it must clear away. */
class Stage {
  readonly #ctx: Ctx;
  readonly #target: Target;
  readonly #namespace: string;
  readonly #kept = new Map<string, string>();
  readonly #watches = new Map<string, AsyncGenerator<string>>();
  readonly #left: string[] = [];
  readonly #configured: Step[] = [];
  readonly #over = new AbortController();
  #signal: AbortSignal;

  constructor(ctx: Ctx, target: Target, namespace: string) {
    this.#ctx = ctx;
    this.#target = target;
    this.#namespace = namespace;
    this.#signal = AbortSignal.any([this.#over.signal, ctx.signal]);
  }

  /** Makes the namespace and waits for what every namespace is given. */
  async enter(): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#namespace } };
    const made = await this.take({ request: 'POST /api/v1/namespaces', body });
    if (made.code !== 201) throw new Error(`no namespace: ${printJson(made.body)}`);
    for (const path of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']) {
      await this.take({
        until: `GET /api/v1/namespaces/$NS/${path}`,
        shows: { metadata: { namespace: '$NS' } },
      });
    }
  }

  /** Sets Knative's settings until the case is over; a ConfigMap that does not exist is created. */
  async configure(settings: Settings): Promise<void> {
    for (const [name, data] of Object.entries(settings)) {
      const maps = `/api/v1/namespaces/${knativeNamespace}/configmaps`;
      const patch = { request: `PATCH ${maps}/${name}`, body: { data } };
      const { code } = await this.#send(patch);
      const before = Object.fromEntries(Object.keys(data).map((key) => [key, null]));
      if (code === 200) this.#configured.push({ ...patch, body: { data: before } });
      else await this.#createSettings(maps, { metadata: { name }, data });
    }
  }

  async #createSettings(maps: string, map: JsonObject): Promise<void> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: knativeNamespace } };
    await this.#send({ request: 'POST /api/v1/namespaces', body: namespace });
    const { code, body } = await this.#send({ request: `POST ${maps}`, body: map });
    if (code !== 201) throw new Error(`no settings: ${printJson(body)}`);
  }

  async leave(): Promise<void> {
    this.#over.abort();
    this.#signal = this.#target.ctx.signal;
    for (const step of this.#configured) await this.#send(step).catch(() => {});
    for (const path of this.#left.reverse()) {
      await this.#send({ request: `DELETE ${path}` }).catch(() => {});
    }
  }

  async take(step: Step): Promise<Told> {
    if (step.events !== undefined) return this.#read(step);
    if (step.watch !== undefined) return this.#open(step);
    const told = step.until === undefined ? await this.#send(step) : await this.#await(step);
    this.#keep(step, told.body);
    return told;
  }

  async #await(step: Step): Promise<Told> {
    const deadline = Date.now() + patience;
    for (;;) {
      const told = await this.#send(step);
      if (contains(told.body, this.#filled(step.shows))) return told;
      if (Date.now() > deadline) {
        throw new Error(`never showed ${printJson(step.shows)}, at last ${printJson(told.body)}`);
      }
      await this.#ctx.clock.sleep(pause, this.#ctx.signal);
    }
  }

  async #send(step: Step): Promise<Told> {
    const { method, path, response } = await this.#ask(step);
    const bytes = await readBytes(response.body);
    const told = {
      code: response.status,
      ...headersOf(response.headers),
      ...bodyOf(response.headers, bytes),
    };
    this.#note(method, path, told);
    return told;
  }

  async #ask(step: Step) {
    const { method, path: written } = requestOf(step);
    const path = this.#filledText(written);
    const body = this.#bytesOf(step);
    const headers = this.#filled(step.headers ?? {}) as Record<string, string>;
    const response = await this.#target.transport[step.as ?? 'admin']({
      method,
      path,
      headers: { 'user-agent': 'conformance', ...typed(step, method), ...lowered(headers) },
      signal: this.#signal,
      ...(body && { body }),
    });
    return { method, path, response };
  }

  #bytesOf({ body, text, base64 }: Step): Uint8Array | undefined {
    if (base64 !== undefined) return Buffer.from(this.#filledText(base64), 'base64');
    if (text !== undefined) return Buffer.from(this.#filledText(text));
    return body === undefined ? undefined : Buffer.from(printJson(this.#filled(body)));
  }

  /** Opens a watch, or tells why it was refused. */
  async #open(step: Step): Promise<Told> {
    const { response } = await this.#ask(step);
    if (response.status !== 200) {
      const bytes = await readBytes(response.body);
      return { code: response.status, ...headersOf(response.headers), ...bodyOf(response.headers, bytes) };
    }
    this.#watches.set(step.name ?? 'watch', readLines(response.body));
    return { code: 200, ...headersOf(response.headers) };
  }

  async #read({ events: name = '', count, shows }: Step): Promise<Told> {
    const watch = this.#watches.get(name);
    if (!watch) throw new Error(`no watch called ${name} is open`);
    const events: unknown[] = [];
    const isEnough = () =>
      count === undefined ? contains(events.at(-1), this.#filled(shows)) : events.length === count;
    const end = AbortSignal.timeout(patience);
    while (!isEnough()) {
      const next = await Promise.race([watch.next(), failing(end, () => printJson(events))]);
      if (next.done && count !== 'end') throw new Error(`the watch ended after ${printJson(events)}`);
      if (next.done) break;
      const event = parseJson(next.value);
      if (!isMereBookmark(event)) events.push(event);
    }
    return { events };
  }

  #keep({ keep = {} }: Step, body: unknown): void {
    for (const [name, pointer] of Object.entries(keep)) {
      const [place] = find(body, pointer);
      if (!place) throw new Error(`${pointer} is to be kept and is not there: ${printJson(body)}`);
      this.#kept.set(name, String(place.value));
    }
  }

  /** Remembers what must be deleted afterwards: the namespace, and what was made outside of it. */
  #note(method: string, path: string, { code, body }: Told): void {
    const [place = ''] = path.split('?');
    if (code !== 201 || path.includes('dryRun') || place.includes(`/namespaces/${this.#namespace}/`)) return;
    if (method !== 'POST') this.#left.push(place);
    else if (isObject(body) && isObject(body.metadata) && body.metadata.name) {
      this.#left.push(`${place}/${body.metadata.name}`);
    }
  }

  #filled(value: unknown): unknown {
    if (typeof value === 'string') return this.#filledText(value);
    if (Array.isArray(value)) return value.map((item) => this.#filled(item));
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([key, item]) => [this.#filledText(key), this.#filled(item)]);
    return Object.fromEntries(entries) as JsonObject;
  }

  /** `$NS`; `${name}`, something kept; `${text x 1000}`, a text many times over. */
  #filledText(text: string): string {
    if (!text.includes('$')) return text;
    return text.replaceAll('$NS', this.#namespace).replace(/\$\{([^}]+)\}/g, (whole, inside: string) => {
      const [, part, times] = /^(.+) x (\d+)$/.exec(inside) ?? [];
      if (part !== undefined) return part.replaceAll('\\n', '\n').repeat(Number(times));
      return this.#kept.get(inside) ?? whole;
    });
  }
}

/** A bookmark that tells nothing but a version may come at any time, or never. */
function isMereBookmark(event: unknown): boolean {
  return (
    contains(event, { type: 'BOOKMARK' }) &&
    !contains(event, { object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } })
  );
}

function failing(signal: AbortSignal, seen: () => string): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no such event came; there were ${seen()}`)), {
      once: true,
    });
  });
}

const lowered = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function typed(step: Step, method: string): Record<string, string> {
  if (step.body === undefined) return {};
  return { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : json };
}

/** The headers that clients act on; a JSON answer without warnings has none worth telling. */
function headersOf(headers: Readonly<Record<string, string>>): Pick<Told, 'headers'> {
  const told: Record<string, string> = {};
  if (headers['content-type'] !== json) told['content-type'] = headers['content-type'] ?? 'none';
  for (const name of ['warning', 'retry-after', 'allow', 'location']) {
    if (headers[name] !== undefined) told[name] = headers[name];
  }
  return Object.keys(told).length > 0 ? { headers: told } : {};
}

function bodyOf(headers: Readonly<Record<string, string>>, bytes: Uint8Array): Pick<Told, 'body' | 'text'> {
  if (bytes.length === 0) return {};
  const type = headers['content-type'] ?? '';
  if (type.includes('protobuf')) return { text: '<protobuf>' };
  const text = new TextDecoder().decode(bytes);
  return type.includes('json') ? { body: parseJson(text) } : { text };
}
