import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelKeyProblems,
  labelValueProblems,
  pathSegmentProblems,
} from '#model';
import { equal } from '#std';
import type { Item, Meta } from '../item.ts';
import type { Resource } from '../kinds.ts';
import type { FieldError } from '../status.ts';

const labelNamed = new Set(['/namespaces']);
const segmentNamed = 'rbac.authorization.k8s.io/';

/** compat 3.5: RBAC takes any path segment, namespaces one label, nearly everybody else a subdomain. */
function nameProblems({ shelf }: Resource, name: string): string[] {
  if (shelf.startsWith(segmentNamed)) return pathSegmentProblems(name);
  return labelNamed.has(shelf) || shelf === '/services' ? dnsLabelProblems(name) : dnsSubdomainProblems(name);
}

/** What is wrong with the metadata of any object. */
export function metaErrors(resource: Resource, { metadata }: Item): FieldError[] {
  const { name = '', labels = {}, annotations = {}, finalizers = [] } = metadata;
  return [
    ...nameProblems(resource, name).map(wrong('metadata.name', name)),
    ...Object.entries(labels).flatMap(([key, value]) => [
      ...labelKeyProblems(key).map(wrong('metadata.labels', key)),
      ...labelValueProblems(value).map(wrong('metadata.labels', value)),
    ]),
    ...Object.keys(annotations).flatMap((key) =>
      labelKeyProblems(key.toLowerCase()).map(wrong('metadata.annotations', key)),
    ),
    ...sizeErrors(annotations),
    ...ownerErrors(metadata),
    ...finalizerErrors(resource, finalizers),
  ];
}

const wrong =
  (field: string, value: unknown) =>
  (detail: string): FieldError => ({ type: 'Invalid value', field, value, detail });

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** compat 3.5: built-in kinds know the names that may go without a domain; custom kinds and their definitions take any. */
function finalizerErrors({ custom, group }: Resource, finalizers: readonly string[]): FieldError[] {
  const takesAny = custom !== undefined || group === 'apiextensions.k8s.io';
  const malformed = finalizers.flatMap((finalizer) =>
    labelKeyProblems(finalizer).map(wrong('metadata.finalizers', finalizer)),
  );
  const unknown = finalizers
    .map((finalizer, index) => ({ finalizer, index }))
    .filter(({ finalizer }) => !takesAny && !finalizer.includes('/') && !standardFinalizers.has(finalizer))
    .flatMap(({ finalizer, index }) =>
      ['name is neither a standard finalizer name nor is it fully qualified'].map(
        wrong(`metadata.finalizers[${index}]`, finalizer),
      ),
    );
  return [...malformed, ...unknown];
}

/** compat 3.5: custom kinds are only told what would be better. */
export function finalizerWarnings({ custom }: Resource, next: Item, live?: Item): string[] {
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

/** compat 3.6: identity and the end of an object are not for writers to set. */
export function metaUpdateErrors(live: Item, next: Item): FieldError[] {
  const changed = fixed
    .filter((field) => next.metadata[field] !== live.metadata[field])
    .flatMap((field) => ['field is immutable'].map(wrong(`metadata.${field}`, next.metadata[field])));
  return [...newFinalizers(live, next), ...changed];
}

/** compat 3.6: while an object is being deleted, finalizers can only go. */
function newFinalizers({ metadata: live }: Item, { metadata: next }: Item): FieldError[] {
  if (live.deletionTimestamp === undefined || equal(live.finalizers, next.finalizers)) return [];
  const known = new Set(live.finalizers);
  const added = (next.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return [];
  const shown = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`;
  return [{ type: 'Forbidden', field: 'metadata.finalizers', detail }];
}
