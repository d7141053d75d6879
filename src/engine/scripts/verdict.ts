import type { Health, HealthCode } from '#base/model';
import { isObject } from '#base/std';
import type { Assessment } from '../health/health.ts';
import { healthCodes } from '../health/verdict.ts';

/**
 * compat engine H-23: a script that returns nothing yields an empty health, which is neither none nor
 * Healthy: it does not worsen an application, counts as success of a hook, and keeps a sync of several steps
 * waiting.
 */
const nothing: Health = { status: '' as HealthCode };

/**
 * Converts the return value of a health script. compat engine H-23: Argo CD decodes the table as JSON into two
 * strings, so names match in any case, unknown fields are ignored, and a value of another type leaves the
 * whole health empty without an error. A value that is no table is an error of the script (engine H-3).
 */
export function readVerdict(returned: unknown): Assessment {
  if (returned === undefined || returned === null || Array.isArray(returned)) return { health: nothing };
  if (!isObject(returned))
    return failedVerdict(`it must return a table with a status, not a ${typeof returned}`);
  const fields = Object.entries(returned).filter(([, value]) => value !== null && value !== undefined);
  const [status, message] = [textOf(fields, 'STATUS'), textOf(fields, 'MESSAGE')];
  if (status === 'mistyped' || message === 'mistyped') return { health: nothing };
  if (!isHealthCode(status.text)) return { health: { status: 'Unknown', message: invalid(status.text) } };
  return { health: { status: status.text, ...(message.text && { message: message.text }) } };
}

/** compat: of names that differ only in case the last in alphabetical order counts, which is the one in small letters. */
function textOf(fields: readonly [string, unknown][], name: string): { text: string } | 'mistyped' {
  const values = fields
    .filter(([key]) => key.toUpperCase() === name)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value);
  if (values.some((value) => typeof value !== 'string')) return 'mistyped';
  return { text: String(values.at(-1) ?? '') };
}

/**
 * compat engine H-3: a failed script has no result for the object, and the application reports the reason.
 */
export function failedVerdict(reason: string): Assessment {
  const error = `health script: ${reason}`;
  return { health: { status: 'Unknown', message: error }, error };
}

const invalid = (status: string): string =>
  `the health script returned ${status ? `the status "${status}"` : 'no status'}; it must be one of ${healthCodes.join(', ')}`;

const isHealthCode = (status: unknown): status is HealthCode =>
  (healthCodes as readonly unknown[]).includes(status);
