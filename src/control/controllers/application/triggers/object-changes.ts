import {
  type Application,
  gvkOf,
  isAutomated,
  type KubeObject,
  keyFrom,
  parseKey,
  refreshRequest,
  type Settings,
  standingAnnotations,
} from '#base/model';
import { equal } from '#base/std';
import type { ClusterCache, ClusterChange, ObjectChange } from '#control/live';
import {
  type HealthOptions,
  health,
  hookFinalizersOf,
  isCompleted,
  isSignificantChange,
  nodeOf,
  podProblem,
  type RefreshLevel,
  type Tracking,
  trackedBy,
  type UpdateRules,
  updateRules,
} from '#engine';

/** The passes that a change of an Application object triggers. `level`: the minimum level of the refresh. */
export type RequestedWork = {
  readonly refresh: boolean;
  readonly level?: RefreshLevel;
  readonly operate: boolean;
};

/** Our own status writes trigger nothing; a new spec, a request or a deletion does. */
export function requestedBy({ before, after }: ObjectChange): RequestedWork {
  if (!after) return { refresh: true, operate: false };
  const [old, app] = [before as Application | undefined, after as Application];
  const isNew =
    !old ||
    !equal(old.spec, app.spec) ||
    !equal(requestAnnotations(old, app), requestAnnotations(app, app)) ||
    old.metadata.deletionTimestamp !== app.metadata.deletionTimestamp ||
    (old.status?.reconciledAt !== undefined && !app.status?.reconciledAt); // compat engine R-8: as if it were never reconciled
  // an annotation may be the approval that a running operation waits for (engine S-39)
  const mayResume = isNew || isOperationChanged(old, app);
  const isBare = old !== undefined && !app.metadata.deletionTimestamp && lostFinalizer(old, app);
  const level = old && (isBare || (isNew && isDueAfter(old, app))) ? ('tracked' as const) : undefined;
  return { refresh: isNew || isBare, ...(level && { level }), operate: mayResume && mayOperate(app) };
}

/** The annotations that may trigger a pass. A refresh annotation no longer counts once it is removed. */
function requestAnnotations(app: Application, now: Application): object {
  return refreshRequest(now) === undefined ? standingAnnotations(app) : (app.metadata.annotations ?? {});
}

/** Applying an Application from a file removes the finalizers of its hooks; a refresh adds them back (engine A-28). */
function lostFinalizer(before: Application, after: Application): boolean {
  const held = hookFinalizersOf(after);
  return hookFinalizersOf(before).some((name) => !held.includes(name));
}

/**
 * compat engine §2.3: enabling automated sync or self-heal triggers a decision at once.
 * dev engine §2.3: so does another project, whose rules the application may break; Argo CD reports that at the next interval.
 */
function isDueAfter({ spec: before }: Application, { spec: after }: Application): boolean {
  const heals = ({ syncPolicy }: Application['spec']): boolean => syncPolicy?.automated?.selfHeal === true;
  const isTurnedOn = isAutomated(after) && (!isAutomated(before) || (heals(after) && !heals(before)));
  return isTurnedOn || before.project !== after.project;
}

/** There is an operation, or the record of one that was removed before its end. */
export function mayOperate({ operation, status }: Application): boolean {
  const state = status?.operationState;
  return operation !== undefined || (state !== undefined && !isCompleted(state));
}

function isOperationChanged(old: Application, app: Application): boolean {
  const wasOperationRemoved = isRecordWithoutOperation(app) && !isRecordWithoutOperation(old);
  return !equal(old.operation, app.operation) || isTerminating(app) || wasOperationRemoved;
}

/** dev engine R-32: an unfinished record without an operation. */
const isRecordWithoutOperation = (app: Application): boolean =>
  app.operation === undefined && mayOperate(app);

const isTerminating = ({ status }: Application): boolean => status?.operationState?.phase === 'Terminating';

/**
 * The instance names of the applications that a change in a cluster affects.
 * compat engine R-13: an update that changes neither the health code nor anything a comparison reads is dropped.
 */
export function applicationsOf(
  { before, after }: ClusterChange,
  settings: Settings,
  options: HealthOptions,
): string[] {
  const names = [before, after].flatMap((object) =>
    object ? (trackedBy(object, settings.tracking) ?? []) : [],
  );
  if (names.length === 0) return [];
  const rules = rulesOf(settings);
  if (before && after && !isSignificantChange(before, after, { rules, health: options, isTracked: true }))
    return [];
  return [...new Set(names)];
}

/**
 * The applications that declare a definition which was added, removed or changed. compat engine T-4: it has no tracking label
 * or annotation, so nothing else names its application; Argo CD finds out at the next interval.
 */
export function applicationsDeclaring(
  { key, before, after }: ClusterChange,
  all: () => readonly Application[],
): Application[] {
  const { group, kind, name } = parseKey(key);
  if (kind !== 'CustomResourceDefinition' || group !== 'apiextensions.k8s.io') return [];
  if (equal(before?.spec, after?.spec)) return [];
  return all().filter(({ status }) =>
    (status?.resources ?? []).some((one) => one.kind === kind && one.group === group && one.name === name),
  );
}

/** The depth limit of owner references; real ones are less deep. */
const heightLimit = 16;

/**
 * compat engine R-7: the instance names of the applications whose tree a change affects: those whose managed objects own it.
 * None if it changes nothing that the status shows of a tree, its images and links: a Pod changes often.
 */
export function applicationsAbove(
  { before, after }: ClusterChange,
  cache: Pick<ClusterCache, 'get'>,
  tracking: Tracking,
): string[] {
  const object = after ?? before;
  if (!object?.metadata.ownerReferences?.length || equal(reported(before), reported(after))) return [];
  return ownersOf(object, cache, tracking);
}

/**
 * dev engine H-12: the instance names of the applications whose health message a change alters while no health code changes:
 * the message of a managed object, or the reason why a Pod below one does not run.
 */
export function reworded(
  { before, after }: ClusterChange,
  cache: Pick<ClusterCache, 'get'>,
  settings: Pick<Settings, 'tracking'>,
  options: HealthOptions,
): string[] {
  const object = after ?? before;
  if (!object) return [];
  if (object.metadata.ownerReferences?.length) {
    const [was, is] = [before, after].map((one) => one && podProblem(one)?.text);
    return was === is ? [] : ownersOf(object, cache, settings.tracking);
  }
  if (!before || !after) return [];
  const instance = trackedBy(after, settings.tracking);
  if (instance === undefined) return [];
  const [was, is] = [before, after].map((one) => health(one, { ...options, podsOf: () => [] })?.message);
  return was === is ? [] : [instance];
}

/** The instance names of the applications whose managed objects own an object. */
function ownersOf(object: KubeObject, cache: Pick<ClusterCache, 'get'>, tracking: Tracking): string[] {
  const found = new Set<string>();
  let level = parentsOf(object, cache);
  for (let height = 0; height < heightLimit && level.length > 0; height++) {
    const roots = level.filter(({ metadata }) => !metadata.ownerReferences?.length);
    for (const root of roots) {
      const instance = trackedBy(root, tracking);
      if (instance !== undefined) found.add(instance);
    }
    level = level.flatMap((one) => parentsOf(one, cache));
  }
  return [...found];
}

function reported(object: KubeObject | undefined): unknown {
  if (!object) return undefined;
  const { images, networkingInfo } = nodeOf(object);
  return { images, urls: networkingInfo?.externalURLs };
}

function parentsOf({ metadata }: KubeObject, cache: Pick<ClusterCache, 'get'>): KubeObject[] {
  const { namespace, ownerReferences = [] } = metadata;
  return ownerReferences.flatMap(({ apiVersion, kind, name, uid }) => {
    const wide = { group: gvkOf({ apiVersion, kind }).group, kind, name };
    const beside = namespace ? cache.get(keyFrom({ ...wide, namespace })) : undefined;
    const parent = beside ?? cache.get(keyFrom(wide));
    return parent?.metadata.uid === uid ? [parent] : [];
  });
}

/** Computed once for each version of the settings, not once for each change of an object. */
const rulesBySettings = new WeakMap<Settings, { readonly rules: UpdateRules }>();

function rulesOf(settings: Settings): UpdateRules {
  const known = rulesBySettings.get(settings);
  if (known) return known.rules;
  const rules = updateRules(settings.resources);
  rulesBySettings.set(settings, { rules });
  return rules;
}
