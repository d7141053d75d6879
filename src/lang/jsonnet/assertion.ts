import { JsonnetError, type SourceText } from './fault.ts';
import { textOf } from './print-json.ts';
import type { Assertion } from './syntax.ts';
import { type Code, typeOf } from './value.ts';

/** Code that throws unless an assertion is true. */
export function assertCode({ condition, message, at }: Assertion, source: SourceText): Code {
  return (frame) => {
    const holds = condition.code(frame);
    if (holds === true) return null;
    if (holds !== false) {
      throw new JsonnetError(`an assertion must be true or false, got ${typeOf(holds)}`, { source, at });
    }
    const reason = message ? textOf(frame.vm, message.code(frame)) : 'an assertion does not hold';
    throw new JsonnetError(reason, { source, at });
  };
}
