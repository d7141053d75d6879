import {
  type Application,
  type ApplicationCondition,
  type ApplicationConditionType,
  setApplicationConditions,
} from '#base/model';
import { equal } from '#base/std';
import type { NotificationProblem } from '#control/notify';

const type = 'NotificationWarning';
const evaluated: ReadonlySet<ApplicationConditionType> = new Set([type]);
const most = 10;
const longest = 300;

/**
 * The application's conditions with these problems of its notifications, and without those that were mended; undefined: they are
 * as they should be, or the application was not compared yet.
 */
export function conditionsWith(
  { status }: Application,
  problems: readonly NotificationProblem[],
  now: Date,
): readonly ApplicationCondition[] | undefined {
  if (!status?.sync) return undefined;
  const before = status.conditions ?? [];
  if (problems.length === 0 && !before.some((one) => one.type === type)) return undefined;
  const messages = [...new Set(problems.map(({ key, message }) => short(`${key}: ${message}`)))];
  const more = messages.length > most ? [`… and ${messages.length - most} more`] : [];
  const found = [...messages.slice(0, most), ...more].map((message) => ({ type, message }) as const);
  const after = setApplicationConditions(before, found, evaluated, now);
  return equal(before, after) ? undefined : after;
}

const short = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);
