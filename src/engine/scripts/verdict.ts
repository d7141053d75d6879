import type { Health, HealthCode } from '#model';
import { isObject } from '#std';
import type { Assessment } from '../health/health.ts';
import { healthCodes } from '../health/verdict.ts';

/**
 * compat H-23: a script that says nothing gives an empty health, which is neither none nor Healthy: it does not worsen an
 * application, counts as success of a hook, and keeps a sync of several steps waiting.
 */
const nothing: Health = { status: '' as HealthCode };

/** What a health script returned, as a verdict. Whatever is not one is an error of the script (H-3). */
export function readVerdict(returned: unknown): Assessment {
  if (returned === undefined || returned === null || isEmptyList(returned)) return { health: nothing };
  if (!isObject(returned))
    return failedVerdict(`it must return a table with a status, not ${nameOf(returned)}`);
  const { status, message } = returned;
  if (message !== undefined && message !== null && typeof message !== 'string') {
    return failedVerdict(`message must be text, not ${nameOf(message)}`);
  }
  if (status !== undefined && status !== null && typeof status !== 'string') {
    return failedVerdict(`status must be text, not ${nameOf(status)}`);
  }
  if (!isHealthCode(status)) return { health: { status: 'Unknown', message: invalid(status) } };
  return { health: { status: status as HealthCode, ...(message && { message }) } };
}

/** compat H-3: a script that broke down says nothing of the object, and the application says why. */
export function failedVerdict(reason: string): Assessment {
  const error = `health script: ${reason}`;
  return { health: { status: 'Unknown', message: error }, error };
}

const invalid = (status: string | null | undefined): string =>
  `the health script returned ${status ? `the status "${status}"` : 'no status'}; it must be one of ${healthCodes.join(', ')}`;

/** compat H-29: an empty table comes out as an empty list. */
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a table' : `a ${typeof value}`;
}

const isHealthCode = (status: unknown): status is HealthCode =>
  (healthCodes as readonly unknown[]).includes(status);
