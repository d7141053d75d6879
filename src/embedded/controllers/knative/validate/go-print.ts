import { parseQuantity } from '#base/model';
import {
  isObject,
  type JsonObject,
  type SchemaField,
  type StructType,
  type TypeNode,
} from '#kubernetes/schema';
import { embeddedIn, shortName } from '../go-types.ts';

/** compat cluster 5.6: a value as Go's %v prints it; a missing one is printed as the zero value of its type. */
export function printed(type: TypeNode, value: unknown): string {
  switch (type.kind) {
    case 'list':
      return `[${asList(value)
        .map((item) => printedItem(type.items, item))
        .join(' ')}]`;
    case 'map':
      return `map[${asEntries(value)
        .map(([key, item]) => `${key}:${printed(type.values, item)}`)
        .join(' ')}]`;
    case 'struct':
      return isObject(value) ? `&${inFull(type, value)}` : 'nil';
    case 'scalar':
      return printedScalar(type.scalar, value);
    default:
      return String(value ?? '');
  }
}

const asList = (value: unknown): readonly unknown[] => (value ?? []) as readonly unknown[];
const asEntries = (value: unknown): [string, unknown][] =>
  Object.entries((value ?? {}) as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));

/** In a list a struct is printed plainly, and only the values it points to in full. */
export function printedItem(type: TypeNode, value: unknown): string {
  if (type.kind !== 'struct' || !isObject(value)) return printed(type, value);
  const fields = [...type.fields.values()].map((field) => `${goField(field.name)}:${held(field, value)}`);
  return `{${fields.join(' ')}}`;
}

function held({ name, pointer, type }: SchemaField, value: JsonObject): string {
  const found = value[name];
  return pointer && found === undefined ? 'nil' : printed(type, found);
}

/** `Probe{ProbeHandler:ProbeHandler{…,},PeriodSeconds:0,}`: the form of types with a String method. */
function inFull(type: StructType, value: JsonObject): string {
  const parts = new Map<string, string[]>();
  for (const field of type.fields.values()) {
    const text = `${goField(field.name)}:${heldInFull(field, value[field.name])},`;
    const inner = embeddedIn(type, field.name) ?? '';
    const key = inner || field.name;
    parts.set(key, [...(parts.get(key) ?? []), text]);
  }
  const texts = [...parts].map(([name, own]) =>
    type.fields.has(name) ? own.join('') : `${name}:${name}{${own.join('')}},`,
  );
  return `${shortName(type)}{${texts.join('')}}`;
}

function heldInFull({ pointer, type }: SchemaField, value: unknown): string {
  if (value === undefined && pointer) return 'nil';
  if (type.kind === 'scalar' && pointer) return `*${printed(type, value)}`;
  if (type.kind === 'list' && type.items.kind === 'struct') {
    const { items } = type;
    return `[]${shortName(items)}{${asList(value)
      .map((item) => `${inFull(items, item as JsonObject)},`)
      .join('')}}`;
  }
  return printed(type, value);
}

function printedScalar(scalar: string, value: unknown): string {
  if (scalar === 'quantity') return printedQuantity(String(value ?? 0));
  if (scalar === 'int-or-string') return typeof value === 'string' ? `{1 0 ${value}}` : `{0 ${value ?? 0} }`;
  if (value !== undefined) return String(value);
  if (scalar === 'boolean') return 'false';
  return scalar === 'int32' || scalar === 'int64' ? '0' : '';
}

function printedQuantity(text: string): string {
  const { mantissa, exponent, format } = parseQuantity(text);
  return `{i:{value:${mantissa} scale:${exponent}} d:{Dec:<nil>} s:${text} Format:${format}}`;
}

const goFields: Readonly<Record<string, string>> = {
  metadata: 'ObjectMeta',
  httpGet: 'HTTPGet',
  httpHeaders: 'HTTPHeaders',
  tcpSocket: 'TCPSocket',
  grpc: 'GRPC',
  dnsPolicy: 'DNSPolicy',
  dnsConfig: 'DNSConfig',
  fsGroup: 'FSGroup',
  csi: 'CSI',
  tty: 'TTY',
};

export const goField = (name: string): string =>
  goFields[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
