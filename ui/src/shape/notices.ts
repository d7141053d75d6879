import { type Application, type ApplicationCondition, isErrorCondition } from '#base/model';
import { errorIn } from './attention.ts';
import { type Cause, causeOf } from './innermost-cause.ts';
import type { Tone } from './state.ts';

/** A condition that the opening sentence does not include. */
export type Notice = {
  readonly title: string;
  readonly message: string;
  readonly tone: Tone;
  /** More words of the same, folded until a user opens them. */
  readonly whole?: string;
};

/** The other conditions for the user, errors first. The sentence includes the first error. */
export function noticesOf({ status }: Application): Notice[] {
  const conditions = status?.conditions ?? [];
  const reported = errorIn(conditions);
  return conditions
    .filter((one) => one !== reported)
    .sort((a, b) => Number(isErrorCondition(b)) - Number(isErrorCondition(a)))
    .map((one) => {
      const { text, whole } = causeOf(one.message);
      const tone = isErrorCondition(one) ? 'bad' : 'warn';
      return { title: titleOf(one), message: text, tone, ...(whole && { whole }) };
    });
}

/** The message that the sentence shortens to its cause; undefined: the sentence has all of it. */
export function shortenedCause({ status }: Application): Cause | undefined {
  const error = errorIn(status?.conditions ?? []);
  const cause = error && causeOf(error.message);
  return cause?.whole ? cause : undefined;
}

/** `OrphanedResourceWarning` for users: `Orphaned resource`. */
function titleOf({ type }: ApplicationCondition): string {
  const words = type.replace(/(?:Error|Warning)$/, '').replace(/([a-z])([A-Z])/g, '$1 $2');
  return `${words.charAt(0)}${words.slice(1).toLowerCase()}${type.endsWith('Error') ? ' error' : ''}`;
}
