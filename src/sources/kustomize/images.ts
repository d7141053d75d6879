import { isObject } from '#base/std';
import { decline } from './decline.ts';
import type { ImageEntry } from './entries.ts';
import { type FieldSpec, isSelected, specs, visitField } from './field-path.ts';
import type { KustomizeResource } from './resource.ts';
import { type FieldMap, plainText } from './values.ts';

/** Fields that hold images, besides those of all containers (sources KI-1). */
export const imageFields: readonly FieldSpec[] = specs(
  [{}],
  ['spec/', 'spec/template/spec/']
    .flatMap((spec) =>
      ['containers[]/image', 'initContainers[]/image', 'volumes[]/image/reference'].map(
        (rest) => `+${spec}${rest}`,
      ),
    )
    .join(' '),
);

/** Gives images another name, tag or digest, in all containers (sources KI-1). */
export function setImage(
  resources: readonly KustomizeResource[],
  image: ImageEntry,
  fields: readonly FieldSpec[],
): void {
  // compat sources KI-2: the name is a pattern; dots are the only special characters we accept
  if (!/^[\w.:/-]+$/.test(image.name)) decline('the name of an image is an odd pattern');
  const tail = '(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?';
  const pattern = new RegExp(`^${image.name}${tail}$`);
  const changed = (text: string): string =>
    pattern.test(text) ? plainText(replaced(text, image), 'an image') : text;
  for (const resource of resources) {
    if (resource.kind === 'CustomResourceDefinition') continue;
    inContainers(resource.object, changed);
    for (const { path, ...gvk } of fields) {
      if (!isSelected(resource, gvk)) continue;
      visitField(resource, {
        path,
        create: undefined,
        found: ({ holder, key }) => {
          holder[key] = imageText(holder[key], changed);
        },
      });
    }
  }
}

function imageText(value: unknown, changed: (text: string) => string): string {
  return typeof value === 'string' ? changed(value) : decline('an image that is no text');
}

function inContainers(value: unknown, changed: (text: string) => string): void {
  if (Array.isArray(value)) for (const item of value) inContainers(item, changed);
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    const inner = value[key];
    inContainers(inner, changed);
    if ((key !== 'containers' && key !== 'initContainers') || !Array.isArray(inner)) continue;
    for (const container of inner) inContainer(container, changed);
  }
}

function inContainer(container: unknown, changed: (text: string) => string): void {
  if (!isObject(container)) decline('a container that is no map');
  const fields: FieldMap = container;
  if (fields.image !== undefined) fields.image = imageText(fields.image, changed);
}

/** compat sources KI-3: a new tag alone clears the digest, a digest alone the tag; a suffix counts without both. */
function replaced(text: string, { newName, newTag, digest, tagSuffix }: ImageEntry): string {
  const before = split(text);
  const isKept = newTag === '' && digest === '';
  const tag = isKept ? `${before.tag}${tagSuffix}` : newTag;
  const hash = isKept && tagSuffix === '' ? before.digest : digest;
  return `${newName || before.name}${tag && `:${tag}`}${hash && `@${hash}`}`;
}

/** compat sources KI-3: `@` and `:` are searched for after the first `/`. */
function split(image: string): { name: string; tag: string; digest: string } {
  const from = Math.max(0, image.indexOf('/'));
  const at = image.indexOf('@', from);
  const colon = image.indexOf(':', from);
  const end = at < 0 ? image.length : at;
  const isTagged = colon >= 0 && colon < end;
  return {
    name: image.slice(0, isTagged ? colon : end),
    tag: isTagged ? image.slice(colon + 1, end) : '',
    digest: at < 0 ? '' : image.slice(at + 1),
  };
}
