import { type Application, historyLimit, type OperationState, type RevisionHistory } from '#base/model';
import { revisionsIn } from './operation.ts';

/** compat engine R-44: the history after this operation; the same list when it does not belong there. */
export function historyAfter(app: Application, state: OperationState): readonly RevisionHistory[] {
  const history = app.status?.history ?? [];
  const { sync } = state.operation;
  if (state.phase !== 'Succeeded' || sync?.dryRun || sync?.resources?.length) return history;
  const limit = historyLimit(app.spec);
  const id = (history.at(-1)?.id ?? -1) + 1;
  return limit === 0 ? [] : [...history, historyEntry(state, id)].slice(-limit);
}

function historyEntry(
  { syncResult, operation, startedAt, finishedAt }: OperationState,
  id: number,
): RevisionHistory {
  const { source, sources } = syncResult ?? {};
  return {
    id,
    ...revisionsIn(syncResult),
    ...(source && { source }),
    ...(sources?.length && { sources }),
    deployStartedAt: startedAt,
    deployedAt: finishedAt ?? startedAt,
    ...(operation.initiatedBy && { initiatedBy: operation.initiatedBy }),
  };
}
