import { type HealthOptions, health, trackedBy } from '#engine';
import type { Change, ClusterChange } from '#live';
import { type Application, isKind, type KubeObject, type Settings } from '#model';
import { equal } from '#std';

/** What a change of an Application object asks for. */
export type Asked = { readonly refresh: boolean; readonly operate: boolean };

/** Our own status writes ask for nothing; a new spec, a request or a deletion does. */
export function askedBy({ before, after }: Change): Asked {
  if (!after) return { refresh: true, operate: false };
  const [old, app] = [before as Application | undefined, after as Application];
  const isNew =
    !old ||
    !equal(old.spec, app.spec) ||
    !equal(old.metadata.annotations, app.metadata.annotations) ||
    old.metadata.deletionTimestamp !== app.metadata.deletionTimestamp;
  // an annotation may be the approval that a running operation waits for (S-39)
  const isTold = isNew || !equal(old?.operation, app.operation) || isTerminating(app);
  return { refresh: isNew, operate: isTold && app.operation !== undefined };
}

const isTerminating = ({ status }: Application): boolean => status?.operationState?.phase === 'Terminating';

/**
 * The instance name of the application that a change in a cluster concerns, or undefined when it concerns nobody.
 * compat R-13: an update that changes neither health nor anything a comparison looks at is dropped.
 */
export function concerned(
  { before, after }: ClusterChange,
  settings: Settings,
  options: HealthOptions,
): string[] {
  const names = [before, after].flatMap((object) =>
    object ? (trackedBy(object, settings.tracking) ?? []) : [],
  );
  if (names.length === 0) return [];
  if (before && after && !isNoteworthy(before, after, options)) return [];
  return [...new Set(names)];
}

function isNoteworthy(before: KubeObject, after: KubeObject, options: HealthOptions): boolean {
  if (before.metadata.uid !== after.metadata.uid) return true;
  const [old, now] = [health(before, options), health(after, options)];
  return (
    old?.status !== now?.status || old?.message !== now?.message || !equal(essence(before), essence(after))
  );
}

/** compat: what the stock settings leave out before two states of an object are compared. */
function essence(object: KubeObject): unknown {
  const { status: _status, operation: _operation, ...rest } = object as KubeObject & { operation?: unknown };
  const {
    resourceVersion: _version,
    generation: _generation,
    managedFields: _managed,
    ...metadata
  } = rest.metadata;
  if (!isKind(object, 'argoproj.io', 'Application')) return { ...rest, metadata };
  const { annotations = {} } = metadata;
  const kept = Object.entries(annotations).filter(([name]) => !/refresh|hydrate|notified/.test(name));
  return { ...rest, metadata: { ...metadata, annotations: Object.fromEntries(kept) } };
}
