import { Budget, FairleadError, Lru } from '#base/std';
import { compileNode } from './compile.ts';
import { plainDelete } from './delete.ts';
import type { Filter } from './filter.ts';
import { parse } from './parse.ts';
import { atValue, Halt, JqError, type Run } from './run.ts';
import type { JsonValue } from './value.ts';

/** The limits of one evaluation. */
export type JqLimits = {
  /** Pieces of work, about a tenth of a microsecond each. */
  readonly steps?: number;
  /** The limit of allocated values, in bytes or near it. */
  readonly bytes?: number;
};

const defaults = { steps: 500_000, bytes: 16_000_000 };
const maxText = 20_000;
const compiled = new Lru<Jq>({ capacity: 1_000 });

/**
 * Throws InvalidSpec that names the position and the piece of text, LimitExceeded for a text that is too
 * long. Compiled texts are cached.
 */
export function compileJq(text: string): Jq {
  const known = compiled.get(text);
  if (known) return known;
  if (text.length > maxText) {
    throw new FairleadError(
      'LimitExceeded',
      `jq expression of ${text.length} characters is longer than ${maxText}`,
    );
  }
  const jq = build(text);
  compiled.set(text, jq);
  return jq;
}

function build(text: string): Jq {
  try {
    return new Jq(text);
  } catch (error) {
    throw error instanceof RangeError ? tooDeep(error) : error;
  }
}

const tooDeep = (error: RangeError): FairleadError =>
  new FairleadError('LimitExceeded', 'jq expression nests too deeply', error);

/** A compiled expression; made by compileJq. */
export class Jq {
  readonly text: string;
  readonly #filter: Filter;
  /** Set where the expression does nothing but delete along one plain path. */
  readonly #delete: ((input: JsonValue) => JsonValue | undefined) | undefined;

  /** A deletion leaves nothing that the input did not have. */
  readonly #onlyDeletes: boolean;

  constructor(text: string) {
    const node = parse(text);
    this.#onlyDeletes = node.is === 'call' && node.name === 'del';
    this.text = text;
    this.#filter = compileNode(node, text);
    this.#delete = plainDelete(node);
  }

  /**
   * The results, evaluated lazily. The input is not changed; results share unchanged parts with it, so treat
   * both as read-only. Throws RenderFailed when the expression fails on this input, LimitExceeded when it
   * costs too much.
   */
  *run(input: unknown, limits: JqLimits = {}): Generator<JsonValue> {
    // a foreign object is JSON until proven otherwise; what is not would be skipped by no filter
    const value = input as JsonValue;
    const fast = this.#delete?.(value);
    if (fast !== undefined) {
      yield fast;
      return;
    }
    const run = new Budget('jq expression', { ...defaults, ...limits });
    try {
      for (const at of this.#filter.each(atValue(value), undefined, run)) {
        if (!this.#onlyDeletes) checkResult(run, at.value);
        yield at.value;
      }
    } catch (error) {
      throw asFailure(error);
    }
  }
}

/** compat engine D-12: the peer cannot write nan and infinities as JSON, so they are no result. Counts what readers will walk. */
function checkResult(run: Run, value: JsonValue): void {
  run.step();
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new JqError('a result that JSON cannot hold: nan or infinite');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const item of Array.isArray(value) ? value : Object.values(value)) checkResult(run, item);
}

function asFailure(error: unknown): unknown {
  if (error instanceof JqError) {
    // the value that an expression raises may be user data
    const message = error.raised ? 'the expression raised an error' : String(error.value);
    return new FairleadError('RenderFailed', `jq: ${message}`);
  }
  if (error instanceof Halt) return new FairleadError('RenderFailed', 'jq: the expression stopped itself');
  return error instanceof RangeError ? tooDeep(error) : error;
}
