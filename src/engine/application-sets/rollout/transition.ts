import type { Application, ApplicationRollout } from '#base/model';
import { parseTime } from '#base/model';
import { equal } from '#base/std';

/** One application's part of a rollout, before its step is considered. */
export type RolloutFacts = {
  readonly app: Application;
  readonly entry: ApplicationRollout | undefined;
  /** The target differs from the live spec; undefined: they could not be compared. */
  readonly isChanged: boolean | undefined;
  readonly step: number;
  readonly now: string;
};

/** compat sources 5.6.3: the entry after what happened to the application itself; the very same one when nothing did. */
export function transition(facts: RolloutFacts): ApplicationRollout {
  const { app, entry, isChanged, step } = facts;
  const revisions = revisionsOf(app);
  const first = entry ?? {
    ...entered(facts, 'Waiting', 'No Application status found, defaulting status to Waiting'),
    targetRevisions: [...revisions],
  };
  const current = first.step === String(step) ? first : { ...first, step: String(step) };
  // compat sources ASY-5: where the specs cannot be compared the entry stays, so that nothing loops
  if (isChanged === undefined && entry) return current;
  if (isChanged || !equal(current.targetRevisions ?? [], revisions))
    return outdated(current, revisions, facts);
  return settled(current, facts);
}

const revisionsOf = ({ status }: Application): readonly string[] => revisionsIn(status?.sync);

type Revised = { readonly revision?: string; readonly revisions?: readonly string[] };

function revisionsIn({ revisions = [], revision = '' }: Revised = {}): readonly string[] {
  if (revisions.length > 0) return revisions;
  return revision === '' ? [] : [revision];
}

function outdated(
  current: ApplicationRollout,
  revisions: readonly string[],
  facts: RolloutFacts,
): ApplicationRollout {
  const targetRevisions = [...revisions];
  if (current.status === 'Waiting') {
    return equal(current.targetRevisions ?? [], revisions) ? current : { ...current, targetRevisions };
  }
  const waiting = entered(facts, 'Waiting', 'Application has pending changes, setting status to Waiting');
  return { ...waiting, targetRevisions };
}

function settled(current: ApplicationRollout, facts: RolloutFacts): ApplicationRollout {
  const { status } = facts.app;
  const isSynced = status?.sync?.status === 'Synced';
  const isHealthy = isSynced && status?.health?.status === 'Healthy';
  const next = current.status === 'Pending' ? started(current, facts) : current;
  const to = (name: ApplicationRollout['status'], message: string): ApplicationRollout => ({
    ...entered(facts, name, message),
    ...(next.targetRevisions ? { targetRevisions: next.targetRevisions } : {}),
  });
  if (next.status === 'Waiting' || next.status === 'Progressing') {
    if (isHealthy)
      return to('Healthy', 'Application resource is synced and Healthy, updating status to Healthy');
    if (next.status === 'Waiting' && isSynced) {
      return to('Progressing', 'Application resource is synced, waiting for it to become Healthy');
    }
    if (next.status === 'Progressing' && !isSynced && hasDeployedAnother(facts.app, next))
      return to('Waiting', 'Application was synced to another revision meanwhile, setting status to Waiting');
  }
  return next;
}

/**
 * The target moved during the sync and back before the next pass: no entry shows it, and without automation nothing else would
 * sync the application again. A sync that failed is left alone (sources ASY-6).
 */
function hasDeployedAnother(
  { operation, status }: Application,
  { targetRevisions = [] }: ApplicationRollout,
): boolean {
  const { phase, syncResult } = status?.operationState ?? {};
  if (operation !== undefined || phase !== 'Succeeded') return false;
  const deployed = revisionsIn(syncResult);
  return deployed.length > 0 && !equal(deployed, targetRevisions);
}

/** compat sources 5.6.3: a pending application progresses once the controller has seen it and its sync began, or cannot. */
function started(current: ApplicationRollout, facts: RolloutFacts): ApplicationRollout {
  const { reconciledAt, operationState, conditions = [] } = facts.app.status ?? {};
  const since = parseTime(current.lastTransitionTime) ?? 0;
  const isSince = (time: string | undefined): boolean => (parseTime(time) ?? -1) >= since;
  if (!isSince(reconciledAt)) return current;
  const isBroken = conditions.some(({ type }) => type === 'InvalidSpecError' || type === 'UnknownError');
  if (!isSince(operationState?.startedAt) && !isBroken) return current;
  const message = isBroken
    ? 'Application resource has an error, updating status to Progressing'
    : 'Application resource became Progressing, updating status from Pending to Progressing';
  return {
    ...entered(facts, 'Progressing', message),
    ...(current.targetRevisions ? { targetRevisions: current.targetRevisions } : {}),
  };
}

function entered(
  { app, step, now }: RolloutFacts,
  status: ApplicationRollout['status'],
  message: string,
): ApplicationRollout {
  return { application: app.metadata.name, status, step: String(step), message, lastTransitionTime: now };
}
