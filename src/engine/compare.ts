import {
  type Application,
  type ApplicationCondition,
  annotation,
  annotationList,
  type GroupKind,
  groupOf,
  type Health,
  instanceName,
  isApplication,
  isKind,
  type KubeObject,
  keyFrom,
  keyOf,
  type ResourceKey,
  type ResourceStatus,
  type Settings,
  type SyncStatusCode,
  syncWaveOf,
} from '#model';
import { equal, FairleadError } from '#std';
import { type DiffOptions, diff, type ObjectDiff } from './diff/diff.ts';
import { ignoreRules } from './diff/ignore.ts';
import { aggregateHealth } from './health/aggregate.ts';
import type { HealthOptions } from './health/health.ts';
import { refOf } from './node.ts';
import { isDeleteHook, isHook, isIgnoredHook, isSkipped } from './sync/hooks.ts';
import { needsDeletionConfirmation } from './sync/options.ts';
import type { Target } from './target.ts';
import { isSelfReferenced, type Tracking, trackedBy } from './tracking.ts';

export type ResourceComparison = {
  readonly key: ResourceKey;
  readonly target?: KubeObject;
  readonly live?: KubeObject;
  readonly diff: ObjectDiff;
  /** False for what is only shown: hooks, skipped objects, and objects that bear a copied mark (T-6). */
  readonly managed: boolean;
  /** The row of status.resources. */
  readonly status: ResourceStatus;
};

export type Comparison = {
  readonly status: SyncStatusCode;
  readonly health: Health;
  readonly resources: readonly ResourceComparison[];
  /** Targets that run as hooks of a sync, and those that run when the Application is deleted. */
  readonly hooks: readonly KubeObject[];
  readonly deleteHooks: readonly KubeObject[];
  readonly conditions: readonly ApplicationCondition[];
  /** What we were asked to honour and cannot; to be told, not to fail on. */
  readonly warnings: readonly string[];
};

export type CompareOptions = {
  readonly controlPlaneNamespace: string;
  readonly tracking: Tracking;
  readonly resources: Pick<
    Settings['resources'],
    'overrides' | 'ignoreStatusField' | 'ignoreAggregatedRoles' | 'sensitiveAnnotations'
  >;
  /** undefined: the cluster does not know the kind (yet). */
  readonly isNamespaced: (kind: GroupKind) => boolean | undefined;
  /** Why the project refuses an object, or undefined when it does not. */
  readonly denies?: (object: KubeObject, namespaced: boolean) => string | undefined;
  readonly typeOf?: DiffOptions['typeOf'];
  readonly health?: HealthOptions;
};

type Sides = { readonly target: Target; readonly live: readonly KubeObject[] };
type Pair = { readonly key: ResourceKey; readonly target?: KubeObject; readonly live?: KubeObject };

/** compat §2.5: pairs what Git says with what there is and judges every pair. Never throws for what users wrote. */
export function compare(app: Application, sides: Sides, options: CompareOptions): Comparison {
  const deleteHooks = sides.target.objects.filter(isDeleteHook);
  const rest = sides.target.objects.filter((object) => !isDeleteHook(object));
  const hooks = rest.filter((object) => isHook(object) && !isIgnoredHook(object));
  const plain = rest.filter((object) => !isHook(object));
  const live = sides.live.filter((object) => isPermitted(object, options));
  const pairs = pairUp(withManagedNamespace(app, plain, live, options), live, options);

  const rules = ignoreRules(app, options.resources);
  const judged = judge(app, pairs, { ...options, rules });
  const aggregate = aggregateHealth(pairs, {
    ...options.health,
    isSelf: (object) => isSelf(app, object, options),
  });
  const resources = judged.resources.map((resource) =>
    withHealth(resource, aggregate.byKey.get(resource.key)),
  );
  return {
    status: judged.error ? 'Unknown' : statusOf(app, resources),
    health: aggregate.health,
    resources,
    hooks,
    deleteHooks,
    conditions: [
      ...sides.target.conditions,
      ...sharedConditions(app, pairs, options),
      ...missingNamespaces(pairs, options),
      ...(judged.error ? [{ type: 'ComparisonError' as const, message: judged.error }] : []),
      ...aggregate.errors.map((message) => ({ type: 'ComparisonError' as const, message })),
    ],
    warnings: rules.warnings,
  };
}

/** compat §2.5 step 5: what the project does not permit is invisible, so it is neither compared nor pruned. */
function isPermitted(object: KubeObject, { denies }: CompareOptions): boolean {
  return !denies?.(object, (object.metadata.namespace ?? '') !== '');
}

/** compat §2.5 step 9. A kind the cluster does not know is looked for with and without a namespace. */
function pairUp(
  targets: readonly KubeObject[],
  lives: readonly KubeObject[],
  options: CompareOptions,
): Pair[] {
  const left = new Map(lives.map((object) => [keyOf(object), object]));
  const pairs = targets.map((target, index): Pair => {
    const key = target.metadata.name ? keyOf(target) : unnamedKey(target, index);
    const found = findLive(target, left, options);
    if (!found) return { key, target };
    left.delete(keyOf(found));
    return { key: keyOf(found), target, live: found };
  });
  const claimed = new Set(pairs.flatMap(({ live }) => live?.metadata.uid ?? []));
  for (const [key, live] of left) {
    // one object served in two groups is one object, and the group Git uses wins
    if (!live.metadata.uid || !claimed.has(live.metadata.uid)) pairs.push({ key, live });
  }
  return pairs.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function findLive(
  target: KubeObject,
  lives: ReadonlyMap<ResourceKey, KubeObject>,
  { isNamespaced }: CompareOptions,
): KubeObject | undefined {
  const found = lives.get(keyOf(target));
  const { name } = target.metadata;
  const kind = { group: groupOf(target), kind: target.kind };
  if (found || !name || isNamespaced(kind) !== undefined) return found;
  return lives.get(keyFrom({ ...kind, name }));
}

const unnamedKey = (target: KubeObject, index: number): ResourceKey =>
  keyFrom({
    group: groupOf(target),
    kind: target.kind,
    namespace: target.metadata.namespace ?? '',
    name: `${target.metadata.generateName ?? ''}${index}`,
  });

/** compat §2.5 step 7: a Namespace kept for its metadata is neither pruned nor out of sync. */
function withManagedNamespace(
  app: Application,
  targets: readonly KubeObject[],
  lives: readonly KubeObject[],
  options: CompareOptions,
): readonly KubeObject[] {
  const name = app.spec.destination.namespace;
  const managed = app.spec.syncPolicy?.managedNamespaceMetadata;
  const is = (object: KubeObject): boolean =>
    isKind(object, '', 'Namespace') && object.metadata.name === name;
  if (!name || !managed || targets.some(is)) return targets;
  const live = lives.find(is);
  if (!live || trackedBy(live, options.tracking) !== instanceName(app, options.controlPlaneNamespace))
    return targets;
  return [...targets, live];
}

type Judgement = { readonly resources: readonly ResourceComparison[]; readonly error?: string };
type JudgeOptions = CompareOptions & Pick<DiffOptions, 'rules'>;

/** compat §2.5 step 10: one pair that cannot be compared makes the whole comparison unknown. */
function judge(app: Application, pairs: readonly Pair[], options: JudgeOptions): Judgement {
  const diffOptions = diffOptionsOf(app, options);
  let error: string | undefined;
  const resources = pairs.map((pair): ResourceComparison => {
    const managed = isManaged(pair, options.tracking);
    try {
      const found = managed ? diff(pair, diffOptions) : { modified: false, fields: [] };
      return { ...pair, diff: found, managed, status: row(app, pair, { diff: found, managed, options }) };
    } catch (thrown) {
      error ??= `${pair.key}: ${FairleadError.from(thrown).message}`;
      const none = { modified: false, fields: [] };
      return { ...pair, diff: none, managed, status: row(app, pair, { diff: none, managed, options }) };
    }
  });
  if (error === undefined) return { resources };
  const unknown = resources.map((one) => ({ ...one, status: { ...one.status, status: 'Unknown' as const } }));
  return { resources: unknown, error };
}

function diffOptionsOf(app: Application, options: JudgeOptions): DiffOptions {
  const { tracking, rules, resources, typeOf } = options;
  return {
    tracking,
    rules,
    ignoreAggregatedRoles: resources.ignoreAggregatedRoles,
    sensitiveAnnotations: resources.sensitiveAnnotations,
    serverSideApply: app.spec.syncPolicy?.syncOptions?.includes('ServerSideApply=true') ?? false,
    ...(typeOf && { typeOf }),
  };
}

/** compat §2.5 step 11: hooks, skipped objects and bearers of a copied mark have no status and no effect. */
function isManaged({ target, live }: Pair, tracking: Tracking): boolean {
  const object = target ?? live;
  if (!object || isHook(live ?? object) || isHook(object)) return false;
  return !isSkipped(object) && isSelfReferenced(live, target, tracking);
}

type Judged = { readonly diff: ObjectDiff; readonly managed: boolean; readonly options: JudgeOptions };

function row(
  app: Application,
  { target, live }: Pair,
  { diff: found, managed, options }: Judged,
): ResourceStatus {
  const object = (live ?? target) as KubeObject;
  const wave = syncWaveOf(target ?? object);
  const code = codeOf({ target, live, object }, { diff: found, managed, options });
  const confirm = [target, live].some(
    (side) => side && needsDeletionConfirmation(side, app.spec.syncPolicy?.syncOptions ?? []),
  );
  return {
    ...refOf(object),
    ...(code && { status: code }),
    ...(isHook(object) && { hook: true }),
    ...(managed && live && !target && { requiresPruning: true }),
    ...(confirm && { requiresDeletionConfirmation: true }),
    ...(wave !== 0 && { syncWave: wave }),
  };
}

type Looked = {
  readonly target: KubeObject | undefined;
  readonly live: KubeObject | undefined;
  readonly object: KubeObject;
};

function codeOf({ target, live, object }: Looked, judged: Judged): SyncStatusCode | undefined {
  if (!judged.managed) return undefined;
  const namespaced = judged.options.isNamespaced({ group: groupOf(object), kind: object.kind }) ?? true;
  // compat P-17: the user sees that the project stands in the way, and the sync will say so
  if (judged.options.denies?.(object, namespaced)) return 'Unknown';
  return judged.diff.modified || !target || !live ? 'OutOfSync' : 'Synced';
}

/** compat §2.5 step 12, D-29: an extra object may be excused from counting, though it will still be pruned. */
function statusOf(app: Application, resources: readonly ResourceComparison[]): SyncStatusCode {
  const counts = ({ live, target, diff: found, managed }: ResourceComparison): boolean =>
    managed && (found.modified || !target || !live) && !(live && !target && isExcused(live));
  const recorded = app.status?.operationState?.syncResult;
  const wanted = app.spec.syncPolicy?.managedNamespaceMetadata;
  if (wanted && recorded && !equal(recorded.managedNamespaceMetadata, wanted)) return 'OutOfSync';
  return resources.some(counts) ? 'OutOfSync' : 'Synced';
}

const isExcused = (extra: KubeObject): boolean =>
  annotationList(extra, annotation.compareOptions).includes('IgnoreExtraneous');

function withHealth(resource: ResourceComparison, health: Health | undefined): ResourceComparison {
  return health ? { ...resource, status: { ...resource.status, health } } : resource;
}

/** compat T-7 */
function sharedConditions(
  app: Application,
  pairs: readonly Pair[],
  options: CompareOptions,
): ApplicationCondition[] {
  const self = instanceName(app, options.controlPlaneNamespace);
  return pairs.flatMap(({ key, live }): ApplicationCondition[] => {
    const owner = live && trackedBy(live, options.tracking);
    if (!owner || owner === self) return [];
    return [
      {
        type: 'SharedResourceWarning',
        message: `${key} is also part of the application ${owner}; remove it from one of the two`,
      },
    ];
  });
}

function missingNamespaces(pairs: readonly Pair[], { isNamespaced }: CompareOptions): ApplicationCondition[] {
  return pairs.flatMap(({ key, target, live }): ApplicationCondition[] => {
    const object = (live ?? target) as KubeObject;
    if (object.metadata.namespace || !isNamespaced({ group: groupOf(object), kind: object.kind })) return [];
    return [
      {
        type: 'InvalidSpecError',
        message: `${key} has no namespace; set it in the manifest, or set spec.destination.namespace`,
      },
    ];
  });
}

/** compat R-16, H-5: an Application that manages its own object must not wait for itself. */
function isSelf(app: Application, object: KubeObject, { controlPlaneNamespace }: CompareOptions): boolean {
  const { name, namespace = controlPlaneNamespace } = app.metadata;
  return isApplication(object) && object.metadata.name === name && object.metadata.namespace === namespace;
}
