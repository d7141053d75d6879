import {
  type Application,
  annotation,
  argoApiVersion,
  type GroupVersionKind,
  groupOf,
  gvkOf,
  type KubeObject,
  keyFrom,
  keyOf,
  type OperationState,
  type ResourceKey,
  type ResourceResult,
  type SyncOperation,
  type SyncPhase,
  syncWaveOf,
} from '#base/model';
import type { Comparison, ResourceComparison } from '../compare.ts';
import { isChangedSinceApply } from '../diff/since-apply.ts';
import type { HealthOptions } from '../health/health.ts';
import { isOwnObject } from '../refresh/live-change.ts';
import { isHook, isSkipped, phasesOf } from './hooks.ts';
import { migratesFrom } from './migrate.ts';
import { namespaceTask } from './namespace.ts';
import { listed } from './naming.ts';
import { observe } from './observe.ts';
import {
  applyModeOf,
  isPrunedLast,
  operationOptions,
  pruneModeOf,
  type SyncOptions,
  toleratesMissingKind,
} from './options.ts';
import { definedKind, order } from './order.ts';
import { hookObject, hookRun } from './run.ts';
import { type SyncPlan, type SyncTask, taskId } from './task.ts';

/** The discovery result for a kind: its scope, that the cluster does not serve it, or the error. */
export type KindDiscovery =
  | { readonly found: true; readonly namespaced: boolean }
  | { readonly found: false; readonly problem?: string };

export type PlanInput = {
  readonly app: Application;
  /** The running operation. Its syncResult is the only memory a sync has. */
  readonly state: OperationState;
  readonly comparison: Comparison;
  /** The concrete revision being synced; hooks without a name are named after it. */
  readonly revision: string;
  readonly discover: (kind: GroupVersionKind) => KindDiscovery;
  /** Why the project refuses an object, or undefined when it does not. */
  readonly denies?: (object: KubeObject, namespaced: boolean) => string | undefined;
  /** The live destination Namespace, when the operation may have to create it. */
  readonly namespace?: KubeObject;
  readonly absent?: ReadonlySet<ResourceKey>;
  readonly health?: HealthOptions;
  /** Rewrites targets before they are applied: RespectIgnoreDifferences (compat engine D-30). */
  readonly respect?: (target: KubeObject, live: KubeObject) => KubeObject;
};

type Draft = { -readonly [Field in keyof SyncTask]: SyncTask[Field] };

/** Derives the tasks of an operation afresh and restores their progress. Safe to repeat at any moment (engine R-43). */
export function planTasks(input: PlanInput): SyncPlan {
  const { app, state, comparison } = input;
  const sync = state.operation.sync ?? {};
  const options = operationOptions(app, sync);
  const drafts = [...resourceTasks(input, sync, options), ...hookTasks(input, sync, options)];
  const isMatched = drafts.length > 0 || state.syncResult?.resources?.some(isOfApp(app));
  const unmatched = isMatched ? undefined : unmatchedBy(sync);
  const created = namespaceTask(input, options);
  if (created) drafts.push(created);

  const kinds = definedKinds(comparison);
  for (const draft of drafts) checkKind(draft, input, options, kinds);
  mirrorPruneWaves(drafts);
  movePrunedLast(drafts, options);

  const seen = {
    recorded: recordedById(state),
    run: hookRun(state),
    absent: input.absent ?? new Set<ResourceKey>(),
    isSelf: (object: KubeObject) => isOwnObject(input.app, object),
    health: input.health ?? {},
  };
  const { namespace } = app.spec.destination;
  return {
    tasks: order(drafts).map((draft) => observe({ ...draft, id: taskId(draft.key, draft.phase) }, seen)),
    recorded: state.syncResult?.resources ?? [],
    options,
    dryRunOnly: sync.dryRun === true,
    startedAt: state.startedAt,
    namespaceKey: namespace ? keyFrom({ group: '', kind: 'Namespace', name: namespace }) : undefined,
    ...(unmatched && { unmatched }),
  };
}

function resourceTasks(input: PlanInput, sync: SyncOperation, options: SyncOptions): Draft[] {
  const forced = isForced(sync);
  const prune = { requested: sync.prune === true, approved: isApproved(input.app, input.state) };
  const isSelected = selection(sync);
  return input.comparison.resources
    .filter((resource) => isPlain(resource) && isSelected(resource))
    .map((resource): Draft => {
      const { key, live, override } = resource;
      const target = override?.target ?? resource.target;
      const wanted = target && live && input.respect ? input.respect(target, live) : target;
      const sides = { ...(wanted && { target: wanted }), ...(live && { live }) };
      const written = modeOf(input.app, sides, options, forced);
      return {
        ...sides,
        id: '',
        key,
        phase: 'Sync',
        wave: syncWaveOf((target ?? live) as KubeObject),
        ...written,
        prune: live && !target ? pruneModeOf(live, options, prune) : { do: 'delete' },
        skipDryRun: false,
        unchanged: options.applyOutOfSyncOnly && !resource.diff.modified && isUnchanged(sides, written.mode),
        state: 'pending',
      };
    });
}

/** compat engine S-5, S-13: leftovers of hooks and objects that only carry a copied mark never take part. */
function isPlain({ target, live, managed }: ResourceComparison): boolean {
  const object = target ?? live;
  return managed && object !== undefined && !isHook(object) && !isSkipped(object);
}

/**
 * compat engine S-36, for objects whose diff is empty. dev engine X-15: the target must also equal the last applied
 * object, since a field that was removed from Git need not show in a diff.
 */
function isUnchanged({ target, live }: Sides, { verb }: SyncTask['mode']): boolean {
  if (!target || !live) return false;
  return !isChangedSinceApply(target, live, { serverSide: verb === 'server-side-apply' });
}

type Sides = { readonly target?: KubeObject; readonly live?: KubeObject };

/** How an object is written, and which managers' fields it takes over (engine S-28, S-50). */
function modeOf(
  app: Application,
  sides: Sides,
  options: SyncOptions,
  forced: boolean,
): Pick<Draft, 'mode' | 'migrateFrom'> {
  const mode = applyModeOf(sides, options, forced);
  const isMerged = mode.verb === 'server-side-apply' && sides.live;
  const from = isMerged ? migratesFrom(app, isMerged, options) : [];
  return { mode, ...(from.length > 0 && { migrateFrom: from }) };
}

/** compat engine S-5: an empty namespace in the list means any. Read once, since a self-heal may list thousands. */
function selection({ resources = [] }: SyncOperation): (resource: ResourceComparison) => boolean {
  if (resources.length === 0) return () => true;
  const wanted = new Set(
    resources.map(({ group = '', kind, name, namespace = '' }) => keyFrom({ group, kind, namespace, name })),
  );
  return ({ target, live }) => {
    const object = (target ?? live) as KubeObject;
    const named = { group: groupOf(object), kind: object.kind, name: object.metadata.name };
    const { namespace = '' } = object.metadata;
    return wanted.has(keyFrom(named)) || wanted.has(keyFrom({ ...named, namespace }));
  };
}

/** Not the destination Namespace, which is made for any sync (engine S-40). */
const isOfApp =
  ({ spec: { destination } }: Application) =>
  ({ group, kind, name }: ResourceResult): boolean =>
    group !== '' || kind !== 'Namespace' || name !== destination.namespace;

/** The resources that an operation names, for a sentence; undefined: it names none. */
function unmatchedBy({ resources = [] }: SyncOperation): string | undefined {
  const names = resources.map(({ group, kind, namespace, name }) => {
    const where = namespace ? `${namespace}/` : '';
    return `${group ? `${group}/` : ''}${kind} ${where}${name}`;
  });
  return names.length > 0 ? listed(names) : undefined;
}

/** compat engine S-4: a partial sync and the apply strategy run no hooks. */
function hookTasks(input: PlanInput, sync: SyncOperation, options: SyncOptions): Draft[] {
  if (sync.syncStrategy?.apply || (sync.resources?.length ?? 0) > 0) return [];
  const lives = new Map(input.comparison.resources.map(({ key, live }) => [key, live]));
  return input.comparison.hooks.flatMap((hook) =>
    phasesOf(hook).map((phase) => hookTask(hook, phase, { input, options, lives, forced: isForced(sync) })),
  );
}

type HookContext = {
  readonly input: PlanInput;
  readonly options: SyncOptions;
  readonly lives: ReadonlyMap<ResourceKey, KubeObject | undefined>;
  readonly forced: boolean;
};

function hookTask(hook: KubeObject, phase: SyncPhase, { input, options, lives, forced }: HookContext): Draft {
  const target = hookObject(hook, phase, input);
  const key = keyOf(target);
  const live = lives.get(key);
  const sides = { target, ...(live && { live }) };
  return {
    ...sides,
    id: '',
    key,
    phase,
    hook: phase,
    wave: syncWaveOf(target),
    ...modeOf(input.app, sides, options, forced),
    prune: { do: 'delete' },
    skipDryRun: false,
    unchanged: false,
    state: 'pending',
  };
}

const isForced = ({ syncStrategy }: SyncOperation): boolean =>
  syncStrategy?.apply?.force === true || syncStrategy?.hook?.force === true;

/** compat engine S-39: an approval counts for operations begun before it, not for the next one. */
function isApproved({ metadata }: Application, { startedAt }: OperationState): boolean {
  const approved = Date.parse(metadata.annotations?.[annotation.deletionApproved] ?? '');
  return approved >= Date.parse(startedAt);
}

/**
 * compat engine S-6: an unknown kind is accepted when this sync brings its definition, or when an option
 * allows it.
 */
function checkKind(draft: Draft, input: PlanInput, options: SyncOptions, kinds: ReadonlySet<string>): void {
  const object = (draft.target ?? draft.live) as KubeObject;
  if (!object.metadata.name) draft.problem = unnamed;
  const gvk = gvkOf(object);
  const answer = input.discover(gvk);
  if (answer.found) {
    const denied = input.denies?.(object, answer.namespaced);
    if (denied) draft.problem = denied;
    return;
  }
  const expected = kinds.has(`${gvk.group}/${gvk.kind}`) || toleratesMissingKind(draft.target, options);
  if (expected && !answer.problem) draft.skipDryRun = true;
  else draft.problem = answer.problem ?? missingKind(object);
}

const unnamed = 'it has generateName and no name, which only hooks may; name it, or make it a hook';
const missingKind = ({ apiVersion, kind }: KubeObject): string =>
  argoKinds.has(kind) && !apiVersion.startsWith('argoproj.io/')
    ? `apiVersion ${apiVersion} does not exist for ${kind}; write ${argoApiVersion}` // engine X-21
    : `the cluster does not know ${kind} in ${apiVersion}; install its CustomResourceDefinition first, ` +
      'or set SkipDryRunOnMissingResource=true if something in this sync brings it';

const argoKinds: ReadonlySet<string> = new Set(['Application', 'AppProject', 'ApplicationSet']);

function definedKinds({ resources, hooks }: Comparison): ReadonlySet<string> {
  const targets = [...hooks, ...resources.flatMap(({ target }) => target ?? [])];
  return new Set(targets.flatMap((object) => definedKind(object) ?? []));
}

/**
 * compat engine S-38: the object created first is pruned last, so the distinct waves of prunes are mirrored.
 */
function mirrorPruneWaves(drafts: readonly Draft[]): void {
  const prunes = drafts.filter(({ target }) => !target);
  const waves = [...new Set(prunes.map(({ wave }) => wave))].sort((a, b) => a - b);
  const mirrored = new Map(waves.map((wave, at) => [wave, waves[waves.length - 1 - at] ?? wave]));
  for (const prune of prunes) prune.wave = mirrored.get(prune.wave) ?? prune.wave;
}

/** compat engine S-38: behind the last wave of the Sync phase, and never before wave 1. */
function movePrunedLast(drafts: readonly Draft[], options: SyncOptions): void {
  const waves = drafts.filter(({ phase }) => phase === 'Sync').map(({ wave }) => wave);
  const last = waves.reduce((most, wave) => Math.max(most, wave), 0) + 1;
  for (const draft of drafts) {
    if (!draft.target && draft.live && isPrunedLast(draft.live, options)) draft.wave = last;
  }
}

function recordedById({ syncResult }: OperationState): ReadonlyMap<string, ResourceResult> {
  return new Map(
    (syncResult?.resources ?? []).map((result) => [
      taskId(keyFrom(result), result.syncPhase ?? 'Sync'),
      result,
    ]),
  );
}
