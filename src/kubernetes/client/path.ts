import { FairleadError } from '#base/std';
import type { ApiResource } from './discovery-document.ts';

export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where an object or a collection lives; `namespace` is ignored for a kind that has none. */
export type ObjectLocation = {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
};

/** Appends what is set; undefined and the empty string are left out. */
export function withQuery(path: string, query: QueryParameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

/** The URL path of a collection (all namespaces when none is given), an object, or a subresource. */
export function pathOf(resource: ApiResource, { namespace, name, subresource }: ObjectLocation): string {
  const { group, version, plural, namespaced } = resource;
  const parts = [group === '' ? `/api/${version}` : `/apis/${group}/${version}`];
  if (namespaced && namespace) parts.push('namespaces', segment(namespace, 'namespace'));
  parts.push(plural);
  if (name !== undefined) parts.push(segment(name, `${resource.kind} name`));
  if (subresource) parts.push(...subresource.split('/').map((part) => segment(part, 'subresource')));
  return parts.join('/');
}

/** Like pathOf for one object, which must have a namespace if its kind has one. */
export function objectPath(resource: ApiResource, place: ObjectLocation & { readonly name: string }): string {
  requireNamespace(resource, place);
  return pathOf(resource, place);
}

export function requireNamespace(
  { kind, namespaced }: ApiResource,
  { namespace, name }: ObjectLocation,
): void {
  if (namespaced && !namespace) {
    throw new FairleadError('InvalidSpec', `${kind} ${name ?? ''} needs a namespace`.replace('  ', ' '));
  }
}

/** A name that contains path segments, or could denote another path, never becomes part of a URL. */
function segment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..' || /[/%]/.test(text)) {
    throw new FairleadError('InvalidSpec', `${what} ${JSON.stringify(text)} cannot be part of a URL`);
  }
  return encodeURIComponent(text);
}
