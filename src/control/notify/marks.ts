import { isObject } from '#base/std';
import type { NotificationDestination } from './message.ts';
import type { ConditionResult } from './trigger.ts';

/** The annotation in which the peer records what an application's subscribers were notified of. */
export const notifiedAnnotation = 'notified.notifications.argoproj.io';

/** compat server §6.5: what was sent, and when, in seconds since 1970. */
export type Marks = Readonly<Record<string, number>>;

const most = 100;

/** A new object each time. */
export function readMarks(annotations: Readonly<Record<string, string>> | undefined): Record<string, number> {
  const text = annotations?.[notifiedAnnotation];
  if (!text) return {};
  try {
    const found: unknown = JSON.parse(text);
    if (!isObject(found)) return {};
    for (const key in found) if (typeof found[key] !== 'number') delete found[key];
    return found as Record<string, number>;
  } catch {
    return {};
  }
}

/** The annotation's value, with its keys in order; undefined: the annotation is removed. */
export function printMarks(marks: Marks): string | undefined {
  const keys = Object.keys(marks).sort();
  if (keys.length === 0) return undefined;
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, marks[key]])));
}

/** At most 100: the oldest are dropped, but none that still holds, which would be sent again. */
export function boundMarks(marks: Marks, holding: ReadonlySet<string>): Marks {
  const entries = Object.entries(marks);
  if (entries.length <= most) return marks;
  const [held, rest] = [
    entries.filter(([key]) => holding.has(key)),
    entries.filter(([key]) => !holding.has(key)),
  ];
  rest.sort(([, left], [, right]) => right - left);
  return Object.fromEntries([...held, ...rest.slice(0, Math.max(0, most - held.length))]);
}

export type MarkSubject = {
  readonly trigger: string;
  readonly result: ConditionResult;
  readonly destination: NotificationDestination;
  /** Where a configuration of an application namespace's own comes from. */
  readonly selfServiceNamespace?: string | undefined;
};

/** compat server §6.5: `[oncePer:][namespace:]trigger:[index].hash:service:recipient`. */
export function markKey({ trigger, result, destination, selfServiceNamespace }: MarkSubject): string {
  const { service, recipient } = destination;
  const key = `${trigger}:${result.condition.key}:${service}:${recipient}`;
  const scoped = selfServiceNamespace === undefined ? key : `${selfServiceNamespace}:${key}`;
  return result.oncePer === '' ? scoped : `${result.oncePer}:${scoped}`;
}
