import type { KubeObject } from '#base/model';
import { FairleadError, isObject } from '#base/std';
import { compileJq, type Jq, type JsonValue } from '#lang/jq';

/** How long one expression may take on one object, as users configure it; it is a measure of steps, not of time. */
export type JqTimeout = { readonly timeoutMs?: number };

/** What a second is worth. Steps are counted, not time, so that the answer is the same on every machine. */
const stepsPerMs = 1000;
const defaultMs = 1000;

/**
 * compat engine D-12: what takes out of an object all that an expression selects. Where it fails or does not come to an end, or
 * does not leave one object, the object stays as it is; an expression that did not come to an end is not tried again.
 * Throws InvalidSpec when the expression cannot be read.
 */
export function compileDeletion(
  expression: string,
  { timeoutMs = defaultMs }: JqTimeout,
): (object: KubeObject) => KubeObject {
  const query = read(expression);
  const limits = { steps: Math.max(timeoutMs, 1) * stepsPerMs };
  let isSpent = false;
  return (object) => {
    if (isSpent) return object;
    try {
      const [only, ...more] = firstTwo(query.run(object, limits));
      return more.length === 0 && isObject(only) ? (only as unknown as KubeObject) : object;
    } catch (thrown) {
      isSpent = FairleadError.from(thrown).code === 'LimitExceeded';
      return object;
    }
  };
}

/**
 * Of two parse errors, reports the one about the user's own text; an expression that is valid only inside
 * `del(…)` is accepted.
 */
function read(expression: string): Jq {
  try {
    return compileJq(`del(${expression})`);
  } catch (thrown) {
    compileJq(expression);
    throw thrown;
  }
}

function firstTwo(values: Iterable<JsonValue>): JsonValue[] {
  const found: JsonValue[] = [];
  for (const value of values) {
    found.push(value);
    if (found.length === 2) break;
  }
  return found;
}
