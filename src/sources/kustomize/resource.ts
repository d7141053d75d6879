import { isObject } from '#base/std';
import { decline, limits } from './decline.ts';
import { clusterScoped } from './kinds.ts';
import { asFields, type FieldMap, plainName } from './values.ts';

/** What an object was before a step of the build changed that. `namespace` as it counts: see `effective`. */
type Former = { readonly kind: string; readonly name: string; readonly namespace: string };

/** What is known of the text that an object was read from, beyond its values. */
export type Origin = {
  /** No `key:` stands without a value: every null is written out, and survives a merge. */
  readonly nullsWritten: boolean;
  /** Ports are written as plain decimals: as keys of lists they compare as text. */
  readonly plainPorts: boolean;
  /** Whether all numbers are written as plain decimals. */
  readonly plainNumbers: () => boolean;
  /** A comment may carry a schema. */
  readonly schemaComments: boolean;
};

/** What comes out of JSON has none of the ways of writing that matter. */
export const fromJson: Origin = {
  ...{ nullsWritten: true, plainPorts: true, schemaComments: false },
  plainNumbers: () => true,
};

/** An object on its way through the build. */
export type KustomizeResource = {
  readonly object: FieldMap;
  readonly metadata: FieldMap;
  group: string;
  version: string;
  kind: string;
  isClusterScoped: boolean;
  readonly nodes: number;
  origin: Origin;
  former: readonly Former[];
  prefixes: readonly string[];
  suffixes: readonly string[];
  /** The name is to end with a hash of the content. */
  hashed: boolean;
  /** What it came from and which transformers it went through, if the build is to note that: see provenance.ts. */
  madeBy: string;
  steps: readonly string[];
  /** The variables that take their values from this object. */
  vars: readonly string[];
  /** Labels and annotations that kustomize holds once for several places: see labels.ts. */
  shared: ReadonlyMap<string, { readonly value: string; readonly by: unknown }>;
};

export type Id = { readonly group: string; readonly version: string } & Former;

const nowhere = '_non_namespaceable_';

/** compat KP-2: no namespace is `default`, and what has none at all compares by a word of its own. */
const effective = (namespace: string, isClusterScoped: boolean): string =>
  isClusterScoped ? nowhere : namespace === '' ? 'default' : namespace;

export const nameOf = ({ metadata }: KustomizeResource): string => String(metadata.name);

/** As it is written; empty when it is not. */
export const namespaceOf = ({ metadata }: KustomizeResource): string =>
  typeof metadata.namespace === 'string' ? metadata.namespace : '';

export const placeOf = (resource: KustomizeResource): string =>
  effective(namespaceOf(resource), resource.isClusterScoped);

/** The namespace that an object had first. */
export const firstPlaceOf = (resource: KustomizeResource): string =>
  resource.former[0]?.namespace ?? placeOf(resource);

/** The kind that an object was of first. */
export const firstKindOf = ({ former, kind }: KustomizeResource): string => former[0]?.kind ?? kind;

export const isNowhere = (namespace: string): boolean => namespace === nowhere;

export function idOf(resource: KustomizeResource): Id {
  const { group, version, kind } = resource;
  return { group, version, kind, name: nameOf(resource), namespace: placeOf(resource) };
}

/** The id of an object that is only spoken of. */
export function idNamed(apiVersion: string, kind: string, name: string, namespace: string): Id {
  const isClusterScoped = clusterScoped.has(`${apiVersion} ${kind}`);
  return { ...parseApiVersion(apiVersion), kind, name, namespace: effective(namespace, isClusterScoped) };
}

/** compat KN-5: remembered at every step that may change a name or a namespace. */
export function remember(resource: KustomizeResource): void {
  resource.former = [...resource.former, currently(resource)];
}

const currently = (resource: KustomizeResource): Former => ({
  kind: resource.kind,
  name: nameOf(resource),
  namespace: placeOf(resource),
});

/** What an object is, and all that it ever was. compat: with the group and version that it has now. */
export const idsOf = (resource: KustomizeResource): readonly Former[] => [
  currently(resource),
  ...resource.former,
];

/** Whether an object has, or ever had, an id. */
export function hadId(resource: KustomizeResource, id: Id): boolean {
  if (resource.group !== id.group || resource.version !== id.version) return false;
  const was = ({ kind, name, namespace }: Former): boolean =>
    kind === id.kind && name === id.name && namespace === id.namespace;
  return was(currently(resource)) || resource.former.some(was);
}

/** compat: a label that stands in several places is held once, and changes in all of them. */
export function checkShared({ shared }: KustomizeResource, key: string): void {
  if (shared.has(key)) decline(`the shared label ${key} changes`);
}

/** Takes over what the fields of an object now say it is. */
export function identify(resource: KustomizeResource): void {
  const { apiVersion, kind } = checkedType(resource.object);
  Object.assign(resource, { ...parseApiVersion(apiVersion), kind });
  resource.isClusterScoped = clusterScoped.has(`${apiVersion} ${kind}`);
  checkNames(resource.metadata);
}

function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Annotations that mean something to kustomize itself. */
const reserved = /(?:^|\.)config\.(?:kubernetes|k8s)\.io\/(?!local-config$)/;

const localConfig = 'config.kubernetes.io/local-config';

/** Whether an object is only there for others to refer to, and not printed. */
export function isLocal({ metadata: { annotations } }: KustomizeResource): boolean {
  const value = isObject(annotations) ? annotations[localConfig] : undefined;
  return value !== undefined && value !== 'false';
}

export function checkAnnotations(annotations: unknown, mayDelete = false): void {
  for (const [key, value] of Object.entries(asFields(annotations, 'metadata.annotations'))) {
    if (reserved.test(key)) decline(`the annotation ${key} is for kustomize`);
    // compat: kustomize turns every value into the text it was written as, which we no longer have
    if (typeof value !== 'string' && !(mayDelete && value === null)) decline('an annotation is no text');
  }
}

/** Makes an object that was read into one that can be built with. */
export function resourceOf(object: FieldMap, origin: Origin, nodes: number): KustomizeResource {
  const { apiVersion, kind } = checkedType(object);
  const metadata = asFields(object.metadata, 'metadata');
  checkNames(metadata);
  if (metadata.labels !== undefined) asFields(metadata.labels, 'metadata.labels');
  dropEmptyAnnotations(metadata);
  if (metadata.annotations !== undefined) checkAnnotations(metadata.annotations);
  const names = { ...parseApiVersion(apiVersion), kind };
  const isClusterScoped = clusterScoped.has(`${apiVersion} ${kind}`);
  return {
    ...{ object, metadata, ...names, isClusterScoped, nodes, origin },
    ...{ former: [], prefixes: [], suffixes: [], hashed: false, vars: [], shared: new Map() },
    ...{ madeBy: '', steps: [] },
  };
}

function checkedType({ apiVersion, kind }: FieldMap): { apiVersion: string; kind: string } {
  if (typeof kind !== 'string' || !/^[A-Za-z]\w*$/.test(kind) || kind.endsWith('List')) {
    decline('an object has no plain kind');
  }
  if (typeof apiVersion !== 'string' || !/^[A-Za-z][\w.-]*(?:\/[A-Za-z]\w*)?$/.test(apiVersion)) {
    decline('an object has no plain apiVersion');
  }
  if (apiVersion.startsWith('kustomize.config.k8s.io/')) decline('an object of kustomize');
  return { apiVersion, kind };
}

function checkNames({ name, namespace }: FieldMap): void {
  plainName(name, 'metadata.name');
  if (namespace !== undefined) plainName(namespace, 'metadata.namespace');
}

/** compat: kustomize rewrites the annotations of every object, and an empty map is not written. */
export function dropEmptyAnnotations(metadata: FieldMap): void {
  const { annotations } = metadata;
  const isEmpty = annotations === null || (annotations && Object.keys(annotations).length === 0);
  if (isEmpty) delete metadata.annotations;
}

/** compat KL-4: no two objects may have one id at any time. */
export function requireUnique(resources: readonly KustomizeResource[]): void {
  if (resources.length > limits.objects) decline(`more than ${limits.objects} objects`);
  const seen = new Set<string>();
  for (const resource of resources) {
    const { group, version, kind, name, namespace } = idOf(resource);
    const key = `${group} ${version} ${kind} ${namespace} ${name}`;
    if (seen.has(key)) decline('two objects have one id');
    seen.add(key);
  }
}
