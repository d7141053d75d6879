import {
  keyFrom,
  type OperationState,
  type ResourceKey,
  type ResourceResult,
  type ResourceStatus,
  type SyncPhase,
  tallyIn,
} from '#base/model';

/** The outcome of one resource in one phase of an operation. */
type BarState = 'done' | 'pruned' | 'kept' | 'failed' | 'running' | 'waiting';
export type Bar = {
  readonly key: ResourceKey;
  readonly kind: string;
  readonly name: string;
  readonly isHook: boolean;
  readonly state: BarState;
  /** The state in a word. */
  readonly word: string;
  readonly message?: string;
  /** The blocker of a waiting bar. */
  readonly waitsFor?: string;
};
export type PhaseColumn = { readonly wave: number; readonly bars: readonly Bar[] };
export type PhaseLane = { readonly phase: SyncPhase; readonly columns: readonly PhaseColumn[] };
export type WaveBlocker = { readonly phase: SyncPhase; readonly wave: number; readonly bars: readonly Bar[] };
export type Timeline = {
  /** In the order in which they run; phases with nothing in them are left out. */
  readonly lanes: readonly PhaseLane[];
  readonly done: number;
  readonly total: number;
  /** The current blocker of the operation. */
  readonly blocker?: WaveBlocker;
};

const phases: readonly SyncPhase[] = ['PreSync', 'Sync', 'PostSync', 'SyncFail'];

export const isRunning = (state: OperationState | undefined): state is OperationState =>
  state !== undefined && !state.finishedAt && (state.phase === 'Running' || state.phase === 'Terminating');

/**
 * An operation as lanes of phases and columns of waves. Results come from the operation, waves from the application's
 * resources; while it runs, resources without a result yet are shown as waiting.
 */
export function timelineOf(state: OperationState, resources: readonly ResourceStatus[] = []): Timeline {
  const waves = new Map(resources.map((one) => [keyFrom({ group: '', ...one }), one.syncWave ?? 0]));
  const results = state.syncResult?.resources ?? [];
  const isLive = isRunning(state);
  const cells = results.map((result) => ({
    phase: result.syncPhase ?? 'Sync',
    wave: waves.get(keyFrom(result)) ?? 0,
    bar: barOf(result, isLive),
  }));
  const waiting = isLive ? waitingCells(state, resources) : [];
  const lanes = lanesOf([...cells, ...waiting]);
  const blocker = isLive ? blockerIn(lanes) : undefined;
  return {
    lanes: blocker ? withReasons(lanes, blocker) : lanes,
    done: cells.filter(({ bar }) => bar.state !== 'running').length,
    // future hooks are in no list; the operation's message has the total with them
    total: Math.max(cells.length + waiting.length, (isLive && tallyIn(state.message)?.total) || 0),
    ...(blocker && { blocker }),
  };
}

/** `3 of 12`; once something failed, that instead: a bar of failures is no progress. */
export function progressOf({ lanes, done, total }: Timeline): string {
  const bars = lanes.flatMap(({ columns }) => columns.flatMap((column) => column.bars));
  const failed = bars.filter(({ state }) => state === 'failed').length;
  if (failed > 0) return `${failed} of ${total} failed`;
  return total > 0 ? `${done} of ${total}` : '';
}

type Cell = { readonly phase: SyncPhase; readonly wave: number; readonly bar: Bar };

function barOf(result: ResourceResult, isLive: boolean): Bar {
  const state = stateOf(result, isLive);
  const isHook = result.hookType !== undefined;
  return {
    key: keyFrom(result),
    kind: result.kind,
    name: result.name,
    isHook,
    state,
    word: wordOf(state, isHook),
    ...(result.message && { message: result.message }),
  };
}

function stateOf({ status, hookPhase }: ResourceResult, isLive: boolean): BarState {
  if (status === 'SyncFailed' || hookPhase === 'Failed' || hookPhase === 'Error') return 'failed';
  if (status === 'Pruned') return 'pruned';
  if (status === 'PruneSkipped') return 'kept';
  // compat engine S-20: the last wave is never awaited, so a finished operation may leave results in state
  // Running
  return isLive && (hookPhase === 'Running' || hookPhase === 'Terminating') ? 'running' : 'done';
}

function wordOf(state: BarState, isHook: boolean): string {
  const words: Record<BarState, string> = {
    done: isHook ? 'succeeded' : 'synced',
    pruned: 'pruned',
    kept: 'not pruned',
    failed: 'failed',
    running: isHook ? 'running' : 'applied, not yet healthy',
    waiting: 'waiting',
  };
  return words[state];
}

/** The pending resources of the operation: every selected one that has no result yet. */
function waitingCells(state: OperationState, resources: readonly ResourceStatus[]): Cell[] {
  const begun = new Set((state.syncResult?.resources ?? []).map(keyFrom));
  const chosen = state.operation.sync?.resources;
  const wanted = chosen && new Set(chosen.map((one) => keyFrom({ group: '', ...one })));
  return resources.flatMap((one) => {
    const key = keyFrom({ group: '', ...one });
    const isLeft = !one.hook && !begun.has(key) && (!wanted || wanted.has(key));
    const isPrune = one.requiresPruning && !state.operation.sync?.prune;
    if (!isLeft || isPrune) return [];
    const bar: Bar = {
      key,
      kind: one.kind,
      name: one.name,
      isHook: false,
      state: 'waiting',
      word: 'waiting',
    };
    return { phase: 'Sync', wave: one.syncWave ?? 0, bar };
  });
}

function lanesOf(cells: readonly Cell[]): PhaseLane[] {
  return phases.flatMap((phase) => {
    const mine = cells.filter((cell) => cell.phase === phase);
    const waves = [...new Set(mine.map(({ wave }) => wave))].sort((a, b) => a - b);
    const columns = waves.map((wave) => ({
      wave,
      bars: mine.filter((cell) => cell.wave === wave).map(({ bar }) => bar),
    }));
    return columns.length > 0 ? [{ phase, columns }] : [];
  });
}

function blockerIn(lanes: readonly PhaseLane[]): WaveBlocker | undefined {
  for (const { phase, columns } of lanes) {
    for (const { wave, bars } of columns) {
      const running = bars.filter(({ state }) => state === 'running');
      if (running.length > 0) return { phase, wave, bars: running };
    }
  }
  return undefined;
}

function withReasons(lanes: readonly PhaseLane[], blocker: WaveBlocker): PhaseLane[] {
  const waitsFor = blocker.bars.map(({ kind, name }) => `${kind} ${name}`).join(', ');
  return lanes.map((lane) => ({
    ...lane,
    columns: lane.columns.map((column) => ({
      ...column,
      bars: column.bars.map((bar) => (bar.state === 'waiting' ? { ...bar, waitsFor } : bar)),
    })),
  }));
}

/** `wave 1`, from the annotation; the phase where there is but one wave. */
export function stageName({ lanes }: Timeline, { phase, wave }: WaveBlocker): string {
  const waves = lanes.find((lane) => lane.phase === phase)?.columns.length ?? 0;
  if (waves > 1) return phase === 'Sync' ? `wave ${wave}` : `${phase} wave ${wave}`;
  return phase === 'Sync' ? 'the sync' : phase;
}
