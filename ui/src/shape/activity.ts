import type { Application, KubeObject } from '#base/model';
import { parseTime } from '#base/model';
import { eventLinesOf } from './events.ts';
import { isWaitingToRetry } from './failing-sync.ts';
import { healthCode, syncCode, type Tone, toneOfHealth, toneOfSync } from './state.ts';

/** A stretch of time in one state. */
export type Stint = {
  readonly from: number;
  readonly to: number;
  readonly state: string;
  readonly tone: Tone;
};
type Tick = { readonly at: number; readonly text: string; readonly tone: Tone };

/** What happened to an application, from its history and its events. */
export type Activity = {
  readonly from: number;
  readonly to: number;
  readonly health: readonly Stint[];
  readonly sync: readonly Stint[];
  readonly syncs: readonly Tick[];
};

const changed = /^(health|sync status) went from (\w+) to (\w+)/;
const ended = /ended as (\w+)/;

/** The plot of syncs, drift and health; undefined: nothing is known yet. Events last about an hour in a cluster. */
export function activityOf(
  { status }: Application,
  events: readonly KubeObject[],
  now: number,
): Activity | undefined {
  const lines = occurrencesOf(events);
  const changes = lines.flatMap(({ message, at }) => {
    const [, what, was = '', is = ''] = changed.exec(message) ?? [];
    return what ? [{ what, was, is, at }] : [];
  });
  const syncs = [...deployed(status?.history ?? []), ...lines.flatMap(failure), ...attempt(status)];
  const times = [...changes.map(({ at }) => at), ...syncs.map(({ at }) => at)];
  if (times.length === 0) return undefined;
  const from = Math.min(...times, now - minute);
  const stints = (what: string, current: string | undefined, toneOf: (word: string) => Tone) =>
    stintsOf(
      changes.filter((one) => one.what === what),
      { from, to: now, current, toneOf },
    );
  return {
    from,
    to: now,
    health: stints('health', status?.health?.status, (word) => toneOfHealth(healthCode(word))),
    sync: stints('sync status', status?.sync?.status, (word) => toneOfSync(syncCode(word))),
    syncs: syncs.sort((a, b) => a.at - b.at),
  };
}

/** Oldest first. An event that counts several has two times that are known: the first and the last. */
function occurrencesOf(events: readonly KubeObject[]): { message: string; at: number }[] {
  return eventLinesOf(events)
    .flatMap(({ message, at, since }) =>
      [since, at].flatMap((time) => (time === undefined ? [] : [{ message, at: time }])),
    )
    .sort((a, b) => a.at - b.at);
}

const minute = 60_000;

function deployed(history: NonNullable<Application['status']>['history']): Tick[] {
  return (history ?? []).flatMap(({ deployedAt, revision = '' }) => {
    const at = parseTime(deployedAt);
    return at === undefined ? [] : [{ at, text: `synced ${revision.slice(0, 7)}`, tone: 'good' as const }];
  });
}

function failure({ message, at }: { message: string; at: number }): Tick[] {
  const [, phase] = ended.exec(message) ?? [];
  return phase && phase !== 'Succeeded' ? [{ at, text: message, tone: 'bad' }] : [];
}

/** The last attempt of a sync that is tried again: it has not ended, so no event has it. */
function attempt(status: Application['status']): Tick[] {
  const state = status?.operationState;
  const at = isWaitingToRetry(state) ? parseTime(state?.finishedAt) : undefined;
  return at === undefined ? [] : [{ at, text: `attempt ${state?.retryCount} failed`, tone: 'bad' }];
}

type Line = {
  readonly from: number;
  readonly to: number;
  readonly current: string | undefined;
  toneOf(word: string): Tone;
};

type StateChange = { readonly was: string; readonly is: string; readonly at: number };

/** Events have whole seconds: of those in one second, each follows the one whose state it leaves. */
function inOrder(changes: readonly StateChange[]): StateChange[] {
  const left = [...changes];
  const ordered: StateChange[] = [];
  while (left.length > 0) {
    const [first] = left as [StateChange];
    const [state, second] = [ordered.at(-1)?.is, left.filter(({ at }) => at === first.at)];
    const entered = new Set(second.map(({ is }) => is));
    const next =
      second.find(({ was }) => was === state) ?? second.find(({ was }) => !entered.has(was)) ?? first;
    left.splice(left.indexOf(next), 1);
    ordered.push(next);
  }
  return ordered;
}

function stintsOf(changes: readonly StateChange[], { from, to, current, toneOf }: Line): Stint[] {
  const ordered = inOrder(changes);
  const first = ordered[0]?.was ?? current;
  if (!first) return [];
  const states = [{ state: first, at: from }, ...ordered.map(({ is, at }) => ({ state: is, at }))];
  return states
    .map(({ state, at }, index) => ({
      state,
      from: at,
      to: states[index + 1]?.at ?? to,
      tone: toneOf(state),
    }))
    .filter((stint) => stint.to > stint.from);
}
