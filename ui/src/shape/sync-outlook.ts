import type { Application } from '#base/model';
import type { ManagedResource } from '#serve/api';
import { attentionOf, errorIn } from './attention.ts';
import { type Change, changesOf, hooksIn } from './changes.ts';
import { failingSync, isUnderway } from './failing-sync.ts';
import { firstChoices } from './sync-plan.ts';

/** What a sync would do now, in a sentence; undefined: nothing that is worth one. */
export function syncOutlook(
  app: Application,
  items: readonly ManagedResource[] | undefined,
): string | undefined {
  const { conditions = [], operationState } = app.status ?? {};
  if (errorIn(conditions)) return 'Sync would change nothing: it fails as long as the error is there.';
  if (!items || (isUnderway(operationState) && !operationState.finishedAt)) return undefined;
  const { deeds, left } = deedsOf(changesOf(items, app), firstChoices(app).prune);
  const hasFailed = failingSync(operationState) !== undefined;
  const hooks = hooksFirst(hooksIn(items));
  if (deeds.length === 0) return hasFailed ? `Sync would try the same again${left}.` : idle(app, hooks, left);
  const again = hasFailed ? ', and fail again unless its cause is gone' : '';
  return `Sync would ${hooks}${deeds.join(', ')}${left}${again}.`;
}

/** A sync that changes nothing is worth a sentence when an application that is in trouble makes a user want one. */
function idle(app: Application, hooks: string, left: string): string | undefined {
  const nothing = `Sync would ${hooks}change nothing${hooks && ' else'}`;
  if (left) return `${nothing}${left}.`;
  return attentionOf(app)?.cause === 'health'
    ? `${nothing}: the cluster already has what Git has.`
    : undefined;
}

function deedsOf(all: readonly Change[], prune: boolean): { deeds: string[]; left: string } {
  const parts = [
    part('create', all, 'create'),
    oneField(all) ?? part('change', all, 'change'),
    prune ? part('prune', all, 'delete') : '',
  ];
  const gone = prune ? 0 : all.filter(({ deed }) => deed === 'prune').length;
  return { deeds: parts.filter(Boolean), left: leftOver(gone) };
}

function hooksFirst(hooks: number): string {
  if (hooks === 0) return '';
  return `run ${hooks === 1 ? 'its hook' : `its ${hooks} hooks`} and `;
}

/** `change Deployment web`, or how many. */
function part(verb: string, all: readonly Change[], word: string): string {
  const found = all.filter(({ deed }) => deed === verb);
  const [first] = found;
  if (!first) return '';
  return found.length === 1 ? `${word} ${first.kind} ${first.name}` : `${word} ${found.length} resources`;
}

/** `set spec.replicas of Deployment web to 2`, where that is all that would change in the cluster's objects. */
function oneField(all: readonly Change[]): string | undefined {
  const [only, ...others] = all.filter(({ deed }) => deed === 'change');
  const [field, ...more] = only?.fields ?? [];
  if (!only || !field || others.length > 0 || more.length > 0 || only.isMasked) return undefined;
  const { path, live, target } = field;
  const of = `${path} of ${only.kind} ${only.name}`;
  if (target === undefined) return `remove ${of}`;
  if (target.length > 40) return undefined;
  return live === undefined ? `add ${of}: ${target}` : `set ${of} to ${target}`;
}

const leftOver = (count: number): string =>
  count > 0 ? `; ${count} no longer in Git ${count === 1 ? 'stays' : 'stay'} without Prune` : '';
