import { type Ctx, FairleadError, type Records } from '#base/std';

/**
 * Which credentials may read which mirror: those that the host has accepted, in this process or in one before it under the
 * same rules of reach. A refusal withdraws the proof.
 */
export class AccessProofs {
  readonly #proven = new Set<string>();
  readonly #records: Records<true> | undefined;
  readonly #rules: string;

  /** `rules` stands for what may be reached: a proof of another process counts only under the same ones. */
  constructor(rules: string, records?: Records<true>) {
    this.#rules = rules;
    this.#records = records;
  }

  has(ctx: Ctx, identity: string): boolean {
    return this.#proven.has(identity) || this.#records?.get(ctx, this.#key(identity)) === true;
  }

  add(ctx: Ctx, identity: string): void {
    this.#proven.add(identity);
    this.#records?.put(ctx, this.#key(identity), true);
  }

  /** Runs a request to the host that proves the access, or withdraws the proof when the host refuses it. */
  async proving<Value>(ctx: Ctx, identity: string, request: () => Promise<Value>): Promise<Value> {
    try {
      const value = await request();
      this.add(ctx, identity);
      return value;
    } catch (error) {
      if (isRefusal(error)) this.#withdraw(ctx, identity);
      throw error;
    }
  }

  #withdraw(ctx: Ctx, identity: string): void {
    this.#proven.delete(identity);
    this.#records?.delete(ctx, this.#key(identity));
  }

  #key(identity: string): string {
    return `${identity} ${this.#rules}`;
  }
}

/** Hosts say NotFound as well to those who may not know of a repository. */
const isRefusal = (error: unknown): boolean =>
  error instanceof FairleadError && ['Auth', 'PermissionDenied', 'NotFound'].includes(error.code);
