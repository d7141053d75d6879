import type { KubeObject, ManagedFieldsEntry } from '#base/model';
import { parseJson, printJson } from '#base/std';
import { anyType, isObject, type JsonObject } from '#kubernetes/schema';
import { covers } from './covers.ts';

/** The entry of a manager's own applies; undefined when it has never applied the object. */
export function ownEntry({ metadata }: KubeObject, manager: string): ManagedFieldsEntry | undefined {
  return metadata.managedFields?.find(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && !entry.subresource,
  );
}

/**
 * Whether every field that a record (FieldsV1) names exists in the value, and has the same value in the other
 * one. Needs no schema: the record itself identifies list items.
 */
export function isRecordedIn(fields: unknown, value: unknown, other: unknown = value): boolean {
  if (!isObject(fields) || isWhole(fields)) return covers(value, other, anyType, 'plain');
  if (Array.isArray(value)) return Array.isArray(other) && areItemsRecorded(fields, value, other);
  return isObject(value) && isObject(other) && areFieldsRecorded(fields, value, other);
}

function areFieldsRecorded(fields: JsonObject, value: JsonObject, other: JsonObject): boolean {
  for (const name in fields) {
    if (name === '.') continue;
    const field = name.slice(2);
    const isThere = Object.hasOwn(value, field) && Object.hasOwn(other, field);
    if (!isThere || !isRecordedIn(fields[name], value[field], other[field])) return false;
  }
  return true;
}

function areItemsRecorded(fields: JsonObject, value: unknown[], other: unknown[]): boolean {
  const items = new ItemIndex(fields, value);
  const others = value === other ? items : new ItemIndex(fields, other);
  for (const name in fields) {
    if (name === '.') continue;
    const [item, twin] = [items.find(name), others.find(name)];
    if (!item || !twin || !isRecordedIn(fields[name], item.value, twin.value)) return false;
  }
  return true;
}

/** compat cluster 3.9: the API server writes these into every object and records no manager for them. */
const unrecorded: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'generateName',
  'creationTimestamp',
  'uid',
  'selfLink',
  'generation',
  'resourceVersion',
  'managedFields',
]);

/** Whether a record covers all that an object declares: a record that ends owns everything below. */
export function isCoveredBy(
  { apiVersion: _version, kind: _kind, metadata, ...rest }: KubeObject,
  fields: unknown,
): boolean {
  const record = isObject(fields) ? fields : {};
  const reported = Object.fromEntries(Object.entries(metadata).filter(([name]) => !unrecorded.has(name)));
  return (
    isValueCovered(rest, record) &&
    (Object.keys(reported).length === 0 || isValueCovered(reported, record['f:metadata']))
  );
}

function isValueCovered(value: unknown, fields: unknown): boolean {
  if (!isObject(fields)) return false;
  if (isObject(value)) {
    const names = Object.keys(value);
    return isWhole(fields) || names.every((name) => isValueCovered(value[name], fields[`f:${name}`]));
  }
  if (!Array.isArray(value) || isWhole(fields)) return true;
  const items = new ItemIndex(fields, value);
  const named = new Set(Object.keys(fields).flatMap((name) => items.find(name)?.at ?? []));
  return value.every((item, at) => named.has(at) && isValueCovered(item, items.fieldsAt(at)));
}

function isWhole(fields: JsonObject): boolean {
  for (const name in fields) if (name !== '.') return false;
  return true;
}

type Item = { readonly at: number; readonly value: unknown };

/** The items of a list by the names a record gives them: keys, values or indices. One pass over either. */
class ItemIndex {
  readonly #items: readonly unknown[];
  readonly #fields: JsonObject;
  /** In the spelling of the record, as far as they have the keys. */
  readonly #byName = new Map<string, number>();
  /** Which keys items have: all of them, but where one is left to its default. */
  readonly #ways = new Map<string, readonly string[]>();
  readonly #recordOf = new Map<number, string>();

  constructor(fields: JsonObject, items: readonly unknown[]) {
    this.#items = items;
    this.#fields = fields;
    const names = keyNames(fields);
    for (let at = 0; at < items.length; at++) this.#add(items[at], at, names);
  }

  #add(item: unknown, at: number, names: readonly string[]): void {
    if (!isObject(item)) {
      this.#byName.set(`v:${printJson(item)}`, at);
      return;
    }
    const present = names.filter((name) => Object.hasOwn(item, name));
    const isWhole = present.length === names.length;
    this.#ways.set(isWhole ? '' : present.join(), isWhole ? names : present);
    this.#byName.set(spelled(item, present), at);
  }

  /** The item that one name of the record means. */
  find(name: string): Item | undefined {
    const at = this.#byName.get(name) ?? this.#placeOf(name);
    if (at === undefined || at >= this.#items.length) return undefined;
    this.#recordOf.set(at, name);
    return { at, value: this.#items[at] };
  }

  /** By the index, or by the value of the name instead of its spelling. */
  #placeOf(name: string): number | undefined {
    if (name.startsWith('i:')) return Number(name.slice(2));
    const meant = meaningOf(name);
    if (!name.startsWith('k:')) return this.#byName.get(`v:${printJson(meant)}`);
    if (!isObject(meant)) return undefined;
    const found = [...this.#ways.values()].map((way) => this.#byName.get(spelled(meant, way)));
    return found.find((at) => at !== undefined);
  }

  /** The recorded fields of an item that was found. */
  fieldsAt(at: number): unknown {
    return this.#fields[this.#recordOf.get(at) ?? ''];
  }
}

/** The keys by which a record identifies the items of its list; [] when it uses none. */
function keyNames(fields: JsonObject): readonly string[] {
  for (const name in fields) {
    if (!name.startsWith('k:')) continue;
    const keys = meaningOf(name);
    return isObject(keys) ? Object.keys(keys) : [];
  }
  return [];
}

const spelled = (item: JsonObject, names: readonly string[]): string =>
  `k:{${names.map((name) => `${JSON.stringify(name)}:${printJson(item[name])}`).join(',')}}`;

function meaningOf(name: string): unknown {
  try {
    return parseJson(name.slice(2));
  } catch {
    return undefined;
  }
}
