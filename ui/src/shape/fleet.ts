import type { Application, HealthCode, SyncStatusCode } from '#base/model';
import { attentionOf, needsAttention } from './attention.ts';
import { isRunning } from './operation-timeline.ts';
import { counted, joinedSpans, type Span, say } from './span.ts';
import { healthCode, healthCodes, syncCode, syncCodes, worstHealth } from './state.ts';

export type Segment<Code> = { readonly code: Code; readonly count: number; readonly share: number };
export type Strip = {
  readonly health: readonly Segment<HealthCode>[];
  readonly sync: readonly Segment<SyncStatusCode>[];
};

export const healthOf = ({ status }: Application): HealthCode => healthCode(status?.health?.status);
export const syncOf = ({ status }: Application): SyncStatusCode => syncCode(status?.sync?.status);

/** A list that changes is another list: what is counted in one is counted once, wherever it is shown. */
function oncePerList<T>(count: (apps: readonly Application[]) => T): (apps: readonly Application[]) => T {
  const known = new WeakMap<readonly Application[], { readonly value: T }>();
  return (apps) => {
    const before = known.get(apps);
    if (before) return before.value;
    const value = count(apps);
    known.set(apps, { value });
    return value;
  };
}

/** How many applications are in each state, worst first; empty states are left out. */
export const stripOf = oncePerList(
  (apps): Strip => ({
    health: segments(apps.map(healthOf), healthCodes),
    sync: segments(apps.map(syncOf), syncCodes),
  }),
);

function segments<Code>(states: readonly Code[], codes: readonly Code[]): Segment<Code>[] {
  return codes.flatMap((code) => {
    const count = states.filter((state) => state === code).length;
    return count > 0 ? [{ code, count, share: count / states.length }] : [];
  });
}

export const isSyncing = ({ status }: Application): boolean => isRunning(status?.operationState);

export type FleetTally = {
  readonly all: number;
  readonly attention: number;
  readonly drifted: number;
  readonly syncing: number;
};

export const tallyOf = oncePerList(
  (apps): FleetTally => ({
    all: apps.length,
    attention: apps.filter(needsAttention).length,
    drifted: apps.filter((app) => syncOf(app) === 'OutOfSync').length,
    syncing: apps.filter(isSyncing).length,
  }),
);

/** What is not all right, in words, and the filter that shows it. */
type Trouble = { readonly text: string; readonly query: string };

export function troublesIn({ attention, drifted, syncing }: FleetTally): Trouble[] {
  const bad = {
    text: `${attention} ${attention === 1 ? 'needs' : 'need'} attention`,
    query: 'attention=yes',
  };
  const drift = { text: `${drifted} ${drifted === 1 ? 'is' : 'are'} out of sync`, query: 'sync=OutOfSync' };
  const busy = { text: `${syncing} ${syncing === 1 ? 'is' : 'are'} syncing`, query: 'operation=Running' };
  return [...(attention ? [bad] : []), ...(drifted ? [drift] : []), ...(syncing ? [busy] : [])];
}

/** The sentence that opens the list: is it all right? Its numbers are filters. */
export function fleetSentence(tally: FleetTally): Span[] {
  const { all } = tally;
  const parts = troublesIn(tally).map(({ text, query }): Span => ({ text, target: { to: 'filter', query } }));
  if (parts.length === 0) {
    return [
      say(
        all === 1
          ? 'The one application is healthy and in sync.'
          : `All ${all} applications are healthy and in sync.`,
      ),
    ];
  }
  return [say(`Of ${counted(all, 'application')}, `), ...joinedSpans(parts), say('.')];
}

/** The mark of the browser's tab: the worst health, or that of something broken where none of them is ill. */
export const tabHealth = oncePerList((apps): HealthCode => {
  const broken = apps.map(attentionOf).some((one) => one?.cause === 'error' || one?.cause === 'sync');
  return broken ? 'Degraded' : (worstHealth(apps.map(healthOf)) ?? 'Unknown');
});
