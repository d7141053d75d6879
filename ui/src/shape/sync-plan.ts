import {
  type Application,
  hasOption,
  isAutomated,
  optionValue,
  parseKey,
  type ResourceKey,
} from '#base/model';
import type { ManagedResource, SyncRequest } from '#serve/api';
import { type Change, changesOf, hooksIn } from './changes.ts';
import { counted } from './span.ts';

export type SyncChoices = {
  readonly prune: boolean;
  readonly dryRun: boolean;
  readonly applyOnly: boolean;
  readonly force: boolean;
  /** For each source, what is synced instead of its target revision; empty or absent: that. */
  readonly revisions: readonly string[];
  /** The sync options that hold, those of the application first. */
  readonly options: readonly string[];
  /** How often a failed sync is tried again; 0: never, as text because it is typed. */
  readonly retries: string;
  /** Resources left out by hand. */
  readonly without: ReadonlySet<ResourceKey>;
  /** Resources that do not differ, and are synced all the same. */
  readonly also: readonly ResourceKey[];
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
export function firstChoices(app: Application): SyncChoices {
  const { spec } = app;
  const prune = isAutomated(spec) && spec.syncPolicy?.automated?.prune === true;
  return {
    prune,
    dryRun: false,
    applyOnly: false,
    force: false,
    revisions: [],
    options: spec.syncPolicy?.syncOptions ?? [],
    retries: String(spec.syncPolicy?.retry?.limit ?? 0),
    without: new Set(),
    also: [],
  };
}

/** The choices of a dialog that is about some resources only. */
export function choicesFor(
  app: Application,
  items: readonly ManagedResource[],
  wanted: 'all' | readonly ResourceKey[],
): SyncChoices {
  const first = firstChoices(app);
  if (wanted === 'all') return first;
  const differing = changesOf(items, app).map(({ key }) => key);
  return {
    ...first,
    without: new Set(differing.filter((key) => !wanted.includes(key))),
    also: wanted.filter((key) => !differing.includes(key)),
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

function labelOf(chosen: readonly Change[], { prune, dryRun, also }: SyncChoices): string {
  const prunes = prune ? chosen.filter(({ deed }) => deed === 'prune').length : 0;
  const changes = chosen.filter(({ deed }) => deed === 'create' || deed === 'change').length;
  const verb = dryRun ? 'Dry-run' : 'Sync';
  if (changes > 0) return `${verb} ${counted(changes, 'change')}${prunes ? `, prune ${prunes}` : ''}`;
  if (prunes > 0) return dryRun ? `Dry-run prune ${prunes}` : `Prune ${prunes}`;
  return also.length > 0 ? `${verb} ${counted(also.length, 'resource')}` : `${verb} without changes`;
}

function notesOf(app: Application, items: readonly ManagedResource[], choices: SyncChoices): string[] {
  const prunes = changesOf(items, app).filter(
    ({ deed, key }) => deed === 'prune' && !choices.without.has(key),
  ).length;
  const hooks = hooksIn(items);
  const replaces = hasOption(choices.options, 'Replace=true');
  const isPartial = choices.without.size + choices.also.length > 0;
  return [
    ...newNamespace(app, items, choices),
    ...choices.also.map(
      (key) => `${parseKey(key).kind} ${parseKey(key).name} does not differ: it is applied again.`,
    ),
    ...(prunes && !choices.prune
      ? [`${counted(prunes, 'resource')} gone from Git will stay: prune is off.`]
      : []),
    ...(hooks && !choices.applyOnly && !isPartial ? [`${counted(hooks, 'hook')} will run.`] : []),
    ...(hooks && isPartial ? ['Hooks do not run when only some resources are synced.'] : []),
    ...(choices.force
      ? ['Force deletes and creates again what cannot be changed: expect an interruption.']
      : []),
    ...(replaces ? ['Objects are replaced instead of applied: what other actors wrote is lost.'] : []),
    ...(choices.revisions.some(Boolean)
      ? ['The differences above are those of the target revision; another one may change more.']
      : []),
  ];
}

/** The namespace of the destination, where the sync creates it: nothing that is compared is live in it yet. */
function newNamespace(
  { spec }: Application,
  items: readonly ManagedResource[],
  { options }: SyncChoices,
): string[] {
  const { namespace } = spec.destination;
  const inIt = items.filter((item) => item.namespace === namespace);
  const isNew = inIt.length > 0 && inIt.every(({ liveState }) => !liveState || liveState === 'null');
  return namespace && isNew && hasOption(options, 'CreateNamespace=true')
    ? [`Namespace ${namespace} is created first, if it is missing.`]
    : [];
}

function whyNot(
  all: readonly Change[],
  chosen: readonly Change[],
  { retries, also }: SyncChoices,
): string | undefined {
  if (all.length > 0 && chosen.length + also.length === 0) return 'Choose at least one resource.';
  return /^-?\d{1,4}$/.test(retries) ? undefined : 'The number of retries is no whole number.';
}

type Selection = { readonly all: readonly Change[]; readonly chosen: readonly Change[] };

/** compat server §2.8: absent fields inherit the application's own. */
function requestOf({ spec }: Application, { all, chosen }: Selection, choices: SyncChoices): SyncRequest {
  const { prune, dryRun, applyOnly, force, options, retries, also } = choices;
  const { syncOptions = [], retry } = spec.syncPolicy ?? {};
  const isPartial = chosen.length < all.length || also.length > 0;
  const named = chosen.map(({ group, kind, namespace, name }) => ({ group, kind, namespace, name }));
  const forced = force ? { force } : {};
  return {
    prune,
    dryRun,
    strategy: applyOnly ? { apply: forced } : { hook: forced },
    ...revisionOf(choices.revisions, (spec.sources?.length ?? 0) > 0),
    ...(!sameSet(options, syncOptions) && { syncOptions: { items: [...options] } }),
    ...(Number(retries) !== (retry?.limit ?? 0) && {
      retryStrategy: { ...retry, limit: Number(retries) },
    }),
    ...(isPartial && { resources: [...named, ...also.map(parseKey)] }),
  };
}

/** compat server §2.8: of several sources, those with a revision of their own, by their places from 1. */
function revisionOf(
  revisions: readonly string[],
  hasSources: boolean,
): Pick<SyncRequest, 'revision' | 'revisions' | 'sourcePositions'> {
  if (!hasSources) return revisions[0] ? { revision: revisions[0] } : {};
  const chosen = revisions.flatMap((revision, at) => (revision ? [{ revision, at: at + 1 }] : []));
  if (chosen.length === 0) return {};
  return { revisions: chosen.map(({ revision }) => revision), sourcePositions: chosen.map(({ at }) => at) };
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
