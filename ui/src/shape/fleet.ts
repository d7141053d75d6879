import type { Application, HealthCode, SyncStatusCode } from '#base/model';
import { isRunning } from './operation-timeline.ts';
import { counted, type Span, say } from './span.ts';
import { healthCode, healthCodes, syncCode, syncCodes } from './state.ts';

export type Segment<Code> = { readonly code: Code; readonly count: number; readonly share: number };
export type Strip = {
  readonly health: readonly Segment<HealthCode>[];
  readonly sync: readonly Segment<SyncStatusCode>[];
};

export const healthOf = ({ status }: Application): HealthCode => healthCode(status?.health?.status);
export const syncOf = ({ status }: Application): SyncStatusCode => syncCode(status?.sync?.status);

/** How many applications are in each state, worst first; empty states are left out. */
export function stripOf(apps: readonly Application[]): Strip {
  return { health: segments(apps.map(healthOf), healthCodes), sync: segments(apps.map(syncOf), syncCodes) };
}

function segments<Code>(states: readonly Code[], codes: readonly Code[]): Segment<Code>[] {
  return codes.flatMap((code) => {
    const count = states.filter((state) => state === code).length;
    return count > 0 ? [{ code, count, share: count / states.length }] : [];
  });
}

/** Healths that need a user. Progressing and Suspended are transient, or on purpose. */
export const wantsAttention = (app: Application): boolean => troubled.has(healthOf(app)) || hasFailed(app);
const troubled: ReadonlySet<HealthCode> = new Set(['Degraded', 'Missing', 'Unknown']);

const hasFailed = ({ status }: Application): boolean =>
  status?.operationState?.phase === 'Failed' || status?.operationState?.phase === 'Error';

export const isSyncing = ({ status }: Application): boolean => isRunning(status?.operationState);

export type Tally = {
  readonly all: number;
  readonly attention: number;
  readonly drifted: number;
  readonly syncing: number;
};

export function tallyOf(apps: readonly Application[]): Tally {
  return {
    all: apps.length,
    attention: apps.filter(wantsAttention).length,
    drifted: apps.filter((app) => syncOf(app) === 'OutOfSync').length,
    syncing: apps.filter(isSyncing).length,
  };
}

/** The sentence that opens the list: is it all right? Its numbers are filters. */
export function fleetSentence({ all, attention, drifted, syncing }: Tally): Span[] {
  const bad = link(`${attention} ${attention === 1 ? 'needs' : 'need'} attention`, 'attention=yes');
  const drift = link(`${drifted} ${drifted === 1 ? 'is' : 'are'} out of sync`, 'sync=OutOfSync');
  const busy = link(`${syncing} ${syncing === 1 ? 'is' : 'are'} syncing`, 'operation=Running');
  const parts = [...(attention ? [bad] : []), ...(drifted ? [drift] : []), ...(syncing ? [busy] : [])];
  if (parts.length === 0) {
    return [
      say(
        all === 1
          ? 'The one application is healthy and in sync.'
          : `All ${all} applications are healthy and in sync.`,
      ),
    ];
  }
  return [say(`Of ${counted(all, 'application')}, `), ...joined(parts), say('.')];
}

const link = (text: string, query: string): Span => ({ text, target: { to: 'filter', query } });

function joined(parts: readonly Span[]): Span[] {
  return parts.flatMap((part, at) => {
    if (at === 0) return [part];
    return [say(at === parts.length - 1 ? ' and ' : ', '), part];
  });
}
