import { isObject } from '#base/std';
import { type BuildMeter, decline } from './decline.ts';
import { type FieldLocation, type FieldSpec, isSelected, type PartialGvk, visitField } from './field-path.ts';
import { type ReferredKind, referredKinds } from './reference-table.ts';
import {
  checkShared,
  firstKindOf,
  firstPlaceOf,
  isNowhere,
  type KustomizeResource,
  nameOf,
  namespaceOf,
  placeOf,
} from './resource.ts';

type Field = FieldSpec & { readonly target: ReferredKind['target'] };

const fieldsOf = (kinds: readonly ReferredKind[]): Field[] =>
  kinds.flatMap(({ target, referrers }) => referrers.map((referrer) => ({ ...referrer, target })));

/** Fields of kustomize's own table by the kind that has them, in its order. */
const fieldsByKind = new Map<string, Field[]>();
for (const field of fieldsOf(referredKinds)) {
  const kind = field.kind ?? '';
  fieldsByKind.set(kind, [...(fieldsByKind.get(kind) ?? []), field]);
}

/** The fields by which an object may refer to others. compat: by its original kind. */
function fieldFinder(kinds: readonly ReferredKind[]): (referrer: KustomizeResource) => readonly Field[] {
  const all = kinds === referredKinds ? undefined : fieldsOf(kinds);
  return (referrer) => {
    const { group, version } = referrer;
    const first = { group, version, kind: firstKindOf(referrer) };
    return (all ?? fieldsByKind.get(first.kind) ?? []).filter((field) => isSelected(first, field));
  };
}

/** Updates every reference to the current name of the object that it names (sources KN-1 to KN-5). */
export function fixReferences(
  resources: readonly KustomizeResource[],
  kinds: readonly ReferredKind[],
  meter: BuildMeter,
): void {
  const byFormerName = namedBefore(resources);
  // compat: kustomize reads the subjects of a RoleBinding even where nothing was renamed, and rejects bad ones
  for (const binding of resources.filter(isRoleBinding)) subjectNamespaces(binding);
  if (byFormerName.size === 0) return;
  const find = fieldFinder(kinds);
  for (const referrer of resources) {
    const fields = find(referrer);
    if (fields.length === 0) continue;
    const fixing = new Fixing(referrer, resources, byFormerName);
    meter.steps(fields.length * 10);
    for (const field of fields) fixing.field(field);
  }
}

function namedBefore(
  resources: readonly KustomizeResource[],
): ReadonlyMap<string, readonly KustomizeResource[]> {
  const found = new Map<string, KustomizeResource[]>();
  for (const resource of resources) {
    for (const name of new Set(resource.former.map((id) => id.name))) {
      const named = found.get(name);
      if (named) named.push(resource);
      else found.set(name, [resource]);
    }
  }
  return found;
}

/** The references of one object. */
class Fixing {
  readonly #referrer: KustomizeResource;
  readonly #resources: readonly KustomizeResource[];
  readonly #byFormerName: ReadonlyMap<string, readonly KustomizeResource[]>;
  readonly #subjectNamespaces: ReadonlySet<string>;

  constructor(
    referrer: KustomizeResource,
    resources: readonly KustomizeResource[],
    byFormerName: ReadonlyMap<string, readonly KustomizeResource[]>,
  ) {
    this.#referrer = referrer;
    this.#resources = resources;
    this.#byFormerName = byFormerName;
    this.#subjectNamespaces = referrer.kind === 'RoleBinding' ? subjectNamespaces(referrer) : new Set();
  }

  field(field: Field): void {
    const found = (place: FieldLocation): void => this.#fix(place, field);
    visitField(this.#referrer, { path: field.path, create: undefined, found });
  }

  #fix({ holder, key }: FieldLocation, field: Field): void {
    const value = holder[key];
    if (value === null || value === undefined) return;
    if (Array.isArray(value)) {
      const list = value as unknown as Record<number, unknown>;
      for (const at of value.keys()) this.#one({ holder: list, key: at }, field);
    } else this.#one({ holder, key }, field);
  }

  #one({ holder, key }: FieldLocation, field: Field): void {
    const value = holder[key];
    if (isObject(value)) this.#map(value, field);
    else if (Array.isArray(value)) decline('a list in a list of references');
    else if (typeof value === 'string') {
      const found = this.#choose(this.#named(value), field, (a, b) => nameOf(a) === nameOf(b));
      if (!found || nameOf(found) === value) return;
      checkShared(this.#referrer, String(key));
      holder[key] = nameOf(found);
    }
  }

  /** compat sources KN-4: a map has a name and, if its object has one, a namespace. */
  #map(map: Record<string, unknown>, field: Field): void {
    const { name, namespace } = map;
    if (typeof name !== 'string') decline('a reference without a name');
    if (namespace !== undefined && typeof namespace !== 'string') decline('an odd namespace of a reference');
    const named = this.#named(name);
    if (named.length === 0) return;
    const candidates = namespace === undefined ? named : this.#inNamespace(named, namespace);
    const isSame = (a: KustomizeResource, b: KustomizeResource): boolean =>
      nameOf(a) === nameOf(b) && namespaceOf(a) === namespaceOf(b);
    const found = this.#choose(candidates, field, isSame);
    if (!found) return;
    map.name = nameOf(found);
    if (namespaceOf(found) !== '') map.namespace = namespaceOf(found);
  }

  #named(name: string): KustomizeResource[] {
    return (this.#byFormerName.get(name) ?? []).filter((resource) => this.#mayRefer(resource));
  }

  #mayRefer(resource: KustomizeResource): boolean {
    return (
      this.#referrer.isClusterScoped ||
      resource.isClusterScoped ||
      placeOf(resource) === placeOf(this.#referrer) ||
      this.#subjectNamespaces.has(namespaceOf(resource))
    );
  }

  /** compat: by the original namespaces of objects, if any of them had this one; else by the current ones. */
  #inNamespace(named: readonly KustomizeResource[], namespace: string): KustomizeResource[] {
    if (isNowhere(namespace)) return [];
    const wasThere = (resource: KustomizeResource): boolean => firstPlaceOf(resource) === namespace;
    const some = this.#resources.some((resource) => wasThere(resource) && this.#mayRefer(resource));
    return named.filter((resource) => (some ? wasThere(resource) : placeOf(resource) === namespace));
  }

  /** compat sources KN-3. */
  #choose(
    named: readonly KustomizeResource[],
    field: Field,
    isSame: (a: KustomizeResource, b: KustomizeResource) => boolean,
  ): KustomizeResource | undefined {
    const role = field.path.at(-2) === 'roleRef' ? roleOf(this.#referrer) : undefined;
    const possible = named.filter(
      (resource) =>
        wasSelected(resource, field.target) &&
        (!role || wasSelected(resource, role)) &&
        this.#isNear(resource),
    );
    if (possible.length < 2) return possible[0];
    const alike = possible.filter((resource) => isAlike(resource, this.#referrer, true));
    const closest = alike.length > 1 ? alike.filter((one) => isAlike(one, this.#referrer, false)) : alike;
    const [first] = closest;
    if (!first || closest.every((resource) => isSame(resource, first))) return first;
    return decline('a reference that may mean several objects'); // compat: kustomize reports an error
  }

  #isNear(resource: KustomizeResource): boolean {
    return (
      this.#referrer.isClusterScoped ||
      resource.isClusterScoped ||
      resource.kind === 'ServiceAccount' ||
      placeOf(resource) === placeOf(this.#referrer)
    );
  }
}

const isRoleBinding = ({ kind, group }: KustomizeResource): boolean =>
  kind === 'RoleBinding' && group === 'rbac.authorization.k8s.io';

/** Whether an object ever had a kind, before a step changed its name or kind. */
const wasSelected = ({ group, version, former }: KustomizeResource, gvk: PartialGvk): boolean =>
  former.some(({ kind }) => isSelected({ group, version, kind }, gvk));

/** compat: kustomize rejects an account with a blank namespace; it does not check a ClusterRoleBinding. */
function subjectNamespaces({ object }: KustomizeResource): Set<string> {
  const { subjects } = object;
  if (subjects === undefined || subjects === null) return new Set();
  if (!Array.isArray(subjects)) decline('subjects that are no list');
  return new Set(
    subjects.flatMap((subject) => {
      if (!isObject(subject)) decline('a subject that is no map');
      const { kind, namespace } = subject;
      if (namespace === undefined || kind === undefined) return [];
      if (typeof kind !== 'string') decline('an odd kind of a subject'); // compat: kustomize panics
      if (kind !== 'ServiceAccount') return [];
      return typeof namespace === 'string' ? [namespace] : decline('a blank namespace of a subject');
    }),
  );
}

/** The role that a binding names; undefined when the reference is incomplete. */
function roleOf({ object }: KustomizeResource): { group: string; kind: string } | undefined {
  const { roleRef } = object;
  if (!isObject(roleRef)) return undefined;
  const { apiGroup, kind } = roleRef;
  if (apiGroup === undefined || kind === undefined) return undefined;
  if (typeof apiGroup !== 'string' || typeof kind !== 'string') decline('an odd roleRef');
  return { group: apiGroup, kind };
}

/** Whether two objects had the same renames, counted from the last; with `mayLack`, none match any. */
function isAlike(a: KustomizeResource, b: KustomizeResource, mayLack: boolean): boolean {
  const same = (one: readonly string[], other: readonly string[]): boolean =>
    (mayLack && (one.length === 0 || other.length === 0)) || endsAlike(one, other);
  return same(a.prefixes, b.prefixes) && same(a.suffixes, b.suffixes);
}

function endsAlike(one: readonly string[], other: readonly string[]): boolean {
  const shorter = Math.min(one.length, other.length);
  if (shorter === 0) return one.length === other.length;
  return one.slice(-shorter).join() === other.slice(-shorter).join();
}
