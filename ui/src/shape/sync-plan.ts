import { type Application, hasOption, isAutomated, type ResourceKey } from '#base/model';
import type { ManagedResource, SyncRequest } from '#serve/api';
import { type Change, changesOf, hooksIn } from './changes.ts';
import { counted } from './span.ts';

export type SyncChoices = {
  readonly prune: boolean;
  readonly dryRun: boolean;
  readonly applyOnly: boolean;
  readonly force: boolean;
  /** Resources left out by hand. */
  readonly without: ReadonlySet<ResourceKey>;
};

/** The effect of a sync with these choices, before the user confirms it. */
export type SyncPlan = {
  readonly creates: readonly Change[];
  readonly changes: readonly Change[];
  readonly prunes: readonly Change[];
  /** No longer in Git, and no sync deletes it (Prune=false). */
  readonly kept: readonly Change[];
  /** The words on the button: they count what it will do. */
  readonly label: string;
  /** Warnings for the user before the sync. */
  readonly notes: readonly string[];
  readonly request: SyncRequest;
};

/** The choices a dialog opens with: those of the application's own policy. */
export function firstChoices({ spec }: Application): SyncChoices {
  const prune = isAutomated(spec) && spec.syncPolicy?.automated?.prune === true;
  return { prune, dryRun: false, applyOnly: false, force: false, without: new Set() };
}

export function planOf(app: Application, items: readonly ManagedResource[], choices: SyncChoices): SyncPlan {
  const all = changesOf(items, app);
  const of = (deed: Change['deed']) => all.filter((change) => change.deed === deed);
  const chosen = all.filter(({ key }) => !choices.without.has(key));
  return {
    creates: of('create'),
    changes: of('change'),
    prunes: of('prune'),
    kept: of('keep'),
    label: labelOf(chosen, choices),
    notes: notesOf(app, items, choices),
    request: requestOf(all, chosen, choices),
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
  const replaces = hasOption(app.spec.syncPolicy?.syncOptions ?? [], 'Replace=true');
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
    ...(replaces ? ['The application replaces objects instead of applying them.'] : []),
  ];
}

/** compat server §2.8: absent fields inherit the application's own. */
function requestOf(all: readonly Change[], chosen: readonly Change[], choices: SyncChoices): SyncRequest {
  const { prune, dryRun, applyOnly, force } = choices;
  const isPartial = chosen.length < all.length;
  const forced = force ? { force } : {};
  return {
    prune,
    dryRun,
    strategy: applyOnly ? { apply: forced } : { hook: forced },
    ...(isPartial && {
      resources: chosen.map(({ group, kind, namespace, name }) => ({ group, kind, namespace, name })),
    }),
  };
}
