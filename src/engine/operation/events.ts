import type { Application, OperationState } from '#base/model';
import { isCompleted } from './operation.ts';

/** An event to raise on an Application object. */
export type ApplicationEvent = {
  readonly type: 'Normal' | 'Warning';
  readonly reason:
    | 'OperationStarted'
    | 'OperationCompleted'
    | 'ResourceUpdated'
    | 'StatusRefreshed'
    | 'ResourceCreated'
    | 'ResourceDeleted'
    | 'ResourceActionRan';
  readonly message: string;
};

type Seen = Application | undefined;

/**
 * compat engine: the events for one change of an Application. Calling it again for the same change
 * yields no new event.
 */
export function eventsFor(before: Seen, after: Seen): readonly ApplicationEvent[] {
  if (!after) return before ? [normal('ResourceDeleted', 'application deleted')] : [];
  if (!before) return [normal('ResourceCreated', 'application created')];
  return [
    ...operationEvents(before, after),
    ...syncEvents(before, after),
    ...healthEvents(before, after),
    ...deletionEvents(before, after),
    ...failureEvents(before, after),
  ];
}

/**
 * dev engine A-37: an event reports an Application that loses its finalizers because its cluster is unknown.
 */
export function abandonedEvent(server: string): ApplicationEvent {
  return warning(
    'StatusRefreshed',
    `the cluster ${server} is not known: the application goes, and what it deployed there stays`,
  );
}

/** dev engine R-21: a wait names what it waits for. No condition would do: nothing is wrong with the application. */
export function heldEvent(why: string): ApplicationEvent {
  return normal('StatusRefreshed', `automated sync waits: ${why}`);
}

/**
 * dev engine A-31: a deleted Application leaves objects that its project no longer permits; its events report
 * them.
 */
export function leftBehindEvent(message: string): ApplicationEvent {
  return warning('StatusRefreshed', `the application goes, and not everything it deployed: ${message}`);
}

function operationEvents(before: Application, after: Application): ApplicationEvent[] {
  const [old, now] = [before.status?.operationState, after.status?.operationState];
  if (!now) return [];
  const isNew = old?.startedAt !== now.startedAt;
  const wasRunning = old !== undefined && !isNew && !isCompleted(old);
  const started = isNew ? [normal('OperationStarted', `${initiator(now)} started ${described(now)}`)] : [];
  if (!isCompleted(now) || !(isNew || wasRunning)) return started;
  const reported = now.message ? `: ${now.message}` : '';
  const text = `${described(now)} ended as ${now.phase}${reported}`;
  const ended =
    now.phase === 'Succeeded' ? normal('OperationCompleted', text) : warning('OperationCompleted', text);
  return [...started, ended];
}

function initiator({ operation }: OperationState): string {
  if (operation.initiatedBy?.username) return operation.initiatedBy.username;
  return operation.initiatedBy?.automated ? 'automated sync' : 'an unknown user';
}

function described({ operation, syncResult }: OperationState): string {
  const { sync } = operation;
  const revisions = syncResult?.revisions ??
    sync?.revisions ?? [syncResult?.revision ?? sync?.revision ?? ''];
  const at = revisions.filter((revision) => revision !== '').join(', ');
  const what = sync?.dryRun ? 'a dry run' : sync?.resources?.length ? 'a partial sync' : 'a sync';
  return at ? `${what} to ${at}` : what;
}

function syncEvents(before: Application, after: Application): ApplicationEvent[] {
  const [old, now] = [before.status?.sync?.status ?? 'Unknown', after.status?.sync?.status];
  if (!now || now === old) return [];
  return [normal('ResourceUpdated', `sync status went from ${old} to ${now}`)];
}

function healthEvents(before: Application, after: Application): ApplicationEvent[] {
  const old = before.status?.health?.status ?? 'Unknown';
  const { status: now, message } = after.status?.health ?? {};
  if (!now || now === old) return [];
  const causes = message ? `, because of ${message}` : '';
  return [normal('ResourceUpdated', `health went from ${old} to ${now}${causes}`)];
}

function deletionEvents(before: Application, after: Application): ApplicationEvent[] {
  const problem = ({ status }: Application): string =>
    (status?.conditions ?? [])
      .flatMap(({ type, message }) => (type === 'DeletionError' ? message : []))
      .join('; ');
  const now = problem(after);
  if (!now || now === problem(before)) return [];
  const reported = after.metadata.deletionTimestamp ? `cannot be deleted: ${now}` : now;
  return [warning('StatusRefreshed', reported)];
}

/** A failure of a kind that was not there before; another word about the same kind is no news. */
function failureEvents(before: Application, after: Application): ApplicationEvent[] {
  const old = new Set(failuresOf(before).map(({ kind }) => kind));
  return failuresOf(after)
    .filter(({ kind }) => !old.has(kind))
    .map(({ message }) => warning('StatusRefreshed', message));
}

function failuresOf({ status }: Application): { readonly kind: string; readonly message: string }[] {
  return (status?.conditions ?? [])
    .filter(({ type }) => type.endsWith('Error') && type !== 'DeletionError')
    .map(({ type, message }) => ({ kind: `${type} ${/^\w+ failure/.exec(message)?.[0] ?? ''}`, message }));
}

const normal = (reason: ApplicationEvent['reason'], message: string): ApplicationEvent => ({
  type: 'Normal',
  reason,
  message,
});
const warning = (reason: ApplicationEvent['reason'], message: string): ApplicationEvent => ({
  type: 'Warning',
  reason,
  message,
});
