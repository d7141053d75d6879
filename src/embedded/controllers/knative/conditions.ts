import { type Condition, printTime } from '#base/model';

export type KnativeCondition = Condition & { severity?: string };

/** The conditions of a kind: the top-level one, and those it depends on. */
type ConditionSet = { readonly happy: string; readonly dependents: readonly string[] };

export const livingSet = (...dependents: string[]): ConditionSet => ({ happy: 'Ready', dependents });

/**
 * compat cluster 5.6: Knative's rules for conditions. False beats Unknown, the condition that was last set gives
 * the top-level one its reason, the list is sorted by type, and a condition that the top-level one does not depend
 * on is only information.
 */
export class Conditions {
  readonly #set: ConditionSet;
  readonly #before: readonly KnativeCondition[];
  readonly #now: string;
  readonly #found = new Map<string, KnativeCondition>();

  constructor(set: ConditionSet, before: readonly KnativeCondition[] | undefined, now: Date) {
    this.#set = set;
    this.#before = before ?? [];
    this.#now = printTime(now);
    for (const condition of this.#before) this.#found.set(condition.type, condition);
    const start = this.is(set.happy, 'True') ? 'True' : 'Unknown';
    for (const type of [set.happy, ...set.dependents]) {
      if (!this.#found.has(type)) this.#put({ type, status: start });
    }
  }

  get(type: string): KnativeCondition | undefined {
    return this.#found.get(type);
  }

  is(type: string, status: 'True' | 'False' | 'Unknown'): boolean {
    return this.#found.get(type)?.status === status;
  }

  markTrue(type: string, reason?: string, message?: string): void {
    this.#put({ type, status: 'True', ...words(reason, message) });
    if (type === this.#set.happy) return;
    const unhappy = this.#unhappy();
    if (!unhappy) this.#put({ type: this.#set.happy, status: 'True' });
    else
      this.#put({ type: this.#set.happy, status: unhappy.status, ...words(unhappy.reason, unhappy.message) });
  }

  markUnknown(type: string, reason = '', message = ''): void {
    this.#put({ type, status: 'Unknown', ...words(reason, message) });
    if (this.#set.dependents.some((one) => this.is(one, 'False'))) {
      if (!this.is(this.#set.happy, 'False')) this.markFalse(this.#set.happy, reason, message);
      return;
    }
    if (this.#isDependent(type))
      this.#put({ type: this.#set.happy, status: 'Unknown', ...words(reason, message) });
  }

  markFalse(type: string, reason = '', message = ''): void {
    const types = this.#isDependent(type) ? [type, this.#set.happy] : [type];
    for (const one of types) this.#put({ type: one, status: 'False', ...words(reason, message) });
  }

  /** Copies another object's condition; a missing one changes nothing. */
  mirror(type: string, other: KnativeCondition | undefined): void {
    if (!other) return;
    if (other.status === 'True') this.markTrue(type);
    else if (other.status === 'False') this.markFalse(type, other.reason, other.message);
    else this.markUnknown(type, other.reason, other.message);
  }

  /** Sorted by type. A condition whose content has not changed keeps its time. */
  get list(): KnativeCondition[] {
    return [...this.#found.values()]
      .map((condition) => {
        const old = this.#before.find(({ type }) => type === condition.type);
        return old && isSame(old, condition) ? old : condition;
      })
      .sort((a, b) => (a.type < b.type ? -1 : 1));
  }

  #isDependent(type: string): boolean {
    return this.#set.dependents.includes(type);
  }

  /** The dependent that decides: False before Unknown, the latest to change first. */
  #unhappy(): KnativeCondition | undefined {
    const unhappy = this.#set.dependents
      .map((type) => this.#found.get(type))
      .filter((condition) => condition !== undefined && condition.status !== 'True')
      .sort((a, b) => ((a?.lastTransitionTime ?? '') > (b?.lastTransitionTime ?? '') ? -1 : 1));
    return unhappy.find((condition) => condition?.status === 'False') ?? unhappy[0];
  }

  #put(next: KnativeCondition): void {
    const isTerminal = next.type === this.#set.happy || this.#isDependent(next.type);
    const condition = isTerminal ? next : { ...next, severity: 'Info' };
    const old = this.#found.get(next.type);
    if (old && isSame(old, condition)) return;
    this.#found.set(next.type, { ...condition, lastTransitionTime: this.#now });
  }
}

const words = (reason: string | undefined, message: string | undefined) => ({
  ...(reason && { reason }),
  ...(message && { message }),
});

const isSame = (a: KnativeCondition, b: KnativeCondition): boolean =>
  a.status === b.status &&
  (a.reason ?? '') === (b.reason ?? '') &&
  (a.message ?? '') === (b.message ?? '') &&
  (a.severity ?? '') === (b.severity ?? '');
