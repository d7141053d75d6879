import { goFraction, goInteger, goNumber } from './number.ts';
import { timestamp } from './timestamp.ts';

/** How plain scalars, keys, duplicates and merges are understood. */
export type Dialect = 'v2' | 'v3';

const v3Words: ReadonlyMap<string, boolean | number | null> = new Map<string, boolean | number | null>([
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
]);

// compat sources POST-5: the booleans of YAML 1.1, which Kubernetes and Helm read and Kustomize does not
const v2Words: ReadonlyMap<string, boolean | number | null> = new Map([
  ...v3Words,
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
]);
const wordsOf = { v2: v2Words, v3: v3Words };
const longestWord = 5;

const text = 0;
const word = 1;
const number = 2;
const fraction = 3;

/** By first character: what a plain scalar could be other than text. */
const hints = new Uint8Array(128);
for (const first of 'yYnNtTfFoO~') hints[first.charCodeAt(0)] = word;
for (const first of '+-0123456789') hints[first.charCodeAt(0)] = number;
hints['.'.charCodeAt(0)] = fraction;

const shortDecimal = /^(?:0|[1-9][0-9]{0,14})$/;

/** A plain scalar's value: string, boolean, null, number (NaN and Infinity too) or, beyond 2^53, bigint. */
export function resolvePlain(source: string, dialect: Dialect): unknown {
  if (source === '') return null;
  const hint = hints[source.charCodeAt(0)] ?? text;
  if (hint === text) return source;
  const known = source.length <= longestWord ? wordsOf[dialect].get(source) : undefined;
  if (known !== undefined) return known;
  if (hint === number) return shortDecimal.test(source) ? Number(source) : resolveNumber(source, dialect);
  return hint === fraction ? (goFraction(source) ?? source) : source;
}

function resolveNumber(source: string, dialect: Dialect): unknown {
  if (dialect === 'v2') return goNumber(source, false) ?? source;
  // compat sources KL-8: Kustomize turns a date into RFC 3339; go-yaml v2 leaves it as written
  return timestamp(source) ?? goNumber(source, true) ?? source;
}

/** Whether either dialect could take the plain text for something else than a string. */
export function isAmbiguous(source: string): boolean {
  if (source === '') return true;
  if ((hints[source.charCodeAt(0)] ?? text) === text) return false;
  return (
    typeof resolvePlain(source, 'v2') !== 'string' ||
    typeof resolvePlain(source, 'v3') !== 'string' ||
    timestamp(source) !== undefined ||
    sexagesimal.test(source)
  );
}

// no dialect of ours reads 1:30 as ninety, but other readers of our output do
const sexagesimal = /^[-+]?\d[\d_]*(?::\d\d?)+(?:\.[\d_]*)?$/;

export type CoreTag = 'str' | 'int' | 'float' | 'bool' | 'null' | 'timestamp';

/** A scalar under an explicit tag such as `!!int`; undefined when the text does not fit the tag. */
export function resolveTagged(source: string, tag: CoreTag, dialect: Dialect): unknown {
  if (tag === 'str') return source;
  if (tag === 'timestamp') {
    const date = timestamp(source);
    return dialect === 'v3' ? date : date && source;
  }
  const value = resolvePlain(source, dialect);
  if (!fits[tag](value, source)) return undefined;
  return tag === 'float' ? Number(value) : value;
}

const isWrittenAsInteger = (source: string): boolean => goInteger(source.replaceAll('_', '')) !== undefined;
const fits: Readonly<Record<'int' | 'float' | 'bool' | 'null', (value: unknown, source: string) => boolean>> =
  {
    null: (value) => value === null,
    bool: (value) => typeof value === 'boolean',
    int: (_value, source) => isWrittenAsInteger(source),
    float: (value) => typeof value === 'number' || typeof value === 'bigint',
  };

const float32Digits = 9;
const plainExponents = { from: -4, below: 6 };

/** Go's FormatFloat(x, 'g', -1, 32), which sigs.k8s.io/yaml uses for keys that are floats. */
function float32Text(value: number): string {
  const single = Math.fround(value);
  if (Number.isNaN(single)) return '.nan';
  if (!Number.isFinite(single)) return single > 0 ? '.inf' : '-.inf';
  let shortest = single.toExponential(0);
  for (let digits = 1; digits < float32Digits && Math.fround(Number(shortest)) !== single; digits++) {
    shortest = single.toExponential(digits);
  }
  const [mantissa = '', power = ''] = shortest.split('e');
  const exponent = Number(power);
  if (exponent >= plainExponents.from && exponent < plainExponents.below) return String(Number(shortest));
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/**
 * The text of a key whose plain source resolved to `value`; undefined for null, which has no JSON key.
 * compat sources POST-5: v2 spells the resolved value (`y:` is "true", `0x1F:` is "31"); v3 keeps what was written.
 */
export function keyText(value: unknown, source: string, dialect: Dialect): string | undefined {
  if (value === null) return undefined;
  if (dialect === 'v3') return source;
  if (typeof value === 'string') return value;
  return typeof value === 'number' && !isWrittenAsInteger(source) ? float32Text(value) : String(value);
}
