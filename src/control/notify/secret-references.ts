import { isObject } from '#base/std';

const reference = /\$[\w-]+/g;

/** A value with its references replaced, and the keys that were not found. */
type Resolved = { readonly value: unknown; readonly unknown: readonly string[] };

/**
 * compat server §6.1: `$key` anywhere in a scalar is replaced by that key of argocd-notifications-secret. An unknown key stays
 * as typed. Scalars are replaced after the YAML was read, so that a value cannot add fields.
 */
export function resolveReferences(value: unknown, secrets: Readonly<Record<string, string>>): Resolved {
  const unknown = new Set<string>();
  const resolve = (one: unknown): unknown => {
    if (typeof one === 'string') return replaced(one);
    if (Array.isArray(one)) return one.map(resolve);
    if (!isObject(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([key, field]) => [key, resolve(field)]));
  };
  const replaced = (text: string): string =>
    text.replace(reference, (whole) => {
      const key = whole.slice(1);
      if (Object.hasOwn(secrets, key)) return (secrets[key] ?? '').replace(/\n$/, '');
      unknown.add(key);
      return whole;
    });
  return { value: resolve(value), unknown: [...unknown].sort() };
}

/** Shorter values are words such as `true`; masking them would garble every text. */
const shortest = 4;

/**
 * Replaces every secret value in a text that a person will read, also in its base64, URL and JSON spellings. The longest
 * value first: one may contain another.
 */
export function maskSecrets(text: string, secrets: Readonly<Record<string, string>>): string {
  let masked = text;
  for (const value of spellings(Object.values(secrets))) masked = masked.replaceAll(value, '***');
  return masked;
}

function spellings(values: readonly string[]): string[] {
  const all = values
    .map((value) => value.trim())
    .filter((value) => value.length >= shortest)
    .flatMap((value) => [value, encodeURIComponent(wellFormed(value)), JSON.stringify(value).slice(1, -1)]);
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}

const wellFormed = (value: string): string => value.replace(/[\ud800-\udfff]/g, '\ufffd');
