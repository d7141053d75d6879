import { randomUUID } from 'node:crypto';
import { printJson } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { convert } from '../convert.ts';
import { type Core, peek } from '../core.ts';
import type { Ids } from '../ids.ts';
import type { Item } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import { type Attributes, requestView } from '../policy/attributes.ts';
import { shownAs } from '../policy/judge.ts';
import { internalError, StatusError } from '../status.ts';
import type { Writing } from '../write/writing.ts';
import { patched, readVerdict, type WebhookAnswer } from './answer.ts';
import { CallError, type HasService, post } from './call.ts';
import type { Hook, Phase } from './hooks.ts';
import type { WebhookCalls } from './webhook-calls.ts';

/** One call of one webhook. */
type Question = {
  readonly key: string;
  readonly hook: Hook;
  readonly phase: Phase;
  readonly request: JsonObject;
};

/** Thrown out of a write that needs responses of webhooks to continue. */
class Pending extends Error {
  readonly questions: readonly Question[];
  constructor(questions: readonly Question[]) {
    super('webhooks must be called first');
    this.questions = questions;
  }
}

/**
 * One write with webhooks. A write is synchronous, and a webhook call is not; so the write is tried, stops at the
 * first call without a response, and is tried again from the beginning when there is one. Generated values (uids,
 * names, the time) are the same in every attempt, and a call whose request has changed meanwhile is a new one.
 */
class Session implements WebhookCalls {
  readonly #answers = new Map<string, WebhookAnswer | StatusError>();
  readonly #given: (string | number)[] = [];
  #next = 0;
  #hasService: HasService = () => false;

  /** Repeats the attempt until no call is left. */
  async run<T>(writing: Writing, work: (writing: Writing) => T): Promise<T> {
    const { core, options } = writing;
    this.#hasService = hasService(core);
    const now = core.clock.now();
    const clock = Object.create(core.clock, { now: { value: () => now } }) as Core['clock'];
    const ids = this.#remembering(core.ids);
    let heard: string[] = [];
    const own: Writing = {
      ...writing,
      core: { ...core, clock, ids },
      options: { ...options, warn: (message) => heard.push(message) },
      session: this,
    };
    try {
      for (let attempt = 0; attempt < mostAttempts; attempt++) {
        this.#next = 0;
        heard = [];
        const result = attempted(() => work(own));
        if (!(result instanceof Pending)) return result;
        await Promise.all(result.questions.map((question) => this.#call(question)));
      }
      throw internalError('the object kept changing while webhooks were called');
    } finally {
      for (const message of [...heard, ...this.#said()]) options.warn(message);
    }
  }

  /** The object after all mutating webhooks, each of which gets the object as changed by those before it. */
  mutated(core: Core, attributes: Attributes, read: (value: JsonObject) => Item): Attributes {
    let now = attributes;
    const seen = new Map<Hook, Item | undefined>();
    const callFor = ({ hook, as }: { hook: Hook; as: ServedResource }) => {
      now = this.#through(now, hook, as, read);
      seen.set(hook, now.object);
    };
    const wanting = core.hooks.wanting(core, 'mutate', attributes);
    for (const one of wanting) callFor(one);
    // compat cluster 3.17: a webhook with reinvocation policy IfNeeded is called again, once, if later ones
    // changed the object
    for (const one of wanting) {
      const { reinvocationPolicy } = one.hook.spec;
      if (reinvocationPolicy === 'IfNeeded' && seen.get(one.hook) !== now.object) callFor(one);
    }
    return now;
  }

  #through(
    attributes: Attributes,
    hook: Hook,
    as: ServedResource,
    read: (value: JsonObject) => Item,
  ): Attributes {
    const question = questionOf(hook, 'mutate', attributes, as);
    const { patch } = this.#answered([question])[0] ?? { patch: [] };
    const { object, resource } = attributes;
    if (patch.length === 0 || !object) return attributes;
    const changed = patched(shownAs(object, attributes, as) as unknown as JsonObject, patch);
    return { ...attributes, object: convert(read(changed), resource) };
  }

  /** Throws StatusError when a validating webhook denies the request. */
  validate(core: Core, attributes: Attributes): void {
    const wanting = core.hooks.wanting(core, 'validate', attributes);
    this.#answered(wanting.map(({ hook, as }) => questionOf(hook, 'validate', attributes, as)));
  }

  #answered(questions: readonly Question[]): WebhookAnswer[] {
    const open = questions.filter(({ key }) => !this.#answers.has(key));
    if (open.length > 0) throw new Pending(open);
    const answers = questions.map(({ key }) => this.#answers.get(key));
    const denial = answers.find((answer) => answer instanceof StatusError);
    if (denial) throw denial;
    return answers as WebhookAnswer[];
  }

  /** All warnings of the webhooks, in the order of their calls. */
  #said(): string[] {
    return [...this.#answers.values()].flatMap(({ warnings }) => warnings);
  }

  async #call({ key, hook, phase, request }: Question): Promise<void> {
    this.#answers.set(key, await this.#verdict(hook, phase, request));
  }

  async #verdict(hook: Hook, phase: Phase, request: JsonObject): Promise<WebhookAnswer | StatusError> {
    const { clientConfig = {}, timeoutSeconds = 10, failurePolicy } = hook.spec;
    const uid = randomUUID();
    const review = {
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      request: { uid, ...request },
    };
    try {
      const text = await post(clientConfig, review, {
        timeoutSeconds,
        agent: 'kube-apiserver-admission',
        hasService: this.#hasService,
      }).catch((error: unknown) => {
        throw error instanceof CallError ? new CallError(`failed to call webhook: ${error.message}`) : error;
      });
      return readVerdict(text, uid, { name: hook.name, mutates: phase === 'mutate' });
    } catch (error) {
      if (error instanceof StatusError) return error;
      if (failurePolicy === 'Ignore') return { warnings: [], patch: [] };
      const why = error instanceof Error ? error.message : String(error);
      return internalError(`failed calling webhook ${JSON.stringify(hook.name)}: ${why}`);
    }
  }

  /** Returns the values of the first attempt again, in the same order. */
  #remembering(ids: Ids): Ids {
    const again = <T extends string | number>(make: () => T): T => {
      const known = this.#given[this.#next] ?? make();
      this.#given[this.#next++] = known;
      return known as T;
    };
    return {
      uuid: () => again(() => ids.uuid()),
      suffix: (length) => again(() => ids.suffix(length)),
      number: (below) => again(() => ids.number(below)),
    };
  }
}

/** Whether a service exists in this cluster. */
export const hasService =
  (core: Core): HasService =>
  (namespace, name) =>
    peek(core, '/services', namespace, name) !== undefined;

function attempted<T>(work: () => T): T | Pending {
  try {
    return work();
  } catch (error) {
    if (error instanceof Pending) return error;
    throw error;
  }
}

/** Runs a write; calls the webhooks for it if there are any. */
export function hooked<T>(writing: Writing, work: (writing: Writing) => T): T | Promise<T> {
  return writing.core.hooks.isActive ? new Session().run(writing, work) : work(writing);
}

/** More than any chain of webhooks needs; an object that still changes then changes for ever. */
const mostAttempts = 200;

function questionOf(hook: Hook, phase: Phase, attributes: Attributes, as: ServedResource): Question {
  const { object, old } = attributes;
  const { dryRun, options, ...rest } = requestView(attributes, as);
  const request = {
    ...rest,
    object: object ? shownAs(object, attributes, as) : null,
    oldObject: old ? shownAs(old, attributes, as) : null,
    dryRun,
    ...(isObject(options) && { options }),
  };
  return { key: `${hook.id} ${printJson(request)}`, hook, phase, request };
}
