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
    ...finalizers.flatMap((finalizer) =>
      // a name without a domain is only warned about, except in a Namespace's own spec
      labelKeyProblems(finalizer).map(wrong('metadata.finalizers', finalizer)),
    ),
  ];
}

const wrong =
  (field: string, value: unknown) =>
  (detail: string): FieldError => ({ type: 'Invalid value', field, value, detail });

const limit = 256 * 1024;

function sizeErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  let size = 0;
  for (const [key, value] of Object.entries(annotations))
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (size <= limit) return [];
  return [{ type: 'Too long', field: 'metadata.annotations', detail: `may not be more than ${limit} bytes` }];
}

function ownerErrors({ ownerReferences = [] }: Meta): FieldError[] {
  const errors = ownerReferences.flatMap((owner, index) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((field) => !owner[field])
      .map((field): FieldError => {
        const path = `metadata.ownerReferences[${index}].${field}`;
        return { type: 'Invalid value', field: path, value: '', detail: `${field} must not be empty` };
      }),
  );
  const controllers = ownerReferences.filter((owner) => owner.controller === true);
  if (controllers.length < 2) return errors;
  const names = controllers.map((owner) => owner.name);
  const detail = `Only one reference can have Controller set to true. Found "true" in references for ${names.join(' and ')}`;
  return [
    ...errors,
    { type: 'Invalid value', field: 'metadata.ownerReferences', value: ownerReferences, detail },
  ];
}

/** compat 3.6: while an object is being deleted, finalizers can only go. */
export function metaUpdateErrors({ metadata: live }: Item, { metadata: next }: Item): FieldError[] {
  if (live.deletionTimestamp === undefined || equal(live.finalizers, next.finalizers)) return [];
  const known = new Set(live.finalizers);
  const added = (next.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return [];
  const shown = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`;
  return [{ type: 'Forbidden', field: 'metadata.finalizers', detail }];
}
