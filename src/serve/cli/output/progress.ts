import type { Application, ResourceResult, ResourceStatus } from '#base/model';
import { colourOf, type Paint } from './colour.ts';
import { headlineOf } from './problem.ts';

type Entry = {
  readonly wave: number;
  readonly label: string;
  readonly state: string;
  readonly isDone: boolean;
  readonly message: string;
};

/**
 * What a sync has done and what it waits for, wave by wave: finished waves in one line each, then every resource that is
 * not done yet, with the reason, and last what blocks the operation.
 */
export function progressLines(app: Application, paint: Paint): string[] {
  const waves = new Map<number, Entry[]>();
  for (const entry of entriesOf(app)) waves.set(entry.wave, [...(waves.get(entry.wave) ?? []), entry]);
  const lines = [...waves]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([wave, entries]) => waveLines(wave, entries, paint));
  const headline = headlineOf(app);
  const phase = app.operation ? 'requested' : app.status?.operationState?.phase;
  const head = [
    `${app.metadata.name}:`,
    painted(app.status?.sync?.status ?? 'Unknown', paint),
    painted(app.status?.health?.status ?? 'Unknown', paint),
    phase ? `operation ${painted(phase, paint)}` : '',
  ];
  return [
    head.filter(Boolean).join(' '),
    ...lines,
    ...(headline
      ? [`  ${paint(headline.label === 'Problem' ? 'red' : 'yellow', headline.label)}: ${headline.text}`]
      : []),
  ];
}

function waveLines(wave: number, entries: readonly Entry[], paint: Paint): string[] {
  const left = entries.filter(({ isDone }) => !isDone);
  const done = entries.length - left.length;
  const mark = left.length === 0 ? paint('green', '✓') : paint('blue', '●');
  const lines = left.map(({ label, state, message }) =>
    [`      ${label}`, painted(state, paint), paint('faint', message)].filter(Boolean).join('  '),
  );
  return [`  ${mark} wave ${wave}: ${done} of ${entries.length} done`, ...lines];
}

function painted(state: string, paint: Paint): string {
  const colour = colourOf(state);
  return colour ? paint(colour, state) : state;
}

function entriesOf({ status }: Application): Entry[] {
  const results = new Map(
    (status?.operationState?.syncResult?.resources ?? []).map((one) => [refOf(one), one]),
  );
  const own = (status?.resources ?? []).map((resource) => entryOf(resource, results.get(refOf(resource))));
  const known = new Set((status?.resources ?? []).map(refOf));
  const hooks = [...results.values()].filter((one) => one.hookType && !known.has(refOf(one)));
  return [...own, ...hooks.map(hookEntry)];
}

function entryOf(resource: ResourceStatus, result: ResourceResult | undefined): Entry {
  const { kind, name, status = '', health, syncWave: wave = 0 } = resource;
  const isHealthy = health === undefined || health.status === 'Healthy';
  const state =
    result?.status === 'SyncFailed'
      ? 'SyncFailed'
      : status === 'Synced'
        ? (health?.status ?? status)
        : status;
  return {
    ...{ wave, state },
    label: `${kind} ${name}`,
    isDone: status === 'Synced' && isHealthy,
    message: health?.message ?? result?.message ?? '',
  };
}

const hookEntry = ({ kind, name, hookType, hookPhase = 'Running', message = '' }: ResourceResult): Entry => ({
  wave: hookType === 'PreSync' ? -1 : 0,
  label: `${hookType} hook ${kind} ${name}`,
  state: hookPhase,
  isDone: hookPhase === 'Succeeded',
  message,
});

const refOf = ({ group = '', kind, namespace = '', name }: ResourceStatus | ResourceResult): string =>
  `${group}/${kind}/${namespace}/${name}`;
