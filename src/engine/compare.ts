import {
  type Application,
  type ApplicationCondition,
  groupOf,
  type Health,
  instanceName,
  isApplication,
  type KubeObject,
  type ResourceKey,
  type ResourceStatus,
  type Settings,
  type SyncStatusCode,
  standingAnnotations,
  syncWaveOf,
} from '#base/model';
import { FairleadError, printJson } from '#base/std';
import { overridesOf } from '#engine/traffic';
import { type DiffCache, reusable, standing, typeFor } from './diff/cache.ts';
import { confirm, isDoubtful } from './diff/confirm.ts';
import { type DiffOptions, diff, isServerSide, type ObjectDiff } from './diff/diff.ts';
import { type DryRun, type DryRunAnswers, dryRunTarget, includesWebhooks } from './diff/dry-runs.ts';
import { type IgnoreRules, ignoreRules, remarksOn } from './diff/ignore.ts';
import { knownTypes } from './diff/known-types.ts';
import { aggregateHealth } from './health/aggregate.ts';
import type { HealthOptions } from './health/health.ts';
import {
  type ComparedPair,
  manualTrafficConditions,
  type OverrideComparison,
  overrideConditions,
  overrideHints,
  overrideOn,
} from './overrides.ts';
import { isManaged, type Pair, type PairOptions, pairSides, type Sides } from './pairs.ts';
import { trafficHints } from './remarks.ts';
import { isHook } from './sync/hooks.ts';
import { needsDeletionConfirmation } from './sync/options.ts';
import { statusOf } from './sync-status.ts';
import { trackedBy } from './tracking.ts';
import { refOf } from './tree/node.ts';

export type ResourceComparison = {
  readonly key: ResourceKey;
  readonly target?: KubeObject;
  readonly live?: KubeObject;
  readonly diff: ObjectDiff;
  /** False for what is only shown: hooks, skipped objects, and objects that bear a copied mark (engine T-6). */
  readonly managed: boolean;
  /** The row of status.resources. */
  readonly status: ResourceStatus;
  /** The recorded override of its traffic, as long as Git declares another split. */
  readonly override?: OverrideComparison;
};

export type Comparison = {
  readonly status: SyncStatusCode;
  readonly health: Health;
  readonly resources: readonly ResourceComparison[];
  /** Targets that run as hooks of a sync, and those that run when the Application is deleted. */
  readonly hooks: readonly KubeObject[];
  readonly deleteHooks: readonly KubeObject[];
  readonly conditions: readonly ApplicationCondition[];
  /** Settings that the comparison could not honour; the controller reports them and does not fail. */
  readonly warnings: readonly string[];
  /** Settings that the comparison honours, but that hardly do what the user meant. */
  readonly hints: readonly string[];
  /** Correct facts worth reporting once (engine X-12). */
  readonly notes: readonly string[];
};

export type CompareOptions = PairOptions & {
  readonly resources: Pick<
    Settings['resources'],
    'overrides' | 'ignoreStatusField' | 'ignoreAggregatedRoles' | 'sensitiveAnnotations'
  >;
  readonly typeOf?: DiffOptions['typeOf'];
  readonly health?: HealthOptions;
  /** The time limit of one jq expression on one object; a second by default (engine D-12). */
  readonly jqTimeoutMs?: number;
  /** The API server's result or error for each of dryRunsFor(); absent when no dry run was made. */
  readonly dryRuns?: DryRunAnswers;
  /** The same for each of doubtsOf() an earlier comparison of the same sides. */
  readonly confirmations?: DryRunAnswers;
  /** diffCacheOf() the last comparison, where canReuse() permits it. */
  readonly cache?: DiffCache;
};

/**
 * compat engine §2.5: pairs the targets with the live objects and judges every pair. Never throws for user
 * input.
 */
export function compare(app: Application, sides: Sides, options: CompareOptions): Comparison {
  const steps = comparing(app, sides, options);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** The same, one resource at a time: an application may have thousands, and others wait for the thread. */
export function* comparing(
  app: Application,
  sides: Sides,
  options: CompareOptions,
): Generator<void, Comparison> {
  const { pairs, hooks, deleteHooks } = pairSides(app, sides, options);
  const rules = ignoreRules(app, options.resources, limitsOf(options));
  const remarks = remarksOn(
    rules,
    pairs.flatMap(({ target, live }) => target ?? live ?? []),
  );
  const known = knownTypes(options.resources.overrides);
  const judged = yield* judging(app, pairs, { ...options, rules, knownTypes: known });
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
      ...overrideConditions(resources),
      ...manualTrafficConditions(resources),
      ...(judged.error ? [broken('diff', judged.error)] : []),
      ...aggregate.errors.map((message) => broken('health', message)),
    ],
    warnings: [...remarks.warnings, ...known.warnings],
    hints: [...remarks.hints, ...trafficHints(pairs, rules), ...overrideHints(app, resources)],
    notes: applyNotes(app, options),
  };
}

const limitsOf = ({ jqTimeoutMs }: CompareOptions): { timeoutMs?: number } =>
  jqTimeoutMs === undefined ? {} : { timeoutMs: jqTimeoutMs };

/**
 * compat engine D-23: the pairs whose targets need a server-side dry run, as a sync would send them: both
 * sides exist, and no cached finding applies.
 */
export function dryRunsFor(app: Application, sides: Sides, options: CompareOptions): DryRun[] {
  const known = standing(options.cache, underOf(app, { ...options, dryRuns: new Map() }));
  const sent = sentFor(app, options);
  return pairSides(app, sides, options).pairs.flatMap((pair): DryRun[] => {
    const { key, target, live } = pair;
    if (!target || !live || !isManaged(pair, options.tracking)) return [];
    return reusable(pair, known, options.typeOf) ? [] : [{ key, target: sent(target, live) }];
  });
}

/**
 * The pairs under server-side apply whose predicted difference only a dry run can settle. The caller compares
 * the same sides once more with the results as `confirmations` and with diffCacheOf() the first comparison.
 */
export function doubtsOf(app: Application, { resources }: Comparison, options: CompareOptions): DryRun[] {
  if (options.dryRuns) return [];
  const serverSideApply = isServerSideApplied(app);
  const sent = sentFor(app, options);
  return resources.flatMap(({ key, target, live, diff: found }): DryRun[] => {
    if (!target || !live || !isDoubtful(found) || !isServerSide(target, { serverSideApply })) return [];
    return [{ key, target: sent(target, live) }];
  });
}

/**
 * The object as a sync would send it, so that the API server rejects a dry run only where it would reject the
 * sync.
 */
function sentFor(
  app: Application,
  options: CompareOptions,
): (target: KubeObject, live: KubeObject) => KubeObject {
  const serverSideApply = isServerSideApplied(app);
  let rules: IgnoreRules | undefined;
  return (target, live) => {
    // read for the first object that is sent: most comparisons send none
    if (respectsIgnored(app)) rules ??= ignoreRules(app, options.resources, limitsOf(options));
    return dryRunTarget(target, live, {
      serverSide: isServerSide(target, { serverSideApply }),
      // a rule that cannot be read makes the comparison fail with its own message
      ...(rules && rules.problem === undefined && { rules }),
      typeOf: options.typeOf,
    });
  };
}

/** compat engine D-30: it decides what the dry run sends, and so what the API server returns. */
const respectsIgnored = (app: Application): boolean =>
  app.spec.syncPolicy?.syncOptions?.includes('RespectIgnoreDifferences=true') ?? false;

/** The findings of a comparison, for the next one to reuse (engine D-31). */
export function diffCacheOf(
  app: Application,
  { status, resources }: Comparison,
  options: CompareOptions,
): DiffCache {
  // a comparison that failed found nothing out
  const found = status === 'Unknown' ? [] : resources.filter(({ managed }) => managed);
  const { cache } = options;
  if (cache && isAll(cache, found)) return cache;
  return {
    entries: new Map(
      found.map(({ key, target, live, diff: known }) => {
        const type = typeFor(target ?? live, options.typeOf);
        return [key, { target, live, diff: known, type }];
      }),
    ),
    under: underOf(app, options),
  };
}

/** Whether a cache holds just these findings: what was used again was found under the same settings. */
const isAll = ({ entries }: DiffCache, found: readonly ResourceComparison[]): boolean =>
  entries.size === found.length &&
  found.every(({ key, target, live, diff: known }) => {
    const entry = entries.get(key);
    return entry?.diff === known && entry.target === target && entry.live === live;
  });

/** Everything besides the two sides that decides how they compare. */
function underOf(app: Application, options: CompareOptions): readonly unknown[] {
  const { resources, tracking, dryRuns, jqTimeoutMs } = options;
  return [
    resources,
    tracking,
    dryRuns !== undefined,
    jqTimeoutMs,
    isServerSideApplied(app),
    respectsIgnored(app),
    printJson([app.spec.ignoreDifferences, standingAnnotations(app)]),
  ];
}

/** engine X-12: the two belong together. */
function applyNotes(app: Application, { dryRuns }: CompareOptions): string[] {
  if (dryRuns || !isServerSideApplied(app)) return [];
  return [
    'ServerSideApply=true without ServerSideDiff=true: the server merges, but the difference is predicted without a dry run',
  ];
}

const isServerSideApplied = (app: Application): boolean =>
  app.spec.syncPolicy?.syncOptions?.includes('ServerSideApply=true') ?? false;

type Judgement = { readonly resources: readonly ResourceComparison[]; readonly error?: string };
type JudgeOptions = CompareOptions & Pick<DiffOptions, 'rules' | 'knownTypes'>;

const nothing: ObjectDiff = { modified: false, fields: [] };

/** compat engine §2.5 step 10: one pair that cannot be compared makes the whole comparison unknown. */
function* judging(
  app: Application,
  pairs: readonly Pair[],
  options: JudgeOptions,
): Generator<void, Judgement> {
  const differ = differenceFor(app, options);
  const { overrides } = overridesOf(app);
  let error = options.rules.problem;
  const found = (pair: ComparedPair, managed: boolean): ObjectDiff => {
    if (!managed || options.rules.problem !== undefined) return nothing;
    try {
      return differ(pair);
    } catch (thrown) {
      error ??= `${pair.key}: ${FairleadError.from(thrown).message}`;
      return nothing;
    }
  };
  const resources: ResourceComparison[] = [];
  for (const pair of pairs) {
    const managed = isManaged(pair, options.tracking);
    const override = managed ? overrideOn(overrides, pair, (other) => found(other, managed)) : undefined;
    const own = found(pair, managed);
    // an override is not what Git declares, also where Git declares nothing
    const judged = { diff: override ? { ...own, modified: true } : own, managed, options };
    const status = row(app, pair, judged);
    resources.push({ ...pair, diff: judged.diff, managed, status, ...(override && { override }) });
    yield;
  }
  if (error === undefined) return { resources };
  const unknown = resources.map((one) => ({ ...one, status: { ...one.status, status: 'Unknown' as const } }));
  return { resources: unknown, error };
}

/** How one pair differs: as found before, as the server answered, or as predicted. Throws when none of them is possible. */
function differenceFor(app: Application, options: JudgeOptions): (pair: ComparedPair) => ObjectDiff {
  const diffOptions = diffOptionsOf(app, options);
  const cache = standing(options.cache, underOf(app, options));
  const sent = sentFor(app, options);
  const answered = (
    pair: Pair,
    dryRun: KubeObject | FairleadError,
    more: Partial<DiffOptions>,
  ): ObjectDiff => {
    const target = pair.target && pair.live && sent(pair.target, pair.live);
    return diff({ ...pair, target, dryRun }, { ...diffOptions, ...more });
  };
  return (pair) => {
    const dryRun = pair.isOverride ? undefined : options.dryRuns?.get(pair.key);
    const found =
      reusable(pair, cache, options.typeOf) ??
      (dryRun ? answered(pair, dryRun, {}) : diff(pair, diffOptions));
    const confirmation = pair.isOverride ? undefined : options.confirmations?.get(pair.key);
    if (!confirmation || !isDoubtful(found)) return found;
    return confirm(found, answered(pair, confirmation, { includeWebhooks: true }));
  };
}

function diffOptionsOf(app: Application, options: JudgeOptions): DiffOptions {
  const { tracking, rules, resources, typeOf, knownTypes: known } = options;
  return {
    tracking,
    rules,
    ...(known && { knownTypes: known }),
    ignoreAggregatedRoles: resources.ignoreAggregatedRoles,
    sensitiveAnnotations: resources.sensitiveAnnotations,
    serverSideApply: isServerSideApplied(app),
    includeWebhooks: includesWebhooks(app),
    ...(typeOf && { typeOf }),
  };
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

type Compared = {
  readonly target: KubeObject | undefined;
  readonly live: KubeObject | undefined;
  readonly object: KubeObject;
};

function codeOf({ target, live, object }: Compared, judged: Judged): SyncStatusCode | undefined {
  if (!judged.managed) return undefined;
  const namespaced = judged.options.isNamespaced({ group: groupOf(object), kind: object.kind }) ?? true;
  // compat engine P-17: the user sees that the project denies the object; the sync reports the reason
  if (judged.options.denies?.(object, namespaced)) return 'Unknown';
  return judged.diff.modified || !target || !live ? 'OutOfSync' : 'Synced';
}

function withHealth(resource: ResourceComparison, health: Health | undefined): ResourceComparison {
  return health ? { ...resource, status: { ...resource.status, health } } : resource;
}

/** compat engine T-7 */
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

/** compat engine R-16, H-5: an Application that manages its own object must not wait for itself. */
function isSelf(app: Application, object: KubeObject, { controlPlaneNamespace }: CompareOptions): boolean {
  const { name, namespace = controlPlaneNamespace } = app.metadata;
  return isApplication(object) && object.metadata.name === name && object.metadata.namespace === namespace;
}

/**
 * The message names the failed stage first: a user debugs a failed diff and a failed health check
 * differently.
 */
const broken = (stage: 'diff' | 'health', message: string): ApplicationCondition => ({
  type: 'ComparisonError',
  message: `${stage} failure: ${message}`,
});
