import { FairleadError, isObject, type JsonObject, parseJson, printJson } from '#base/std';
import { annotation } from './annotations.ts';
import type { Application } from './application.ts';
import { isMaskedYaml, maskYaml } from './mask-yaml.ts';

/** Replaces a value that is not shown. A client that sends it back leaves the value unchanged. */
export const secretMask = '++++++++';

const secretName =
  /pass(?:word|wd|phrase)|secret|token|credential|(?:api|access|private|signing|encryption)[-_.]?key|(?:^|[-_.\]])key$/i;
const camelKey = /[a-z]Key$/;

/** Whether the name of a parameter, a variable or a field suggests a secret. */
export const isSecretName = (name: string): boolean => secretName.test(name) || camelKey.test(name);

/**
 * Shorter values are hidden in their own field, but not searched for in texts: they would be found
 * everywhere.
 */
const searched = 6;

type Hide = (value: unknown) => unknown;

/**
 * Hides the secrets that Applications carry in their sources: user and password of a repository's URL, Helm
 * parameters and values, variables of plugins and Jsonnet whose names look secret. A value that is hidden in
 * one of `from` is hidden wherever it occurs in the result's input: messages, history, last-applied copies. A
 * value without secrets stays unchanged.
 */
export function maskerOf(...from: readonly unknown[]): <T>(value: T) => T {
  const known = new Set<string>();
  let isPlain = true;
  const collect: Hide = (value) => {
    isPlain = false;
    if (typeof value === 'string' && value !== secretMask && value !== '') known.add(value);
    return value;
  };
  const check = (text: string): string => {
    isPlain &&= maskUrlsIn(text) === text;
    return text;
  };
  for (const one of from) walk(one, { hide: collect, text: check });
  const long = [...known].filter((secret) => secret.length >= searched).sort((a, b) => b.length - a.length);
  const text = (value: string): string => {
    if (known.has(value)) return secretMask;
    const scrubbed = long.reduce((rest, secret) => rest.replaceAll(secret, secretMask), value);
    return maskUrlsIn(scrubbed);
  };
  const hide: Hide = (value) =>
    typeof value === 'boolean' || value === null || value === '' ? value : secretMask;
  // what was looked through and has nothing to hide needs no second walk
  return (value) => (isPlain && from.includes(value) ? value : (walk(value, { hide, text }) as typeof value));
}

const masked = new WeakMap<Application, Application>();

/**
 * The Application without secrets. Objects of the cluster never change once they are read, so the result is
 * cached.
 */
export function maskApplication(app: Application): Application {
  const known = masked.get(app);
  if (known) return known;
  const shown = isPlain(app) ? app : maskerOf(app)(app);
  masked.set(app, shown);
  return shown;
}

/**
 * `wanted` with every masked value replaced by the one in `stored`. Throws InvalidSpec where `stored` has
 * none: a mask must never be stored in place of a secret.
 */
export function unmasked<T>(wanted: T, stored: unknown): T {
  return restore(wanted, { shown: maskerOf(stored)(stored), stored }, 'spec') as T;
}

/** Like `unmasked`, for fields of an Application: spec, labels, annotations as `maskApplication` shows them. */
export function unmaskedFields<T extends object>(wanted: T, stored: Application): T {
  const shown: Readonly<Record<string, unknown>> = maskApplication(stored);
  return Object.fromEntries(
    Object.entries(wanted).map(([key, value]) => [
      key,
      restore(value, { shown: shown[key], stored: (stored as JsonObject)[key] }, key),
    ]),
  ) as T;
}

type Stored = { readonly shown: unknown; readonly stored: unknown };

function restore(wanted: unknown, { shown, stored }: Stored, path: string): unknown {
  if (typeof wanted === 'string') {
    if (!wanted.includes(secretMask)) return wanted;
    if (wanted === shown) return stored;
    throw new FairleadError(
      'InvalidSpec',
      `${path} holds ${secretMask}, which stands for a hidden value: write the value, or leave the field as it was`,
    );
  }
  if (Array.isArray(wanted))
    return wanted.map((item, index) =>
      restore(item, itemOf({ shown, stored }, item, index), `${path}[${index}]`),
    );
  if (!isObject(wanted)) return wanted;
  const field = (from: unknown, key: string) =>
    isObject(from) && Object.hasOwn(from, key) ? from[key] : undefined;
  return Object.fromEntries(
    Object.entries(wanted).map(([key, value]) => [
      key,
      restore(value, { shown: field(shown, key), stored: field(stored, key) }, `${path}.${key}`),
    ]),
  );
}

/** Items with a name are found by it, others by their position. */
function itemOf({ shown, stored }: Stored, item: unknown, index: number): Stored {
  if (!Array.isArray(shown) || !Array.isArray(stored)) return { shown: undefined, stored: undefined };
  const name = isObject(item) ? item.name : undefined;
  const found =
    typeof name === 'string' ? stored.findIndex((one) => isObject(one) && one.name === name) : index;
  return { shown: shown[found], stored: stored[found] };
}

type Walk = { readonly hide: Hide; text(value: string): string };

/** A copy with secrets hidden; parts in which nothing is hidden are shared with the original. */
function walk(value: unknown, by: Walk): unknown {
  if (typeof value === 'string') return by.text(value);
  if (Array.isArray(value)) return changedItems(value, (item) => walk(item, by)) ?? value;
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  const items = keys.map((key) => value[key]);
  const changed = changedItems(items, (item, index) => walkField(keys[index] ?? '', item, by));
  return changed ? Object.fromEntries(keys.map((key, index) => [key, changed[index]])) : value;
}

/** Undefined when nothing changes, which is nearly always: lists of ten thousand applications are masked. */
function changedItems(
  before: readonly unknown[],
  change: (item: unknown, index: number) => unknown,
): unknown[] | undefined {
  let after: unknown[] | undefined;
  for (let index = 0; index < before.length; index++) {
    const item = change(before[index], index);
    if (!after && item !== before[index]) after = before.slice(0, index);
    after?.push(item);
  }
  return after;
}

/** The lists whose items have a name and a value. */
const named = new Set(['parameters', 'env', 'extVars', 'tlas']);

/** The fields whose values are searched by their own rules. */
const searchedFields = new Set([...named, 'valuesObject', 'values', 'manifests', annotation.lastApplied]);

/**
 * Whether there is surely nothing to hide: no field that may have a secret, and no text with the @ that ends the user of a
 * URL. It makes nothing, so that it costs a tenth of a walk; most applications of a list are plain.
 */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.indexOf('@') === -1; // quicker than includes()
  if (typeof value !== 'object' || value === null) return true;
  return Array.isArray(value) ? value.every(isPlain) : areFieldsPlain(value as JsonObject);
}

function areFieldsPlain(value: JsonObject): boolean {
  for (const key in value) if (searchedFields.has(key) || !isPlain(value[key])) return false;
  return true;
}

function walkField(key: string, value: unknown, by: Walk): unknown {
  if (named.has(key) && Array.isArray(value))
    return changedItems(value, (item) => walkNamed(item, by)) ?? value;
  if (key === 'valuesObject') return walkValues(value, by);
  if (key === 'manifests' && Array.isArray(value))
    return changedItems(value, (item) => walkManifest(item, by)) ?? value;
  if (typeof value !== 'string') return walk(value, by);
  if (key === 'repoURL') return maskUserInfo(value, by.hide);
  if (key === 'values' && isMaskedYaml(value, isSecretName)) return maskYaml(value, isSecretName, by.hide);
  if (key === annotation.lastApplied) return walkJson(value, by);
  return by.text(value);
}

/** Of `{name, value}`, also in the forms of plugin parameters: everything but the name. */
function walkNamed(item: unknown, by: Walk): unknown {
  if (!isObject(item) || typeof item.name !== 'string' || !isSecretName(item.name)) return walk(item, by);
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [key, key === 'name' ? value : hideAll(value, by.hide)]),
  );
}

/** One that came with an operation: what a Secret holds is hidden, and where it is no JSON of a single object, all of it. */
function walkManifest(item: unknown, by: Walk): unknown {
  if (typeof item !== 'string') return walk(item, by);
  if (!item.includes('Secret')) return by.text(item);
  try {
    const object = parseJson(item);
    if (!isObject(object) || object.kind === 'List') return by.hide(item);
    if (object.kind !== 'Secret') return walkJson(item, by);
    const shown = Object.entries(object).map(([key, value]) => [
      key,
      ['apiVersion', 'kind', 'type'].includes(key)
        ? value
        : key === 'metadata'
          ? namedIn(value, by.hide)
          : hideAll(value, by.hide),
    ]);
    return printJson(Object.fromEntries(shown));
  } catch {
    return by.hide(item);
  }
}

/** The annotations of a Secret may have a copy of it. */
const namedIn = (metadata: unknown, hide: Hide): unknown =>
  isObject(metadata) && isObject(metadata.annotations)
    ? { ...metadata, annotations: hideAll(metadata.annotations, hide) }
    : metadata;

function walkValues(value: unknown, by: Walk): unknown {
  if (Array.isArray(value)) return changedItems(value, (item) => walkValues(item, by)) ?? value;
  if (!isObject(value)) return typeof value === 'string' ? by.text(value) : value;
  const fields = Object.entries(value).map(
    ([key, item]) => [key, isSecretName(key) ? hideAll(item, by.hide) : walkValues(item, by)] as const,
  );
  return fields.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(fields);
}

function hideAll(value: unknown, hide: Hide): unknown {
  if (Array.isArray(value)) return value.map((item) => hideAll(item, hide));
  if (!isObject(value)) return hide(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideAll(item, hide)]));
}

/** A copy that cannot be read may hold anything. */
function walkJson(text: string, by: Walk): unknown {
  try {
    const inner = parseJson(text);
    const shown = walk(inner, by);
    return shown === inner ? text : printJson(shown);
  } catch {
    return by.hide(text);
  }
}

const userInfo = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)@/i;

/** Over ssh a user without a password is no secret; over http it may be a token. */
function maskUserInfo(url: string, hide: Hide): string {
  return url.replace(userInfo, (whole, scheme: string, info: string) => {
    const [user = '', ...rest] = info.split(':');
    if (rest.length > 0) return `${scheme}${user}:${hide(rest.join(':'))}@`;
    return /^ssh:/i.test(scheme) ? whole : `${scheme}${hide(info)}@`;
  });
}

/** Passwords in URLs inside a text: a message of Git, of a registry, of a user. */
function maskUrlsIn(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/[^/\s:@?#'"]*:)([^/\s@?#'"]+)@/gi, `$1${secretMask}@`);
}
