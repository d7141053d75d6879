import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseJson } from '#base/std';
import { CelError, CelSyntaxError, compileCel, type ExprSchema, SchemaValues, schemaType } from './index.ts';
import { Cidr, Ip, printCidr, printIp } from './library/address.ts';
import { Semver } from './library/semver.ts';
import { Url } from './library/url.ts';
import { printFloat } from './number-text.ts';
import { printTimestamp } from './time.ts';
import {
  type CelValue,
  Duration,
  ListValue,
  MapValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from './value.ts';

// testdata/: what k8s.io/apiserver 0.36.3 (cel-go 0.26.0) makes of each expression, with `self` of the given schema.
type Answer = { expr: string; issue?: string; fault?: string; value?: string; cost?: number };
type Table = { schema: ExprSchema; self: unknown; answers: Answer[]; ours: Record<string, string> };

const table = parseJson(
  readFileSync(new URL('./testdata/kubernetes-1.36.json', import.meta.url), 'utf8'),
) as Table;
const type = schemaType(table.schema, 'selfType');
const variables = new Map(type ? [['self', type.type]] : []);
const self = new SchemaValues().valueOf(table.self, table.schema);

const printers: [new (...args: never[]) => object, (value: never) => string][] = [
  [Uint, ({ value }: Uint) => `${value}u`],
  [Uint8Array, (bytes: Uint8Array) => `b${Buffer.from(bytes).toString('hex')}`],
  [Timestamp, (time: Timestamp) => `timestamp(${printTimestamp(time)})`],
  [Duration, ({ nanos }: Duration) => `duration(${nanos})`],
  [OptionalValue, ({ value }: OptionalValue) => (value === undefined ? 'none' : `some(${show(value)})`)],
  [TypeValue, ({ name }: TypeValue) => `type(${name})`],
  [ListValue, ({ items }: ListValue) => `[${items.map(show).join(', ')}]`],
  [MapValue, showMap],
  [Ip, (ip: Ip) => `ip(${printIp(ip)})`],
  [Cidr, (cidr: Cidr) => `cidr(${printCidr(cidr)})`],
  [Semver, showSemver],
  [Url, ({ text }: Url) => `url(${text})`],
];

function showMap({ entries }: MapValue): string {
  const shown = [...entries.values()].map(([key, value]) => `${show(key)}: ${show(value)}`);
  return `{${shown.sort().join(', ')}}`;
}

function showSemver({ numbers, pre, build }: Semver): string {
  const suffix = (mark: string, parts: readonly string[]) => (parts.length > 0 ? mark + parts.join('.') : '');
  return `semver(${numbers.join('.')}${suffix('-', pre)}${suffix('+', build)})`;
}

function show(value: CelValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return `double(${printFloat(value)})`;
  if (typeof value !== 'object' || value === null) return String(value);
  const print = printers.find(([kind]) => value instanceof kind)?.[1] as
    | ((value: CelValue) => string)
    | undefined;
  return print?.(value) ?? 'object';
}

function answer(expr: string): Answer {
  try {
    const { value, cost } = compileCel(expr, variables).evaluate({ self }, 1_000_000);
    return value instanceof CelError
      ? { expr, fault: value.message, cost }
      : { expr, value: show(value), cost };
  } catch (error) {
    if (!(error instanceof CelSyntaxError)) throw error;
    return { expr, issue: error.message };
  }
}

/** Which part of an answer differs first: whether there is one matters most, then what it says. */
function difference(want: Answer, got: Answer): string | undefined {
  for (const part of ['issue', 'fault'] as const) {
    if ((want[part] === undefined) !== (got[part] === undefined)) return `${part}?`;
    if (want[part] !== got[part]) return part;
  }
  if (want.value !== got.value) return 'value';
  return want.cost !== undefined && want.cost !== got.cost ? 'cost' : undefined;
}

test('every expression means what it means to Kubernetes, or the table says how it differs', () => {
  const differing = table.answers.flatMap((want) => {
    const part = difference(want, answer(want.expr));
    return part === undefined ? [] : [[want.expr, part] as const];
  });
  expect(Object.fromEntries(differing)).toEqual(table.ours);
});
