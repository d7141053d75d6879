import type { KubeObject } from '#base/model';
import { Lru } from '#base/std';
import type { Happening } from './happening.ts';

/** An event worth writing: new when its count is one, else one more of its kind. */
type News = {
  /** The same for events that are counted together. */
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
 * compat 3.20: what the event recorders of Kubernetes do with many events about one object: the same message again is
 * counted, from the tenth that differs only in its message within ten minutes they are told as one, and of a flood only
 * the first 25 and then one every five minutes get through.
 */
export class EventSieve {
  readonly #families = new Lru<Family>({ capacity: kept });
  readonly #tallies = new Lru<Tally>({ capacity: kept });
  readonly #buckets = new Lru<Bucket>({ capacity: kept });

  judge(about: KubeObject, happening: Happening, now: Date): News | undefined {
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

  /** How many different messages of a family there have been lately. */
  #crowd(family: string, message: string, now: number): number {
    const known = this.#families.get(family);
    const messages = known && now - known.last <= familyMs ? known.messages : new Set<string>();
    // a family that is told as one needs no longer list of its members
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
