import type { Application, Initiator, OperationState, RevisionHistory } from '#base/model';

/** The sync that brought what runs. */
export type Deployed = {
  readonly by: Initiator | undefined;
  /** When it began. */
  readonly at: string;
  /** It is the last operation, which the timeline shows. */
  readonly isLast: boolean;
};

type Revisions = { readonly revision?: string; readonly revisions?: readonly string[] };
const revisionsIn = ({ revision, revisions }: Revisions): readonly string[] =>
  revisions?.length ? revisions : revision ? [revision] : [];
const isSame = (a: Revisions, b: Revisions): boolean => {
  const [one, other] = [revisionsIn(a), revisionsIn(b)];
  return one.length > 0 && one.length === other.length && one.every((revision, at) => revision === other[at]);
};

/** It succeeded, with all of the application: no dry run, and no choice of resources. */
const isWhole = ({ phase, operation: { sync } }: OperationState): boolean =>
  phase === 'Succeeded' && !sync?.dryRun && !sync?.resources?.length;

/** The revision that the last operation brought, of several sources the first; undefined: it brought none as a whole. */
export function syncedRevision(state: OperationState | undefined): string | undefined {
  return state && isWhole(state) ? revisionsIn(state.syncResult ?? {})[0] : undefined;
}

/**
 * The sync since which the compared revision runs: the first of those that brought it in a row. `of old`: the history
 * does not reach back to it; undefined: no known sync brought it.
 */
export function runningSince({ status }: Application): Deployed | 'of old' | undefined {
  const { sync, operationState: state, history = [] } = status ?? {};
  if (!sync) return undefined;
  const other = history.findLastIndex((entry) => !isSame(entry, sync));
  const first = history[other + 1];
  if (first) return other < 0 && first.id > 0 ? 'of old' : deployed(first, other + 2 === history.length);
  const isLast = state !== undefined && isWhole(state) && isSame(state.syncResult ?? {}, sync);
  return isLast ? { by: state.operation.initiatedBy, at: state.startedAt, isLast } : undefined;
}

const deployed = (
  { initiatedBy, deployStartedAt, deployedAt }: RevisionHistory,
  isLast: boolean,
): Deployed => ({
  by: initiatedBy,
  at: deployStartedAt ?? deployedAt,
  isLast,
});
