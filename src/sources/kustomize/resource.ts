import { isObject } from '#base/std';
import { decline, limits } from './decline.ts';
import { clusterScoped } from './kinds.ts';
import { asFields, type FieldMap, plainName } from './values.ts';

/**
 * The identity of an object before a step of the build changed it. `namespace` is the effective one: see `effective`.
 */
type Former = { readonly kind: string; readonly name: string; readonly namespace: string };

/** Properties of the text that an object was read from, beyond its values. */
export type Origin = {
  /** No `key:` is without a value: every null is explicit, and survives a merge. */
  readonly nullsWritten: boolean;
  /** Ports are written as plain decimals: as keys of lists they compare as text. */
  readonly plainPorts: boolean;
  /** Whether all numbers are written as plain decimals. */
  readonly plainNumbers: () => boolean;
  /** A comment may carry a schema. */
  readonly schemaComments: boolean;
};

/** Objects from JSON have none of the notations that matter. */
export const fromJson: Origin = {
  ...{ nullsWritten: true, plainPorts: true, schemaComments: false },
  plainNumbers: () => true,
};

/** An object during the build. */
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
  /** The name will end with a hash of the content. */
  hashed: boolean;
  /** Its origin and the transformers that ran on it, if the build records them: see provenance.ts. */
  madeBy: string;
  steps: readonly string[];
  /** The variables that take their values from this object. */
  vars: readonly string[];
  /** Labels and annotations that kustomize stores once for several fields: see labels.ts. */
  shared: ReadonlyMap<string, { readonly value: string; readonly by: unknown }>;
};

export type Id = { readonly group: string; readonly version: string } & Former;

const nowhere = '_non_namespaceable_';

/** compat sources KP-2: no namespace means `default`, and a cluster-scoped object compares by a special word. */
const effective = (namespace: string, isClusterScoped: boolean): string =>
  isClusterScoped ? nowhere : namespace === '' ? 'default' : namespace;

export const nameOf = ({ metadata }: KustomizeResource): string => String(metadata.name);

/** As written; empty when absent. */
export const namespaceOf = ({ metadata }: KustomizeResource): string =>
  typeof metadata.namespace === 'string' ? metadata.namespace : '';

export const placeOf = (resource: KustomizeResource): string =>
  effective(namespaceOf(resource), resource.isClusterScoped);

/** The original namespace of an object. */
export const firstPlaceOf = (resource: KustomizeResource): string =>
  resource.former[0]?.namespace ?? placeOf(resource);

/** The original kind of an object. */
export const firstKindOf = ({ former, kind }: KustomizeResource): string => former[0]?.kind ?? kind;

export const isNowhere = (namespace: string): boolean => namespace === nowhere;

export function idOf(resource: KustomizeResource): Id {
  const { group, version, kind } = resource;
  return { group, version, kind, name: nameOf(resource), namespace: placeOf(resource) };
}

/** The id of an object that is only referred to. */
export function idNamed(apiVersion: string, kind: string, name: string, namespace: string): Id {
  const isClusterScoped = clusterScoped.has(`${apiVersion} ${kind}`);
  return { ...parseApiVersion(apiVersion), kind, name, namespace: effective(namespace, isClusterScoped) };
}

/** compat sources KN-5: recorded at every step that may change a name or a namespace. */
export function recordFormerName(resource: KustomizeResource): void {
  resource.former = [...resource.former, currently(resource)];
}

const currently = (resource: KustomizeResource): Former => ({
  kind: resource.kind,
  name: nameOf(resource),
  namespace: placeOf(resource),
});

/** The current id of an object and all its former ones. compat: with its current group and version. */
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

/** compat: a label that is used in several fields is stored once, and changes in all of them. */
export function checkShared({ shared }: KustomizeResource, key: string): void {
  if (shared.has(key)) decline(`the shared label ${key} changes`);
}

/** Updates the identity of an object from its fields. */
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

/** Annotations that kustomize itself interprets. */
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
    // compat: kustomize turns every value into its original text, which we do not have
    if (typeof value !== 'string' && !(mayDelete && value === null)) decline('an annotation is no text');
  }
}

/** Makes a resource of an object that was read. */
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

/** compat: kustomize rewrites the annotations of every object, and omits an empty map. */
export function dropEmptyAnnotations(metadata: FieldMap): void {
  const { annotations } = metadata;
  const isEmpty = annotations === null || (annotations && Object.keys(annotations).length === 0);
  if (isEmpty) delete metadata.annotations;
}

/** compat sources KL-4: no two objects may have one id at any time. */
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
