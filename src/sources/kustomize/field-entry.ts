import { decline } from './decline.ts';
import { type FieldSpec, type PartialGvk, pathOf } from './field-path.ts';
import { flag, only, textIn } from './typed.ts';
import type { FieldMap } from './values.ts';

/** A field of a configuration or of a builtin transformer. */
export function fieldOf(entry: FieldMap): FieldSpec {
  only(entry, 'group version kind path create');
  const path = pathOf(textIn(entry.path));
  if (path.some((part) => part === '' || part === '[]')) decline('a configured path that is empty'); // compat: kustomize reports an error
  return { ...gvkOf(entry), path, create: flag(entry.create) };
}

/** The kind that an entry names; omitted parts match any. */
export const gvkOf = ({ group, version, kind }: FieldMap): PartialGvk => ({
  group: textIn(group),
  version: textIn(version),
  kind: textIn(kind),
});
