import { FairleadError, isObject, type JsonObject } from '#base/std';
import { parseBool } from './annotations.ts';
import type { IgnoreRule, ResourceOverride } from './settings.ts';
import type { ParseYaml, SettingsReader } from './settings-reader.ts';
import { listOf, textAt, texts, wrong } from './settings-yaml.ts';

type Overrides = Readonly<Record<string, ResourceOverride>>;
type Field = (value: unknown, parseYaml: ParseYaml) => ResourceOverride;

const combined = 'resource.customizations';

// the same six things, by their names in the combined map and in the split keys
const fields: Readonly<Record<string, Field>> = {
  'health.lua': (value) => ({ healthLua: text(value, 'health.lua') }),
  'health.lua.useOpenLibs': (value) => ({ useOpenLibs: flag(value, 'health.lua.useOpenLibs') }),
  actions: (value) => ({ actions: text(value, 'actions') }),
  ignoreDifferences: (value, yaml) => ({
    ignoreDifferences: ruleOf(block(value, yaml), 'ignoreDifferences'),
  }),
  ignoreResourceUpdates: (value, yaml) => ({
    ignoreResourceUpdates: ruleOf(block(value, yaml), 'ignoreResourceUpdates'),
  }),
  knownTypeFields: (value, yaml) => ({
    knownTypeFields: listOf(block(value, yaml), (item, where) => ({
      field: textAt(item, 'field', where),
      type: textAt(item, 'type', where),
    })),
  }),
};
const properties: Readonly<Record<string, keyof ResourceOverride>> = {
  'health.lua': 'healthLua',
  'health.lua.useOpenLibs': 'useOpenLibs',
  actions: 'actions',
  ignoreDifferences: 'ignoreDifferences',
  ignoreResourceUpdates: 'ignoreResourceUpdates',
  knownTypeFields: 'knownTypeFields',
};
const splitNames: Readonly<Record<string, string>> = {
  health: 'health.lua',
  useOpenLibs: 'health.lua.useOpenLibs',
};

/** The inputs of every part of the reading: the source, the YAML parser, and the last good values. */
type Reading = { readonly reader: SettingsReader; readonly parseYaml: ParseYaml; readonly last: Overrides };
type Entry = readonly [kind: string, override: ResourceOverride];

/**
 * Everything configured per kind: the combined map, overridden field by field by the split keys (engine D-9).
 * dev: a bad entry is reported and keeps its last good value; upstream it stops every override from loading.
 */
export function readOverrides(reader: SettingsReader, parseYaml: ParseYaml, last: Overrides): Overrides {
  const reading = { reader, parseYaml, last };
  const overrides = new Map<string, ResourceOverride>();
  for (const [kind, override] of [...combinedOverrides(reading), ...splitOverrides(reading)]) {
    overrides.set(kind, { ...overrides.get(kind), ...override });
  }
  return Object.fromEntries(overrides);
}

function combinedOverrides(reading: Reading): Entry[] {
  const { reader, parseYaml, last } = reading;
  if (!reader.has(combined)) return [];
  try {
    const map = parseYaml(reader.data[combined] ?? '') ?? {};
    if (!isObject(map)) throw wrong('the value', 'a map keyed group/Kind');
    return Object.entries(map).flatMap(([kind, value]) => entriesOf(reading, kind, value));
  } catch (error) {
    reader.problem('error', combined, FairleadError.from(error).message);
    return Object.entries(last);
  }
}

function entriesOf(reading: Reading, kind: string, value: unknown): Entry[] {
  if (!isObject(value)) {
    reading.reader.problem('error', combined, `the entry ${kind} must be a map`);
    return [];
  }
  // engine D-15: a core kind may be written with or without a leading slash
  const place = { key: combined, kind: kind.replace(/^\//, ''), entry: `${kind}: ` };
  return Object.entries(value).flatMap(([name, item]) => {
    if (Object.hasOwn(fields, name)) return entryOf(reading, place, name, item);
    const known = Object.keys(fields).join(', ');
    reading.reader.problem('warning', combined, `${kind} has an unknown field "${name}"; known are ${known}`);
    return [];
  });
}

function splitOverrides(reading: Reading): Entry[] {
  return Object.entries(reading.reader.data).flatMap(([key, value]) => {
    if (!key.startsWith(`${combined}.`)) return [];
    const [type = '', ...rest] = key.slice(combined.length + 1).split('.');
    const name = splitNames[type] ?? type;
    const kind = kindOf(rest.join('.'));
    if (Object.hasOwn(fields, name) && kind !== undefined) {
      return entryOf(reading, { key, kind, entry: '' }, name, value);
    }
    reading.reader.problem('error', key, splitProblem(Object.hasOwn(fields, name)));
    return [];
  });
}

/** One field of one kind; a malformed one is reported and stays as it last was. */
function entryOf(
  { reader, parseYaml, last }: Reading,
  place: OverrideKey,
  name: string,
  value: unknown,
): Entry[] {
  try {
    return [[place.kind, fields[name]?.(value, parseYaml) ?? {}]];
  } catch (error) {
    reader.problem('error', place.key, place.entry + FairleadError.from(error).message);
    const property = properties[name];
    const old = property && Object.hasOwn(last, place.kind) ? last[place.kind]?.[property] : undefined;
    return property && old !== undefined ? [[place.kind, { [property]: old }]] : [];
  }
}
type OverrideKey = { readonly key: string; readonly kind: string; readonly entry: string };

function splitProblem(knownType: boolean): string {
  return knownType
    ? 'the part after the type must be GROUP_KIND, KIND or all; dots in the group stay dots'
    : 'the type must be one of health, useOpenLibs, actions, ignoreDifferences, ignoreResourceUpdates, knownTypeFields';
}

/** `apps_Deployment` is apps/Deployment, `Pod` is Pod, `all` is every kind; undefined: malformed. */
function kindOf(groupKind: string): string | undefined {
  if (groupKind === 'all') return '*/*';
  const parts = groupKind.split('_');
  if (groupKind === '' || parts.length > 2) return undefined;
  return parts[0] === '' ? parts[1] : parts.join('/');
}

function text(value: unknown, name: string): string {
  if (typeof value !== 'string') throw wrong(name, 'text');
  return value;
}

function flag(value: unknown, name: string): boolean {
  const parsed = typeof value === 'boolean' ? value : parseBool(String(value));
  if (parsed === undefined) throw wrong(name, 'true or false');
  return parsed;
}

/** In the combined map these values are text blocks of YAML; written out as maps they are just as clear. */
const block = (value: unknown, parseYaml: ParseYaml): unknown =>
  typeof value === 'string' ? parseYaml(value) : value;

function ruleOf(value: unknown, name: string): IgnoreRule {
  const rule: JsonObject | undefined = isObject(value) ? value : undefined;
  if (!rule) throw wrong(name, 'a map of jsonPointers, jqPathExpressions, managedFieldsManagers');
  return {
    jsonPointers: texts(rule.jsonPointers, `${name}.jsonPointers`),
    jqPathExpressions: texts(rule.jqPathExpressions, `${name}.jqPathExpressions`),
    managedFieldsManagers: texts(rule.managedFieldsManagers, `${name}.managedFieldsManagers`),
  };
}
