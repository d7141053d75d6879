import { isObject } from '#base/std';
import { decline } from './decline.ts';
import type { PatchTarget } from './entries.ts';
import { firstPlaceOf, type KustomizeResource, nameOf, placeOf } from './resource.ts';

/** The objects that a patch applies to (sources KP-2): by their current or original names. */
export function select(resources: readonly KustomizeResource[], target: PatchTarget): KustomizeResource[] {
  const group = pattern(target.group);
  const version = pattern(target.version);
  const kind = pattern(target.kind);
  const name = pattern(target.name);
  const namespace = pattern(target.namespace);
  const labels = requirements(target.labelSelector);
  const annotations = requirements(target.annotationSelector);
  return resources.filter(
    (resource) =>
      (namespace(firstPlaceOf(resource)) || namespace(placeOf(resource))) &&
      (name(resource.former[0]?.name ?? nameOf(resource)) || name(nameOf(resource))) &&
      group(resource.group) &&
      version(resource.version) &&
      kind(resource.kind) &&
      labels(resource.metadata.labels) &&
      annotations(resource.metadata.annotations),
  );
}

type ResourceId = { readonly group: string; readonly version: string; readonly kind: string } & {
  readonly name: string;
  readonly namespace: string;
};

/** Whether a target matches one id of an object, by patterns; its labels and annotations are ignored. */
export function idMatcher(target: PatchTarget): (id: ResourceId) => boolean {
  const fields = ['group', 'version', 'kind', 'name', 'namespace'] as const;
  const patterns = fields.map((field) => [field, pattern(target[field])] as const);
  return (id) => patterns.every(([field, matches]) => matches(id[field]));
}

/** Whether an object has the labels and annotations that a target requires. */
export function pairsMatcher({
  labelSelector,
  annotationSelector,
}: PatchTarget): (resource: KustomizeResource) => boolean {
  const labels = requirements(labelSelector);
  const annotations = requirements(annotationSelector);
  return ({ metadata }) => labels(metadata.labels) && annotations(metadata.annotations);
}

// words, dots, alternatives and `.*`: Go and JavaScript read these alike, and in little time
const simple = /^(?:[\w:-]|\\\.|\.[*+]?|[|()])+$/;

function pattern(text: string): (value: string) => boolean {
  if (text === '') return () => true;
  if (!simple.test(text) || /\)[*+?]/.test(text) || (text.match(/[*+]/g) ?? []).length > 3) {
    decline('a target with an odd pattern');
  }
  const regex = new RegExp(`^(?:${text})$`);
  return (value) => regex.test(value);
}

/** `key=value`, any number of them, as in Kubernetes. */
function requirements(text: string): (pairs: unknown) => boolean {
  if (text === '') return () => true;
  const wanted = text.split(',').map((part) => {
    const found = /^([A-Za-z0-9][\w./-]*)==?([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)$/.exec(part);
    return found ? ([found[1] ?? '', found[2]] as const) : decline('a target with an odd selector');
  });
  return (pairs) => {
    const map = isObject(pairs) ? pairs : {};
    if (Object.values(map).some((value) => typeof value !== 'string')) decline('a label that is no text');
    return wanted.every(([key, value]) => Object.hasOwn(map, key) && map[key] === value);
  };
}
