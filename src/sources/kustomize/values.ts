import { isObject } from '#base/std';
import { decline, limits } from './decline.ts';

export type FieldMap = Record<string, unknown>;

/** A map of fields; declines any other value. */
export function asFields(value: unknown, what: string): FieldMap {
  return isObject(value) ? value : decline(`${what} is no map`);
}

// texts that go-yaml would not parse as text without quotes: kustomize writes names that way
const numeric = /^[-+]?(?:[.0-9][0-9a-fA-FxXoO_.:tTzZ+-]*|\.(?:inf|nan))$/i;
const words = new Set(['', '~', 'null', 'true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n']);
const mark = /[^\w./:@{}-]/;

/** Whether a text may be parsed as another type when it is not quoted. */
export const isAmbiguous = (text: string): boolean => numeric.test(text) || words.has(text.toLowerCase());

/** Whether a text stays the same text when kustomize writes it without quotes and reads it again. */
export const isPlainText = (text: string): boolean =>
  !isAmbiguous(text) && !mark.test(text) && /^[\w]/.test(text);

/** A text that kustomize can write without quotes; declines any other value. */
export function plainText(value: unknown, what: string): string {
  return typeof value === 'string' && isPlainText(value) ? value : decline(`${what} is no plain text`);
}

/** A name: kustomize keeps lists of them, separated by commas, in annotations. */
export const plainName = (value: unknown, what: string): string => {
  const name = plainText(value, what);
  return /^[\w.:-]+$/.test(name) ? name : decline(`${what} is no plain name`);
};

/** A key that go-yaml may take for a number, a boolean or null makes a map that kustomize cannot print. */
function checkKey(key: string): void {
  if (key === '__proto__') decline('a key is called __proto__');
  const isOdd = key.length <= 40 && (numeric.test(key) || (key.length <= 5 && words.has(key.toLowerCase())));
  if (isOdd && !/^(?:y|n|yes|no|on|off)$/i.test(key)) decline('a key may not be text');
}

/**
 * Checks everything in a parsed value and returns its number of nodes. Declines values that kustomize refuses or that
 * its printing and parsing would change.
 */
export function inspect(value: unknown, depth = 0): number {
  if (depth > limits.depth) decline('nested too deeply');
  if (typeof value === 'string') return checkText(value);
  if (typeof value === 'number') return checkNumber(value);
  if (Array.isArray(value)) {
    let nodes = 1;
    for (const item of value) {
      if (item === null || item === undefined) decline('a list holds null'); // compat sources KL-7: kustomize reports an error
      nodes += inspect(item, depth + 1);
    }
    return nodes;
  }
  if (!isObject(value)) return 1;
  let nodes = 1;
  for (const key of Object.keys(value)) {
    checkKey(key);
    nodes += inspect(value[key], depth + 1);
  }
  return nodes;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for
const unprintable = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffd-\uffff]/;
const astral = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Declines text with characters that YAML escapes or that are invalid. */
export function checkText(text: string): 1 {
  if (unprintable.test(text) && unprintable.test(text.replace(astral, ''))) {
    decline('a text holds characters that are escaped in YAML');
  }
  return 1;
}

/** An integer that is written as a float is printed as an integer, which would have another type here. */
function checkNumber(value: number): 1 {
  if (Object.is(value, -0) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    decline('a number changes when it is printed');
  }
  return 1;
}

/** Whether a value contains an integer beyond 2^53, or a fraction: JSON in between may change it. */
export function hasDelicateNumber(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  if (typeof value === 'number') return !Number.isSafeInteger(value);
  if (Array.isArray(value)) return value.some(hasDelicateNumber);
  return isObject(value) && Object.keys(value).some((key) => hasDelicateNumber(value[key]));
}

/** The keys of null fields in a value, at any depth. */
export function nullKeys(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) nullKeys(item, found);
  if (!isObject(value)) return found;
  for (const key of Object.keys(value)) {
    if (value[key] === null) found.add(key);
    else nullKeys(value[key], found);
  }
  return found;
}

/** Whether a value contains a key at any depth. */
export function hasKey(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return value.some((item) => hasKey(item, key));
  if (!isObject(value)) return false;
  return Object.hasOwn(value, key) || Object.keys(value).some((inner) => hasKey(value[inner], key));
}
