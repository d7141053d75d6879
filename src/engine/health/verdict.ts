import type { Condition, Health, HealthCode, KubeObject } from '#base/model';

/** One kind's judgement. Undefined: this object has no notion of health. Throws InvalidSpec when it cannot judge. */
export type HealthCheck = (object: KubeObject) => Health | undefined;

/** Checks by `group/Kind`. */
export type Checks = Readonly<Record<string, HealthCheck>>;

// compat engine H-1: best to worst
export const healthCodes: readonly HealthCode[] = [
  'Healthy',
  'Suspended',
  'Progressing',
  'Missing',
  'Degraded',
  'Unknown',
];

/** True when `a` is worse than `b`. An unknown code ranks like Healthy. */
export function isWorse(a: HealthCode, b: HealthCode): boolean {
  return Math.max(0, healthCodes.indexOf(a)) > Math.max(0, healthCodes.indexOf(b));
}

/** Makes a health of one code; an empty message is left out. */
export type HealthOf = (message?: string) => Health;

export const healthy = (message?: string): Health => verdict('Healthy', message);
export const progressing = (message?: string): Health => verdict('Progressing', message);
export const degraded = (message?: string): Health => verdict('Degraded', message);
export const suspended = (message?: string): Health => verdict('Suspended', message);
export const unknown = (message?: string): Health => verdict('Unknown', message);
export const missing = (message?: string): Health => verdict('Missing', message);

function verdict(status: HealthCode, message: string | undefined): Health {
  return message ? { status, message } : { status };
}

type Conditions = { conditions?: Condition[] | null };

/** The conditions a status lists; a cluster may hold null, or no status at all. */
export function conditionsOf(object: KubeObject): readonly Condition[] {
  const list = (object.status as Conditions | undefined | null)?.conditions;
  return Array.isArray(list) ? list : [];
}

export function conditionOf(object: KubeObject, type: string): Condition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}

/** `Reason: message`, or whichever half there is. */
export function say(condition: Condition): string | undefined {
  const parts = [condition.reason, condition.message].filter((part) => part);
  return parts.length > 0 ? parts.join(': ') : undefined;
}

type Observed = { observedGeneration?: number };

/** The controller has not yet observed the current spec. */
export function isStale(object: KubeObject): boolean {
  const { observedGeneration = 0 } = (object.status ?? {}) as Observed;
  return (object.metadata.generation ?? 0) > observedGeneration;
}

export const waitingForSpec = 'waiting for the new spec to be observed';
