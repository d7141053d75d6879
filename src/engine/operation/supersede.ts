import {
  type Application,
  isAutomated,
  type OperationState,
  type Settings,
  type SyncStatusCode,
} from '#base/model';
import { equal } from '#base/std';
import { isCompleted } from './operation.ts';

/**
 * Whether a newer revision may end an automated sync that has not come through: never, while it waits between two
 * attempts, or whenever it runs.
 */
export type Supersede = Settings['application']['supersede'];

const supersedeAnnotation = 'fairlead.io/supersede';

/**
 * A state that terminates the running operation in favour of the newly compared revision; undefined: it
 * continues.
 */
export function supersession(
  app: Application,
  { status, revisions }: { readonly status: SyncStatusCode; readonly revisions: readonly string[] },
  setting: Supersede = 'off',
): { readonly state: OperationState; readonly why: string } | undefined {
  const state = app.status?.operationState;
  const mode = modeOf(app, setting);
  if (mode === 'off' || !state || !app.operation || status !== 'OutOfSync') return undefined;
  if (!isOurs(app, state) || !isElsewhere(state, revisions)) return undefined;
  // compat engine R-40: a running attempt continues unless the user configures otherwise
  if (mode === 'retrying' && !state.finishedAt) return undefined;
  const why = `superseded by ${revisions.map((revision) => revision.slice(0, 7)).join(', ')}`;
  return { state: { ...state, phase: 'Terminating', message: why }, why };
}

function modeOf({ metadata }: Application, setting: Supersede): Supersede {
  const own = metadata.annotations?.[supersedeAnnotation];
  return own === 'off' || own === 'retrying' || own === 'running' ? own : setting;
}

/** Only the user may stop an operation that the user started; a dry run ends by itself. */
function isOurs(app: Application, state: OperationState): boolean {
  const { initiatedBy, sync } = state.operation;
  return (
    isAutomated(app.spec) &&
    !app.metadata.deletionTimestamp &&
    state.phase === 'Running' &&
    !isCompleted(state) &&
    initiatedBy?.automated === true &&
    !sync?.dryRun
  );
}

/** It is pinned to other revisions than those there are now. */
function isElsewhere(state: OperationState, revisions: readonly string[]): boolean {
  const pinned = state.syncResult ?? state.operation.sync ?? {};
  const held = pinned.revisions?.length ? pinned.revisions : [pinned.revision ?? ''];
  return held.some((revision) => revision !== '') && !equal(held, [...revisions]);
}
