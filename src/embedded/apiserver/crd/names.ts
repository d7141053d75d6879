import type { Core } from '../core.ts';
import { type Item, nameOf } from '../item.ts';
import { definitionSpec, type Names } from './definition.ts';

const collectionId = 'apiextensions.k8s.io/customresourcedefinitions';

/** The accepted names of a definition, and why the others are not accepted. */
export type Acceptance = {
  readonly names: Names;
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
};

export const acceptedNames = (definition: Item): Names =>
  (definition.status as { acceptedNames?: Names } | undefined)?.acceptedNames ?? {};

/**
 * compat cluster 3.15: the first definition with a name keeps it; a definition whose new name is taken keeps its
 * old one.
 */
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

/** The accepted names of the group's other definitions. */
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
    .collection(collectionId)
    .list()
    .map(({ item }) => item)
    .filter((item) => definitionSpec(item).group === group);
