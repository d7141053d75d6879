import { type Application, type ApplicationCondition, isErrorCondition } from '#base/model';
import type { Tone } from './state.ts';

/** A condition that the opening sentence does not include. */
export type Notice = { readonly title: string; readonly message: string; readonly tone: Tone };

/** The other conditions for the user, errors first. The sentence includes the first error. */
export function noticesOf({ status }: Application): Notice[] {
  const conditions = status?.conditions ?? [];
  const told = conditions.find((one) => isErrorCondition(one) && one.type !== 'SyncError');
  return conditions
    .filter((one) => one !== told)
    .sort((a, b) => Number(isErrorCondition(b)) - Number(isErrorCondition(a)))
    .map((one) => ({
      title: titleOf(one),
      message: one.message,
      tone: isErrorCondition(one) ? 'bad' : 'warn',
    }));
}

/** `OrphanedResourceWarning` for users: `Orphaned resource`. */
function titleOf({ type }: ApplicationCondition): string {
  const words = type.replace(/(?:Error|Warning)$/, '').replace(/([a-z])([A-Z])/g, '$1 $2');
  return `${words.charAt(0)}${words.slice(1).toLowerCase()}${type.endsWith('Error') ? ' error' : ''}`;
}
