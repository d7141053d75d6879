import type { Core } from '../core.ts';
import { type Item, nameOf } from '../item.ts';
import { definitionSpec, type Names } from './definition.ts';

const shelfId = 'apiextensions.k8s.io/customresourcedefinitions';

/** The names a definition may use, and why it may not use all it wants. */
export type Acceptance = {
  readonly names: Names;
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
};

export const acceptedNames = (definition: Item): Names =>
  (definition.status as { acceptedNames?: Names } | undefined)?.acceptedNames ?? {};

/** compat 3.15: names belong to whoever had them first; a name that is taken leaves the one before it in place. */
export function acceptNames(core: Core, definition: Item): Acceptance {
  const taken = takenNames(core, definition);
  const wanted = definitionSpec(definition).names ?? {};
  const now = acceptedNames(definition);
  const names: Record<string, unknown> = { plural: '', kind: '', ...now };
  let conflict: Acceptance['conflict'];
  for (const field of ['plural', 'singular', 'shortNames', 'kind', 'listKind'] as const) {
    const held = field === 'kind' || field === 'listKind' ? taken.kinds : taken.resources;
    const mine = new Set([now[field] ?? []].flat());
    const lost = [wanted[field] ?? []].flat().filter((name) => held.has(name) && !mine.has(name));
    if (lost.length > 0) conflict = { reason: reasons[field], message: inUse(lost) };
    else names[field] = wanted[field];
  }
  const { categories } = wanted;
  return { names: { ...names, ...(categories && { categories }) }, conflict };
}

const reasons = {
  plural: 'PluralConflict',
  singular: 'SingularConflict',
  shortNames: 'ShortNamesConflict',
  kind: 'KindConflict',
  listKind: 'ListKindConflict',
} as const;

function inUse(names: readonly string[]): string {
  const sentences = names.map((name) => `${JSON.stringify(name)} is already in use`);
  return sentences.length === 1 ? (sentences[0] ?? '') : `[${sentences.join(', ')}]`;
}

/** What the other definitions of the group have been given. */
function takenNames(core: Core, definition: Item) {
  const others = definitionsOfGroup(core, definitionSpec(definition).group)
    .filter((other) => nameOf(other) !== nameOf(definition))
    .map(acceptedNames);
  return {
    resources: new Set(
      others.flatMap(({ plural, singular, shortNames = [] }) => [plural, singular, ...shortNames]),
    ),
    kinds: new Set(others.flatMap(({ kind, listKind }) => [kind, listKind])),
  };
}

/** All definitions of one API group. */
export const definitionsOfGroup = (core: Core, group: string | undefined): Item[] =>
  core.state
    .shelf(shelfId)
    .list()
    .map(({ item }) => item)
    .filter((item) => definitionSpec(item).group === group);
