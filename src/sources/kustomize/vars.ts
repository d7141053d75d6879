import { isObject } from '#base/std';
import { decline } from './decline.ts';
import { type FieldLocation, type FieldSpec, isSelected, visitField } from './field-path.ts';
import { checkShared, idNamed, idsOf, type KustomizeResource } from './resource.ts';
import { fold, textIn } from './typed.ts';
import { lookup, splitPath } from './value-path.ts';
import { asFields, type FieldMap } from './values.ts';

/** A name that stands for the value of a field of an object (sources KV-1). */
export type Var = {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: string;
  readonly namespace: string;
  readonly fieldPath: string;
};

export function varEntry(entry: FieldMap): Var {
  const { name, objref, fieldref } = fold(entry, 'name objref fieldref');
  const object = fold(asFields(objref, 'objref'), 'apiVersion group version kind name namespace');
  const { fieldPath } = fold(asFields(fieldref ?? {}, 'fieldref'), 'fieldPath');
  const version = textIn(object.version);
  const group = textIn(object.group);
  const apiVersion = textIn(object.apiVersion);
  if (apiVersion !== '' && group + version !== '') decline('a variable of two versions');
  return {
    name: textIn(name),
    apiVersion: apiVersion || (group === '' ? version : `${group}/${version}`),
    kind: textIn(object.kind),
    object: textIn(object.name),
    namespace: textIn(object.namespace),
    fieldPath: textIn(fieldPath) || 'metadata.name',
  };
}

/** Adds variables to the known ones, and records on objects which of them take their values there (sources KV-1). */
export function addVars(
  known: readonly Var[],
  added: readonly Var[],
  resources: readonly KustomizeResource[],
): Var[] {
  for (const one of added) {
    const found = resources.filter((resource) => isMeant(resource, one));
    const [resource] = found;
    if (found.length > 1) decline('a variable of several objects'); // compat: kustomize reports an error
    if (resource) resource.vars = [...resource.vars, one.name];
  }
  return joinVars(known, added);
}

/** compat sources KV-1: no name twice. */
export function joinVars(known: readonly Var[], added: readonly Var[]): Var[] {
  const all = [...known, ...added];
  if (new Set(all.map(({ name }) => name)).size < all.length) decline('a variable that is known already');
  return all;
}

/** compat: without a namespace, objects of any; cluster-scoped kinds are not recognized here. */
function isMeant(resource: KustomizeResource, { apiVersion, kind, object, namespace }: Var): boolean {
  const id = idNamed(apiVersion, kind, object, '');
  if (id.group !== resource.group || id.version !== resource.version) return false;
  return idsOf(resource).some(
    (one) => one.kind === kind && one.name === object && (namespace === '' || one.namespace === namespace),
  );
}

type Value = string | number | boolean;

/** Replaces `$(NAME)` with the values of variables (sources KV-1). */
export function resolveVars(
  resources: readonly KustomizeResource[],
  vars: readonly Var[],
  fields: readonly FieldSpec[],
): void {
  if (vars.length === 0) return;
  const values = new Map(vars.map((one) => [one.name, varValue(one, resources)]));
  for (const resource of resources) {
    for (const [key, { value }] of resource.shared) if (value.includes('$')) checkShared(resource, key);
    for (const { path, ...gvk } of fields) {
      if (!isSelected(resource, gvk)) continue;
      visitField(resource, { path, create: undefined, found: (place) => resolveAt(place, values) });
    }
  }
}

function varValue({ name, fieldPath }: Var, resources: readonly KustomizeResource[]): Value {
  const resource = resources.find(({ vars }) => vars.includes(name));
  if (!resource) decline('a variable of nothing'); // compat: kustomize reports an error
  const parts = splitPath(fieldPath).flatMap((part) => {
    const [, field, index] = /^(.*)\[(\d+)\]$/.exec(part) ?? [];
    return index === undefined ? [part] : field ? [field, index] : [index];
  });
  const value = lookup(resource.object, parts);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return typeof value === 'number' && Number.isSafeInteger(value)
    ? value
    : decline('a variable of an odd value');
}

/** compat sources KV-1: texts, the texts of a list, and those of a map. */
function resolveAt({ holder, key }: FieldLocation, values: ReadonlyMap<string, Value>): void {
  const value = holder[key];
  if (typeof value === 'string') holder[key] = expand(value, values);
  else if (Array.isArray(value)) {
    if (!value.every((item) => typeof item === 'string'))
      decline('a list with variables that holds other things');
    holder[key] = value.map((item) => expand(item, values));
  } else if (isObject(value)) {
    const map: FieldMap = value;
    for (const [name, inner] of Object.entries(map)) {
      if (typeof inner === 'string') map[name] = expand(inner, values);
    }
  }
}

const reference = /\$(?:\(([^)]*)\)|[\s\S])/g;

/** compat sources KV-1: `$$` is one dollar, and an unknown name stays; alone, a value keeps its type. */
function expand(text: string, values: ReadonlyMap<string, Value>): Value {
  if (!text.includes('$')) return text;
  const whole = /^\$\(([^)]*)\)$/.exec(text)?.[1];
  if (whole !== undefined) return values.get(whole) ?? text;
  return text.replace(reference, (found, name?: string) => {
    if (name === undefined) return found === '$$' ? '$' : found;
    const value = values.get(name);
    return value === undefined ? found : String(value);
  });
}
