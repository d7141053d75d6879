import { equal, isObject } from '#base/std';

/** Lists whose items have an identity, by the name of their field (the merge keys of Kubernetes). */
const mergeKeys: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
  imagePullSecrets: 'name',
  ports: 'containerPort',
  volumeMounts: 'mountPath',
};

/** The earlier and the later side of a change. */
export type TemplateChange = { readonly from: unknown; readonly to: unknown };

/**
 * Makes the same change to another version of a value, such as the template in Git, which has no defaults. What the change does
 * not touch stays as it is. `field`: the name of the field that holds the value.
 */
export function mergeChange(value: unknown, { from, to }: TemplateChange, field = ''): unknown {
  if (equal(from, to)) return value;
  if (isObject(to) && isFields(value) && isFields(from)) return mergeFields(value ?? {}, from ?? {}, to);
  if (Array.isArray(to)) return mergeItems(value, { from, to }, field) ?? to;
  return to;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields | undefined => value === undefined || isObject(value);

function mergeFields(value: Fields, from: Fields, to: Fields): Fields {
  const names = new Set([...Object.keys(value), ...Object.keys(to)]);
  const merged = [...names].map((name): [string, unknown] => {
    const own = (of: Fields): unknown => (Object.hasOwn(of, name) ? of[name] : undefined);
    return [name, mergeChange(own(value), { from: own(from), to: own(to) }, name)];
  });
  return Object.fromEntries(merged.filter(([, one]) => one !== undefined));
}

/** Undefined: the items have no identities, and the list is one value. */
function mergeItems(value: unknown, change: TemplateChange, field: string): readonly unknown[] | undefined {
  const key = Object.hasOwn(mergeKeys, field) ? mergeKeys[field] : undefined;
  if (key === undefined || !Array.isArray(value)) return undefined;
  const [from, to] = [byKey(change.from, key), byKey(change.to, key)];
  const own = byKey(named(value, change.from, key), key);
  if (!from || !to || !own) return undefined;
  const places = new Map([...own.keys()].map((name, at) => [name, value[at] as unknown]));
  // what neither side has stays, at the end
  const others = [...own.keys()].filter((name) => !from.has(name) && !to.has(name));
  return [...to.keys(), ...others].flatMap((name) => {
    const merged = mergeChange(places.get(name), { from: from.get(name), to: to.get(name) });
    return merged === undefined ? [] : [merged];
  });
}

/** Knative names the container that Git leaves without a name. */
function named(value: readonly unknown[], from: unknown, key: string): readonly unknown[] {
  if (!Array.isArray(from) || from.length !== value.length) return value;
  return value.map((item, at) => {
    const other: unknown = from[at];
    const lacks = isObject(item) && item[key] === undefined && isObject(other);
    return lacks ? { ...item, [key]: other[key] } : item;
  });
}

function byKey(list: unknown, key: string): ReadonlyMap<unknown, unknown> | undefined {
  if (!Array.isArray(list)) return list === undefined ? new Map() : undefined;
  const items = new Map<unknown, unknown>();
  for (const item of list) {
    if (!isObject(item) || item[key] === undefined) return undefined;
    items.set(item[key], item);
  }
  return items.size === list.length ? items : undefined;
}

/** The name or number by which an item of a list is found again; undefined: it has none. */
export function identityIn(field: string, item: unknown): unknown {
  const key = Object.hasOwn(mergeKeys, field) ? mergeKeys[field] : undefined;
  return key !== undefined && isObject(item) ? item[key] : undefined;
}
