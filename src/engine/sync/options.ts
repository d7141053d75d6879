import {
  type Application,
  annotation,
  annotationList,
  type KubeObject,
  optionValue,
  type SyncOperation,
} from '#base/model';

/** How one object is to be written (engine S-28 … S-32). */
export type ApplyMode = {
  readonly verb: 'apply' | 'server-side-apply' | 'replace';
  /** Delete and recreate when the write is refused as conflicting or immutable. */
  readonly force: boolean;
  readonly validate: boolean;
};

/** How a sync treats a live object that is no longer declared (engine S-37). */
export type PruneMode =
  | { readonly do: 'delete' }
  | { readonly do: 'confirm' }
  | { readonly do: 'skip'; readonly why: string };

/** The options of one operation, read once (engine §4.12). */
export type SyncOptions = {
  readonly all: readonly string[];
  readonly applyOutOfSyncOnly: boolean;
  readonly createNamespace: boolean;
  readonly failOnSharedResource: boolean;
  readonly migrateClientSideApply: boolean;
  readonly propagation: 'foreground' | 'background' | 'orphan';
  readonly pruneLast: boolean;
  readonly respectIgnoreDifferences: boolean;
  readonly skipDryRunOnMissingResource: boolean;
  /** Unknown option strings; the controller reports them to the user (engine S-51). */
  readonly unknown: readonly string[];
};

const flag = ['true', 'false'];
const values: Readonly<Record<string, readonly string[]>> = {
  ApplyOutOfSyncOnly: flag,
  ClientSideApplyMigration: flag,
  CreateNamespace: flag,
  Delete: [...flag, 'confirm'],
  FailOnSharedResource: flag,
  Force: flag,
  Prune: [...flag, 'confirm'],
  PruneLast: flag,
  PrunePropagationPolicy: ['foreground', 'background', 'orphan'],
  Replace: flag,
  RespectIgnoreDifferences: flag,
  ServerSideApply: flag,
  SkipDryRunOnMissingResource: flag,
  Validate: flag,
};

/**
 * An unknown option, or a value without effect. compat engine X-48: `Replace=false` is known, though it does
 * nothing.
 */
function isUnknown(option: string): boolean {
  const [key = '', ...value] = option.split('=');
  return !Object.hasOwn(values, key) || !values[key]?.includes(value.join('='));
}

/** compat engine A-23: an operation's own list replaces the Application's as a whole. */
export function operationOptions(app: Application, sync: SyncOperation = {}): SyncOptions {
  return readSyncOptions(sync.syncOptions ?? app.spec.syncPolicy?.syncOptions ?? []);
}

export function readSyncOptions(all: readonly string[]): SyncOptions {
  const has = (option: string): boolean => all.includes(option);
  return {
    all,
    applyOutOfSyncOnly: has('ApplyOutOfSyncOnly=true'),
    createNamespace: has('CreateNamespace=true'),
    failOnSharedResource: has('FailOnSharedResource=true'),
    migrateClientSideApply: !has('ClientSideApplyMigration=false'),
    propagation: propagationIn(all),
    pruneLast: has('PruneLast=true'),
    respectIgnoreDifferences: has('RespectIgnoreDifferences=true'),
    skipDryRunOnMissingResource: has('SkipDryRunOnMissingResource=true'),
    unknown: all.filter(isUnknown),
  };
}

function propagationIn(all: readonly string[]): SyncOptions['propagation'] {
  const policy = optionValue(all, 'PrunePropagationPolicy');
  return policy === 'background' || policy === 'orphan' ? policy : 'foreground';
}

const own = (object: KubeObject | undefined): readonly string[] =>
  object ? annotationList(object, annotation.syncOptions) : [];

type Sides = { readonly target?: KubeObject; readonly live?: KubeObject };

/** compat engine S-28: replace and force count on either side, server-side apply only on the target, which may also refuse it. */
export function applyModeOf({ target, live }: Sides, options: SyncOptions, forced: boolean): ApplyMode {
  const either = [...own(target), ...own(live)];
  const replace = options.all.includes('Replace=true') || either.includes('Replace=true');
  const wanted = [...options.all, ...own(target)].includes('ServerSideApply=true');
  const serverSide = wanted && !own(target).includes('ServerSideApply=false');
  return {
    verb: replace ? 'replace' : serverSide ? 'server-side-apply' : 'apply',
    // compat engine §4.12: Force=true in the Application's list does nothing
    force: forced || either.includes('Force=true'),
    validate: ![...options.all, ...own(target)].includes('Validate=false'),
  };
}

export type PruneRequest = { readonly requested: boolean; readonly approved: boolean };

/** compat engine S-37, S-39: the live object's option overrides the Application's. */
export function pruneModeOf(live: KubeObject, options: SyncOptions, request: PruneRequest): PruneMode {
  const wish = optionValue(own(live), 'Prune') ?? optionValue(options.all, 'Prune');
  if (!request.requested)
    return { do: 'skip', why: 'left in place: requires pruning, and this sync does not prune' };
  // compat engine S-26: clients search for the words "no prune"
  if (wish === 'false')
    return { do: 'skip', why: 'left in place (no prune): the option Prune=false protects it' };
  return wish === 'confirm' && !request.approved ? { do: 'confirm' } : { do: 'delete' };
}

/** Pruned after everything else; on the object it is read from the live one, as there is no other (engine X-39). */
export function isPrunedLast(live: KubeObject, options: SyncOptions): boolean {
  return options.pruneLast || own(live).includes('PruneLast=true');
}

export function toleratesMissingKind(target: KubeObject | undefined, options: SyncOptions): boolean {
  return options.skipDryRunOnMissingResource || own(target).includes('SkipDryRunOnMissingResource=true');
}

/**
 * compat engine A-33: an effective `confirm` of either option blocks a cascade until the user approves it.
 */
export function needsDeletionConfirmation(object: KubeObject, options: readonly string[]): boolean {
  const mine = own(object);
  const isHeld = (key: string) => (optionValue(mine, key) ?? optionValue(options, key)) === 'confirm';
  return isHeld('Delete') || isHeld('Prune');
}
