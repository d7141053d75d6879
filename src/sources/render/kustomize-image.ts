import { FairleadError } from '#base/std';

export type ImageOverride = { name: string; newName?: string; newTag?: string; digest?: string };

type Parts = { readonly name: string; readonly tag: string; readonly digest: string };

/** compat sources KI-3: `@` and `:` are searched for after the first `/`, so that a registry's port is no tag. */
export function splitImage(image: string): Parts {
  const slash = Math.max(0, image.indexOf('/'));
  const at = image.indexOf('@', slash);
  const colon = image.indexOf(':', slash);
  if (at < 0 && colon < 0) return { name: image, tag: '', digest: '' };
  if (at >= 0 && (colon < 0 || at < colon))
    return { name: image.slice(0, at), tag: '', digest: image.slice(at + 1) };
  if (at < 0) return { name: image.slice(0, colon), tag: image.slice(colon + 1), digest: '' };
  return { name: image.slice(0, colon), tag: image.slice(colon + 1, at), digest: image.slice(at + 1) };
}

/** Puts image overrides into a kustomization's list: replaced by name, sorted by name (sources 3.1.1). */
export function withImages(entries: readonly ImageOverride[], overrides: readonly string[]): ImageOverride[] {
  const before = new Map(entries.toReversed().map((entry) => [entry.name, entry])); // compat: the first of a name
  const byName = new Map(before);
  for (const override of overrides) {
    const entry = parseOverride(override);
    byName.set(entry.name, settled(entry, before.get(entry.name)));
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function parseOverride(override: string): Required<ImageOverride> {
  const equals = override.indexOf('=');
  const { name, tag, digest } = splitImage(override.slice(equals + 1));
  if (equals >= 0) return { name: override.slice(0, equals), newName: name, newTag: tag, digest };
  // an empty tag, as an unset variable leaves it, means that there is none
  if (name === override) {
    throw new FairleadError(
      'InvalidSpec',
      `kustomize.images: "${override}" is not of the form [name=]newName[:tag][@digest]`,
    );
  }
  return { name, newName: '', newTag: tag, digest };
}

/** `*` keeps the value of the file, whatever an earlier override set; empty values are left out. */
function settled(entry: Required<ImageOverride>, before: ImageOverride | undefined): ImageOverride {
  const kept: ImageOverride = { name: entry.name };
  for (const field of ['newName', 'newTag', 'digest'] as const) {
    const value = entry[field] === '*' ? before?.[field] : entry[field];
    if (value) kept[field] = value;
  }
  return kept;
}
