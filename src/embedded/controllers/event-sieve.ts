import type { KubeObject } from '#base/model';
import { Lru } from '#base/std';
import type { RecordedEvent } from './recorded-event.ts';

/** An event to write: a new one when its count is one, else a repetition. */
type News = {
  /** Equal for events that are counted together. */
  readonly key: string;
  readonly message: string;
  readonly count: number;
  /** When the first of them happened. */
  readonly since: Date;
};

type Family = { readonly messages: Set<string>; readonly last: number };
type Tally = { readonly count: number; readonly since: Date };
type Bucket = { readonly tokens: number; readonly at: number };

const kept = 4096;
const familyMs = 600_000;
const mostAlike = 10;
const burst = 25;
const refillMs = 300_000;

/**
 * compat cluster 3.20: how the event recorders of Kubernetes limit many events about one object: a repeated
 * message is counted, from the tenth event within ten minutes that differs only in its message they are combined
 * into one, and of a flood only the first 25 and then one every five minutes are written.
 */
export class EventSieve {
  readonly #families = new Lru<Family>({ capacity: kept });
  readonly #tallies = new Lru<Tally>({ capacity: kept });
  readonly #buckets = new Lru<Bucket>({ capacity: kept });

  judge(about: KubeObject, happening: RecordedEvent, now: Date): News | undefined {
    const { uid = '', name, namespace = '' } = about.metadata;
    const source = [happening.component, about.kind, namespace, name, uid].join('|');
    const family = [source, happening.fieldPath, happening.type, happening.reason].join('|');
    const isCombined = this.#crowd(family, happening.message, now.getTime()) >= mostAlike;
    const key = isCombined ? family : `${family}|${happening.message}`;
    const message = isCombined ? `(combined from similar events): ${happening.message}` : happening.message;
    const before = this.#tallies.get(key);
    const tally = { count: (before?.count ?? 0) + 1, since: before?.since ?? now };
    this.#tallies.set(key, tally);
    return this.#getsThrough(source, now.getTime()) ? { key, message, ...tally } : undefined;
  }

  /** How many different messages of a family were recorded recently. */
  #crowd(family: string, message: string, now: number): number {
    const known = this.#families.get(family);
    const messages = known && now - known.last <= familyMs ? known.messages : new Set<string>();
    // a family that is combined needs no longer list of its messages
    if (messages.size < mostAlike) messages.add(message);
    this.#families.set(family, { messages, last: now });
    return messages.size;
  }

  #getsThrough(source: string, now: number): boolean {
    const { tokens, at } = this.#buckets.get(source) ?? { tokens: burst, at: now };
    const filled = Math.min(burst, tokens + (now - at) / refillMs);
    this.#buckets.set(source, { tokens: filled >= 1 ? filled - 1 : filled, at: now });
    return filled >= 1;
  }
}
