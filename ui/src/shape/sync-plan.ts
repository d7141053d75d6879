import { type Application, hasOption, isAutomated, optionValue, type ResourceKey } from '#base/model';
import type { ManagedResource, SyncRequest } from '#serve/api';
import { type Change, changesOf, hooksIn } from './changes.ts';
import { counted } from './span.ts';

export type SyncChoices = {
  readonly prune: boolean;
  readonly dryRun: boolean;
  readonly applyOnly: boolean;
  readonly force: boolean;
  /** Instead of the target revision; empty: that. */
  readonly revision: string;
  /** The sync options that hold, those of the application first. */
  readonly options: readonly string[];
  /** How often a failed sync is tried again; 0: never, as text because it is typed. */
  readonly retries: string;
  /** Resources left out by hand. */
  readonly without: ReadonlySet<ResourceKey>;
};

/** The effect of a sync with these choices, before the user confirms it. */
export type SyncPreview = {
  readonly creates: readonly Change[];
  readonly changes: readonly Change[];
  readonly prunes: readonly Change[];
  /** No longer in Git, and no sync deletes it (Prune=false). */
  readonly kept: readonly Change[];
  /** The words on the button: they count what it will do. */
  readonly label: string;
  /** Something will be deleted. */
  readonly isPruning: boolean;
  /** Why it cannot be requested; undefined: it can. */
  readonly why?: string;
  /** Warnings for the user before the sync. */
  readonly notes: readonly string[];
  readonly request: SyncRequest;
};

/** The choices a dialog opens with: those of the application's own policy. */
export function firstChoices({ spec }: Application): SyncChoices {
  const prune = isAutomated(spec) && spec.syncPolicy?.automated?.prune === true;
  return {
    prune,
    dryRun: false,
    applyOnly: false,
    force: false,
    revision: '',
    options: spec.syncPolicy?.syncOptions ?? [],
    retries: String(spec.syncPolicy?.retry?.limit ?? 0),
    without: new Set(),
  };
}

export function planOf(
  app: Application,
  items: readonly ManagedResource[],
  choices: SyncChoices,
): SyncPreview {
  const all = changesOf(items, app);
  const of = (deed: Change['deed']) => all.filter((change) => change.deed === deed);
  const chosen = all.filter(({ key }) => !choices.without.has(key));
  const why = whyNot(all, chosen, choices);
  return {
    creates: of('create'),
    changes: of('change'),
    prunes: of('prune'),
    kept: of('keep'),
    label: labelOf(chosen, choices),
    isPruning: choices.prune && !choices.dryRun && chosen.some(({ deed }) => deed === 'prune'),
    notes: notesOf(app, items, choices),
    request: requestOf(app, { all, chosen }, choices),
    ...(why && { why }),
  };
}

function labelOf(chosen: readonly Change[], { prune, dryRun }: SyncChoices): string {
  const prunes = prune ? chosen.filter(({ deed }) => deed === 'prune').length : 0;
  const changes = chosen.filter(({ deed }) => deed === 'create' || deed === 'change').length;
  const verb = dryRun ? 'Dry-run' : 'Sync';
  if (changes > 0) return `${verb} ${counted(changes, 'change')}${prunes ? `, prune ${prunes}` : ''}`;
  if (prunes > 0) return dryRun ? `Dry-run prune ${prunes}` : `Prune ${prunes}`;
  return `${verb} without changes`;
}

function notesOf(app: Application, items: readonly ManagedResource[], choices: SyncChoices): string[] {
  const prunes = changesOf(items, app).filter(
    ({ deed, key }) => deed === 'prune' && !choices.without.has(key),
  ).length;
  const hooks = hooksIn(items);
  const replaces = hasOption(choices.options, 'Replace=true');
  return [
    ...(prunes && !choices.prune
      ? [`${counted(prunes, 'resource')} gone from Git will stay: prune is off.`]
      : []),
    ...(hooks && !choices.applyOnly && choices.without.size === 0
      ? [`${counted(hooks, 'hook')} will run.`]
      : []),
    ...(hooks && choices.without.size > 0 ? ['Hooks do not run when only some resources are synced.'] : []),
    ...(choices.force
      ? ['Force deletes and creates again what cannot be changed: expect an interruption.']
      : []),
    ...(replaces ? ['Objects are replaced instead of applied: what other actors wrote is lost.'] : []),
    ...(choices.revision
      ? ['The differences above are those of the target revision; another one may change more.']
      : []),
  ];
}

function whyNot(
  all: readonly Change[],
  chosen: readonly Change[],
  { retries }: SyncChoices,
): string | undefined {
  if (all.length > 0 && chosen.length === 0) return 'Choose at least one resource.';
  return /^-?\d{1,4}$/.test(retries) ? undefined : 'The number of retries is no whole number.';
}

type Selection = { readonly all: readonly Change[]; readonly chosen: readonly Change[] };

/** compat server §2.8: absent fields inherit the application's own. */
function requestOf({ spec }: Application, { all, chosen }: Selection, choices: SyncChoices): SyncRequest {
  const { prune, dryRun, applyOnly, force, revision, options, retries } = choices;
  const { syncOptions = [], retry } = spec.syncPolicy ?? {};
  const isPartial = chosen.length < all.length;
  const forced = force ? { force } : {};
  return {
    prune,
    dryRun,
    strategy: applyOnly ? { apply: forced } : { hook: forced },
    ...(revision && { revision }),
    ...(!sameSet(options, syncOptions) && { syncOptions: { items: [...options] } }),
    ...(Number(retries) !== (retry?.limit ?? 0) && {
      retryStrategy: { ...retry, limit: Number(retries) },
    }),
    ...(isPartial && {
      resources: chosen.map(({ group, kind, namespace, name }) => ({ group, kind, namespace, name })),
    }),
  };
}

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one) => b.includes(one));

/** A sync option that the dialog offers, with what it does. */
export type OfferedOption = { readonly option: string; readonly label: string; readonly note: string };

export const offeredOptions: readonly OfferedOption[] = [
  {
    option: 'CreateNamespace=true',
    label: 'Create the namespace',
    note: 'of the destination, if it is missing',
  },
  { option: 'ServerSideApply=true', label: 'Server-side apply', note: 'The cluster merges, field by field' },
  { option: 'Replace=true', label: 'Replace', note: 'Overwrite objects instead of applying them' },
  { option: 'ApplyOutOfSyncOnly=true', label: 'Out of sync only', note: 'Leave alone what does not differ' },
  { option: 'PruneLast=true', label: 'Prune last', note: 'Delete only when all the rest is healthy' },
  { option: 'Validate=false', label: 'Without validation', note: 'Apply what the schema does not permit' },
  {
    option: 'RespectIgnoreDifferences=true',
    label: 'Respect ignored differences',
    note: 'Leave ignored fields as they are live',
  },
  {
    option: 'FailOnSharedResource=true',
    label: 'Fail on shared resources',
    note: 'if another application has them',
  },
];

export const propagations = ['foreground', 'background', 'orphan'] as const;
const propagationName = 'PrunePropagationPolicy';

/** How pruned objects are deleted: what they own first, unless an option says otherwise. */
export const propagationOf = (options: readonly string[]): string =>
  optionValue(options, propagationName) ?? 'foreground';

export function withPropagation(options: readonly string[], policy: string): string[] {
  const others = options.filter((one) => !one.startsWith(`${propagationName}=`));
  return policy === 'foreground' ? others : [...others, `${propagationName}=${policy}`];
}

/** The options with one switched on or off; another value of the same option gives way. */
export function withOption(options: readonly string[], option: string, isOn: boolean): string[] {
  const name = `${option.split('=')[0]}=`;
  const others = options.filter((one) => !one.startsWith(name));
  return isOn ? [...others, option] : others;
}
