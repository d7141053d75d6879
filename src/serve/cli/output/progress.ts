import type { Application, HookType, ResourceResult, ResourceStatus } from '#base/model';
import { colourOf, type Paint } from './colour.ts';
import { headlineOf } from './problem.ts';

type Entry = {
  readonly stage: Stage;
  readonly label: string;
  readonly state: string;
  readonly isDone: boolean;
  readonly message: string;
};

/** `order` is where it stands in a sync: the phases of hooks around the waves of the resources. */
type Stage = { readonly name: string; readonly order: readonly [phase: number, wave: number] };

/** The phases in the order in which they run; the waves of the resources are those of Sync, beside its hooks. */
const phases: readonly HookType[] = ['PreSync', 'Sync', 'PostSync', 'SyncFail'];

const waveStage = (wave: number): Stage => ({ name: `wave ${wave}`, order: [phases.indexOf('Sync'), wave] });

/** A result does not say in which wave its hook ran: those of Sync stand after its waves. */
const hookStage = (phase: HookType): Stage => ({
  name: `${phase} hooks`,
  order: [phases.includes(phase) ? phases.indexOf(phase) : phases.length, Number.MAX_SAFE_INTEGER],
});

/**
 * What a sync has done and what it waits for, by phase and wave: finished ones in one line each, then every resource that is
 * not done yet, with the reason, and last what blocks the operation.
 */
export function progressLines(app: Application, paint: Paint): string[] {
  const entries = entriesOf(app);
  const stages = [...new Map(entries.map(({ stage }) => [stage.name, stage])).values()].toSorted(
    ({ order: [a, i] }, { order: [b, j] }) => a - b || i - j,
  );
  const lines = stages.flatMap(({ name }) =>
    stageLines(
      name,
      entries.filter(({ stage }) => stage.name === name),
      paint,
    ),
  );
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

function stageLines(name: string, entries: readonly Entry[], paint: Paint): string[] {
  const left = entries.filter(({ isDone }) => !isDone);
  const done = entries.length - left.length;
  const mark = left.length === 0 ? paint('green', '✓') : paint('blue', '●');
  const lines = left.map(({ label, state, message }) =>
    [`      ${label}`, painted(state, paint), paint('faint', message)].filter(Boolean).join('  '),
  );
  return [`  ${mark} ${name}: ${done} of ${entries.length} done`, ...lines];
}

function painted(state: string, paint: Paint): string {
  const colour = colourOf(state);
  return colour ? paint(colour, state) : state;
}

function entriesOf({ status }: Application): Entry[] {
  const all = status?.operationState?.syncResult?.resources ?? [];
  const results = new Map(all.map((one) => [refOf(one), one]));
  const own = (status?.resources ?? []).map((resource) => entryOf(resource, results.get(refOf(resource))));
  const known = new Set((status?.resources ?? []).map(refOf));
  // a hook of two phases has a result in each
  const hooks = all.filter((one) => one.hookType && !known.has(refOf(one)));
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
    ...{ stage: waveStage(wave), state },
    label: `${kind} ${name}`,
    isDone: status === 'Synced' && isHealthy,
    message: health?.message ?? result?.message ?? '',
  };
}

const hookEntry = ({ kind, name, hookType = 'Sync', ...rest }: ResourceResult): Entry => {
  const { syncPhase = hookType, hookPhase = 'Running', message = '' } = rest;
  return {
    stage: hookStage(syncPhase),
    label: `hook ${kind} ${name}`,
    state: hookPhase,
    isDone: hookPhase === 'Succeeded',
    message,
  };
};

const refOf = ({ group = '', kind, namespace = '', name }: ResourceStatus | ResourceResult): string =>
  `${group}/${kind}/${namespace}/${name}`;
