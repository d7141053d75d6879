import { matches, parseDuration, parseSelector, type Selector } from '#base/model';
import { type Clock, compileGlob, type Glob } from '#base/std';
import { fraction } from '../ids.ts';
import { type FaultEffect, type FaultMatch, type FaultRule, type FaultStage, stageOf } from './rule.ts';

/** The attributes of an operation that rules can match; undefined: unknown at this stage, so every rule matches. */
export type Occasion = {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
  readonly userAgent?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly images?: readonly string[] | undefined;
};

type Part = (occasion: Occasion) => boolean;

type Ready = {
  /** The input of its randomness, besides the request: its index in the list, or the name of its object. */
  readonly id: string;
  readonly rule: FaultRule;
  readonly stage: FaultStage;
  readonly parts: readonly Part[];
  readonly from: number;
  readonly until: number;
  /** How often it was evaluated for the same request, how often it matched, and how often it was applied. */
  readonly requested: Map<string, number>;
  matched: number;
  struck: number;
};

/**
 * The rules in force. Whether a rule applies follows from the seed, the request and how often the same request was
 * made before, so the same requests get the same faults whatever runs concurrently.
 */
export class Faults {
  readonly #clock: Clock;
  readonly #objects = new Map<string, Ready>();
  #seed = 1;
  #set: readonly Ready[] = [];
  #ready: readonly Ready[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces all rules; times in them count from now. An empty list ends all faults. */
  set(rules: readonly FaultRule[], seed = 1): void {
    const now = this.#clock.now().getTime();
    this.#seed = seed;
    this.#set = rules.map((rule, at) => prepared(rule, now, String(at)));
    this.#ready = [...this.#set, ...this.#objects.values()];
  }

  /** Adds or replaces the rule of a Fault object; undefined removes it when the object is deleted. */
  adopt(name: string, rule: FaultRule | undefined): void {
    if (rule) this.#objects.set(name, prepared({ name, ...rule }, this.#clock.now().getTime(), name));
    else this.#objects.delete(name);
    this.#ready = [...this.#set, ...this.#objects.values()];
  }

  /** How often each rule was applied, by its name or its index in the list. */
  get struck(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      this.#ready.map(({ rule, struck }, at) => [rule.name ?? String(at + 1), struck]),
    );
  }

  has(stage: FaultStage): boolean {
    return this.#ready.some((one) => one.stage === stage);
  }

  /** The effects that apply now, in the order of their rules. */
  strike(stage: FaultStage, occasion: Occasion): FaultEffect[] {
    // a user must always be able to edit and delete Fault objects
    if (this.#ready.length === 0 || occasion.group === faultGroup) return [];
    return this.#ready
      .filter((ready) => ready.stage === stage && this.#strikes(ready, occasion))
      .map(({ rule }) => rule.effect);
  }

  #strikes(ready: Ready, occasion: Occasion): boolean {
    const now = this.#clock.now().getTime();
    if (now < ready.from || now >= ready.until) return false;
    if (!ready.parts.every((part) => part(occasion))) return false;
    const { percent = 100, nth = 1, times = Number.POSITIVE_INFINITY } = ready.rule.match ?? {};
    ready.matched += 1;
    if (ready.matched % nth !== 0 || ready.struck >= times) return false;
    if (percent < 100 && this.#luck(ready, occasion) >= percent) return false;
    ready.struck += 1;
    return true;
  }

  #luck({ requested, id }: Ready, { verb, group, resource, namespace, name }: Occasion): number {
    const what = `${verb} ${group}/${resource} ${namespace}/${name}`;
    const count = requested.get(what) ?? 0;
    requested.set(what, count + 1);
    return fraction(this.#seed, `${id} ${what} ${count}`) * 100;
  }
}

/** The API group of Fault objects. */
export const faultGroup = 'embed.fairlead.dev';

function prepared(rule: FaultRule, now: number, id: string): Ready {
  const { match = {}, effect } = rule;
  const from = now + lengthOf(match.after ?? '0s');
  return {
    id,
    rule,
    stage: stageOf(effect),
    parts: partsOf(match, effect),
    from,
    until: match.for === undefined ? Number.POSITIVE_INFINITY : from + lengthOf(match.for),
    requested: new Map(),
    matched: 0,
    struck: 0,
  };
}

/** Milliseconds of a duration that has been validated already. */
export const lengthOf = (text: string): number => parseDuration(text) ?? 0;

function partsOf(match: FaultMatch, effect: FaultEffect): Part[] {
  const parts: Part[] = [];
  const words = (list: readonly string[] | undefined, of: (occasion: Occasion) => string | undefined) => {
    if (!list) return;
    const globs = list
      .map((pattern) => compileGlob(pattern))
      .filter((glob): glob is Glob => glob !== undefined);
    parts.push((occasion) => {
      const text = of(occasion);
      return text !== undefined && globs.some((glob) => glob(text));
    });
  };
  const narrow = 'conflict' in effect ? ['update', 'patch'] : 'outcome' in effect ? ['create'] : undefined;
  words(match.verbs ?? narrow, ({ verb }) => verb);
  words(match.groups, ({ group }) => group);
  words(match.resources ?? ('outcome' in effect ? ['pods'] : undefined), ({ resource }) => resource);
  words(match.namespaces, ({ namespace }) => namespace);
  words(match.names, ({ name }) => name);
  words(match.users, ({ user }) => user);
  words(match.userAgents, ({ userAgent }) => userAgent);
  if (match.labels !== undefined) parts.push(labelled(parseSelector(match.labels)));
  if (match.images) parts.push(imaged(match.images));
  return parts;
}

const labelled =
  (selector: Selector): Part =>
  ({ labels }) =>
    matches(selector, labels);

function imaged(patterns: readonly string[]): Part {
  const globs = patterns.map((pattern) => compileGlob(pattern));
  return ({ images = [] }) => images.some((image) => globs.some((glob) => glob?.(image)));
}
