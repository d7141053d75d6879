import type { HealthCode, SyncStatusCode } from '#base/model';

/** The six colours of state. A tone never stands alone: a shape and a word go with it. */
export type Tone = 'good' | 'busy' | 'bad' | 'warn' | 'rest' | 'dim';

/** Worst first: the order of display. */
export const healthCodes = [
  'Degraded',
  'Missing',
  'Unknown',
  'Progressing',
  'Suspended',
  'Healthy',
] as const satisfies readonly HealthCode[];

export const syncCodes = ['OutOfSync', 'Unknown', 'Synced'] as const satisfies readonly SyncStatusCode[];

const healthTones: Readonly<Record<HealthCode, Tone>> = {
  Healthy: 'good',
  Progressing: 'busy',
  Degraded: 'bad',
  Missing: 'warn',
  Suspended: 'rest',
  Unknown: 'dim',
};
const syncTones: Readonly<Record<SyncStatusCode, Tone>> = {
  Synced: 'good',
  OutOfSync: 'warn',
  Unknown: 'dim',
};

export const toneOfHealth = (health: HealthCode): Tone => healthTones[health];
export const toneOfSync = (sync: SyncStatusCode): Tone => syncTones[sync];

/** A health code from the API; an unknown one is Unknown. */
export function healthCode(word: string | undefined): HealthCode {
  return healthCodes.find((code) => code === word) ?? 'Unknown';
}

export function syncCode(word: string | undefined): SyncStatusCode {
  return syncCodes.find((code) => code === word) ?? 'Unknown';
}

/** The worst of some; undefined when none of them has a health at all. */
export function worstHealth(codes: Iterable<HealthCode | undefined>): HealthCode | undefined {
  const seen = new Set(codes);
  return healthCodes.find((code) => seen.has(code));
}
