import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelKeyProblems,
  labelValueProblems,
  pathSegmentProblems,
} from '#base/model';
import { equal } from '#base/std';
import type { Item, Meta } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import type { FieldError } from '../status.ts';

const labelNamed = new Set(['/namespaces']);
const segmentNamed = 'rbac.authorization.k8s.io/';

/** compat cluster 3.5: RBAC accepts any path segment, namespaces one label, nearly all other kinds a subdomain. */
function nameProblems({ collection }: ServedResource, name: string): string[] {
  if (collection.startsWith(segmentNamed)) return pathSegmentProblems(name);
  return labelNamed.has(collection) || collection === '/services'
    ? dnsLabelProblems(name)
    : dnsSubdomainProblems(name);
}

/** The errors in an object's metadata, in the parts that Kubernetes validates separately. */
export type MetaReport = {
  /** The checks of the kind itself: with its own rule for names, and of finalizers. */
  readonly own: readonly FieldError[];
  /** The checks of every object: any path segment is a valid name. */
  readonly general: readonly FieldError[];
  /** Immutable fields of an update. `own`: with the finalizer names that the kind accepts. */
  readonly kept: readonly FieldError[];
  readonly ownKept: readonly FieldError[];
};

/** All errors in the metadata; `live`: the object to be replaced. */
export function reportMeta(resource: ServedResource, next: Item, live?: Item): MetaReport {
  const { labels = {}, annotations = {}, finalizers = [] } = next.metadata;
  const common = [
    ...labelErrors(labels),
    ...Object.keys(annotations).flatMap((key) =>
      labelKeyProblems(key.toLowerCase()).map(wrong('metadata.annotations', key)),
    ),
    ...sizeErrors(annotations),
    ...ownerErrors(next.metadata),
  ];
  const malformed = finalizers.flatMap((finalizer) =>
    labelKeyProblems(finalizer).map(wrong('metadata.finalizers', finalizer)),
  );
  const unknown = finalizers.length === 0 ? [] : unknownFinalizers(resource, finalizers);
  const fixedErrors = live ? metaUpdateErrors(live, next) : [];
  const rest = [...common, ...malformed];
  return {
    own: [...nameErrors(next, (name) => nameProblems(resource, name)), ...rest, ...unknown],
    general: [...nameErrors(next, pathSegmentProblems), ...rest],
    kept: [...fixedErrors, ...common],
    ownKept: [...fixedErrors, ...common, ...unknown],
  };
}

const labelErrors = (labels: Readonly<Record<string, string>>): FieldError[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...labelKeyProblems(key).map(wrong('metadata.labels', key)),
    ...labelValueProblems(value).map(wrong('metadata.labels', value)),
  ]);

function nameErrors({ metadata }: Item, problems: (name: string) => string[]): FieldError[] {
  const { name = '', generateName = '' } = metadata;
  const ofPrefix =
    generateName === ''
      ? []
      : problems(maskedDash(generateName)).map(wrong('metadata.generateName', generateName));
  if (name !== '') return [...ofPrefix, ...problems(name).map(wrong('metadata.name', name))];
  const detail = 'name or generateName is required';
  return [...ofPrefix, { type: 'Required value', field: 'metadata.name', detail }];
}

/** A prefix may end in a dash: the generated suffix makes it valid. */
const maskedDash = (prefix: string): string =>
  prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;

const wrong =
  (field: string, value: unknown) =>
  (detail: string): FieldError => ({ type: 'Invalid value', field, value, detail });

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

const takesAnyFinalizer = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'coordination.k8s.io',
]);

/** compat cluster 3.5: most built-in kinds have a list of finalizers without a domain; others accept any. */
function unknownFinalizers({ custom, group }: ServedResource, finalizers: readonly string[]): FieldError[] {
  if (custom !== undefined || takesAnyFinalizer.has(group)) return [];
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return finalizers.flatMap((finalizer, index) =>
    finalizer.includes('/') || standardFinalizers.has(finalizer)
      ? []
      : [detail].map(wrong(`metadata.finalizers[${index}]`, finalizer)),
  );
}

/** compat cluster 3.5: custom kinds only get a warning. */
export function finalizerWarnings({ custom }: ServedResource, next: Item, live?: Item): string[] {
  if (!custom) return [];
  const known = new Set([...standardFinalizers, ...(live?.metadata.finalizers ?? [])]);
  return (next.metadata.finalizers ?? [])
    .filter((finalizer) => !finalizer.includes('/') && !known.has(finalizer))
    .map(
      (finalizer) =>
        `metadata.finalizers: ${JSON.stringify(finalizer)}: prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
    );
}

const limit = 256 * 1024;

function sizeErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  let size = 0;
  for (const [key, value] of Object.entries(annotations))
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (size <= limit) return [];
  return [{ type: 'Too long', field: 'metadata.annotations', detail: `may not be more than ${limit} bytes` }];
}

function ownerErrors({ ownerReferences = [] }: Meta): FieldError[] {
  const controllers = ownerReferences.filter((owner) => owner.controller === true);
  const names = controllers.slice(0, 2).map(({ kind, name }) => `${kind}/${name}`);
  const detail = `Only one reference can have Controller set to true. Found "true" in references for ${names.join(' and ')}`;
  const tooMany: FieldError[] =
    controllers.length < 2
      ? []
      : [{ type: 'Invalid value', field: 'metadata.ownerReferences', value: ownerReferences, detail }];
  const empty = ownerReferences.flatMap((owner) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((field) => !owner[field])
      .map((field): FieldError => {
        const why = field === 'apiVersion' ? 'version must not be empty' : 'must not be empty';
        return { type: 'Invalid value', field: `metadata.ownerReferences.${field}`, value: '', detail: why };
      }),
  );
  return [...tooMany, ...empty];
}

const fixed = ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** compat cluster 3.6: a write cannot change an object's identity or its deletion time. */
function metaUpdateErrors(live: Item, next: Item): FieldError[] {
  const changed = fixed
    .filter((field) => next.metadata[field] !== live.metadata[field])
    .flatMap((field) => ['field is immutable'].map(wrong(`metadata.${field}`, next.metadata[field])));
  return [...newFinalizers(live, next), ...changed];
}

/** compat cluster 3.6: while an object is being deleted, finalizers can only be removed. */
function newFinalizers({ metadata: live }: Item, { metadata: next }: Item): FieldError[] {
  if (live.deletionTimestamp === undefined || equal(live.finalizers, next.finalizers)) return [];
  const known = new Set(live.finalizers);
  const added = (next.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return [];
  const shown = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`;
  return [{ type: 'Forbidden', field: 'metadata.finalizers', detail }];
}
