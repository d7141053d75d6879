import { compareBytes, gvkOf } from '#base/model';
import { type BuiltinResource, builtinResources, type JsonObject, type SchemaGvk } from '#kubernetes/schema';

/** One kind in one served version, with everything needed to serve it. */
export type ServedResource = BuiltinResource & {
  readonly listKind: string;
  /** The table of its objects, common to all versions. */
  readonly collection: string;
  /** The storage apiVersion (and kind) of its objects. */
  readonly kept: SchemaGvk;
  readonly custom?: CustomKind;
};

/** The parts of a kind that only a CustomResourceDefinition has. */
export type CustomKind = {
  /** Name of the definition. */
  readonly definition: string;
  readonly schema: JsonObject | undefined;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
  readonly scale: ScalePaths | undefined;
  /** Whether an object is the same in every version. */
  readonly isUniform: boolean;
  /** Why an object cannot be converted from its storage version; undefined when it can. */
  readonly unconvertible: (() => string) | undefined;
  /** The definition is being deleted: nothing new may be created. */
  readonly terminating: boolean;
};

export type PrinterColumn = {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
};

/** Field paths without their leading dot, as `spec.replicas`. */
export type ScalePaths = {
  readonly spec: string;
  readonly status: string;
  readonly selector: string | undefined;
};

export const apiVersionOf = ({ group, version }: SchemaGvk): string =>
  group === '' ? version : `${group}/${version}`;

export const hasSubresource = (resource: ServedResource, name: string): boolean =>
  resource.subresources.some((sub) => sub.name === name);

/** Which kinds are served right now: the built-in ones, and those of established definitions. */
export class ServedKinds {
  readonly #byPath = new Map<string, ServedResource>();
  readonly #byKind = new Map<string, ServedResource>();
  readonly #custom = new Map<string, readonly ServedResource[]>();
  #revision = 0;

  constructor() {
    for (const resource of builtins()) this.#add(resource);
  }

  /** Changes whenever discovery would. */
  get revision(): number {
    return this.#revision;
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  findKind(apiVersion: string, kind: string): ServedResource | undefined {
    const { group, version } = gvkOf({ apiVersion, kind });
    return this.#byKind.get(`${group}/${version}/${kind}`);
  }

  /** Every served resource: built-in groups in Kubernetes' order, the others by name; the preferred version first, then by plural. */
  all(): ServedResource[] {
    return [...this.#byPath.values()].sort(
      (a, b) =>
        rankOf(a.group) - rankOf(b.group) ||
        compareBytes(a.group, b.group) ||
        compareVersions(a.version, b.version) ||
        compareBytes(a.plural, b.plural),
    );
  }

  /** The kind of a table, in every version it is served in. */
  versionsOf(collection: string): ServedResource[] {
    return [...this.#byPath.values()].filter((resource) => resource.collection === collection);
  }

  /** Serves the resources of a definition, replacing its former ones; an empty list stops serving it. */
  serve(definition: string, resources: readonly ServedResource[]): void {
    for (const old of this.#custom.get(definition) ?? []) this.#drop(old);
    if (resources.length === 0) this.#custom.delete(definition);
    else this.#custom.set(definition, resources);
    for (const resource of resources) this.#add(resource);
    this.#revision += 1;
  }

  #add(resource: ServedResource): void {
    this.#byPath.set(`${resource.group}/${resource.version}/${resource.plural}`, resource);
    this.#byKind.set(`${resource.group}/${resource.version}/${resource.kind}`, resource);
  }

  #drop(resource: ServedResource): void {
    this.#byPath.delete(`${resource.group}/${resource.version}/${resource.plural}`);
    this.#byKind.delete(`${resource.group}/${resource.version}/${resource.kind}`);
  }
}

const ranks = new Map(
  [...new Set(builtinResources.map(({ group }) => group))].map((group, rank) => [group, rank]),
);
const rankOf = (group: string): number => ranks.get(group) ?? ranks.size;

/** Whether Kubernetes itself serves a group; the others come from definitions. */
export const isBuiltinGroup = (group: string): boolean => ranks.has(group);

function* builtins(): Generator<ServedResource> {
  const kept = new Map<string, SchemaGvk>();
  for (const { group, version, kind, plural } of builtinResources) {
    const id = `${group}/${plural}`;
    const known = kept.get(id);
    if (!known || compareVersions(version, known.version) < 0) kept.set(id, { group, version, kind });
  }
  // compat cluster 3.20: the two Event kinds are two views of one store
  kept.set('events.k8s.io/events', { group: '', version: 'v1', kind: 'Event' });
  for (const resource of builtinResources) {
    const id = `${resource.group}/${resource.plural}`;
    yield {
      ...resource,
      listKind: `${resource.kind}List`,
      collection: id === 'events.k8s.io/events' ? '/events' : id,
      kept: kept.get(id) ?? resource,
    };
  }
}

/** Kubernetes' order of preference: v2, v1, v2beta1, v1beta2, v1alpha1, then everything else by name. */
function compareVersions(a: string, b: string): number {
  const x = parseVersion(a);
  const y = parseVersion(b);
  if (!x || !y) return x ? -1 : y ? 1 : compareBytes(a, b);
  return y.stability - x.stability || y.major - x.major || y.minor - x.minor;
}

function parseVersion(version: string) {
  const found = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (!found) return undefined;
  const stability = found[2] === undefined ? 2 : found[2] === 'beta' ? 1 : 0;
  return { stability, major: Number(found[1]), minor: Number(found[3] ?? 0) };
}
