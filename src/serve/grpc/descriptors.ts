import { encodeMessage } from './encode.ts';
import type { FieldType, MessageField, MessageType, ScalarLetter } from './facts/notation.ts';
import { readMessages } from './facts/notation.ts';
import { standardLines } from './facts/standard.ts';
import { messages } from './messages.ts';
import { type GrpcMethod, grpcMethods } from './services.ts';

export const standard = readMessages(standardLines);

/** The numbers of google.protobuf.FieldDescriptorProto.Type and .Label. */
const types = { int32: 5, int64: 3, bool: 8, string: 9, message: 11, bytes: 12 } as const;
const labels = { optional: 1, required: 2, repeated: 3 } as const;

const scalarTypes: Partial<Record<ScalarLetter, number>> = {
  s: types.string,
  b: types.bool,
  i: types.int32,
  l: types.int64,
  B: types.bytes,
};
const wrapped: Partial<Record<ScalarLetter, string>> = {
  T: 'scalar.Time',
  M: 'scalar.Time',
  X: 'scalar.IntOrString',
  R: 'scalar.RawJson',
};

type Json = Record<string, unknown>;

const packageOf = (name: string): string => name.slice(0, name.lastIndexOf('.'));
const baseOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
const fileOf = (home: string): string => `${home.replaceAll('.', '/')}.proto`;

function typeOf(type: FieldType): Json {
  if (type.kind === 'message') return { type: types.message, typeName: `.${type.message.name}` };
  if (type.kind !== 'scalar') throw new Error('a list or map inside a list or map has no form of its own');
  const message = wrapped[type.letter];
  if (message) return { type: types.message, typeName: `.${standard.find(message).name}` };
  return { type: scalarTypes[type.letter] };
}

function fieldOf({ json, proto, number, type, isRequired }: MessageField, home: string): Json {
  const named = { name: proto, number, ...(json !== '' && json !== proto && { jsonName: json }) };
  if (type.kind === 'list') return { ...named, label: labels.repeated, ...typeOf(type.items) };
  if (type.kind === 'map')
    return {
      ...named,
      label: labels.repeated,
      type: types.message,
      typeName: `.${home}.${entryName(proto)}`,
    };
  return { ...named, label: isRequired ? labels.required : labels.optional, ...typeOf(type) };
}

/** As protoc names the message of a map's entries. */
const entryName = (proto: string): string =>
  `${proto.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Entry`;

function messageOf({ name, fields }: MessageType): Json {
  const entries = fields.flatMap(({ proto, type }) =>
    type.kind === 'map' ? [entryOf(entryName(proto), type.values)] : [],
  );
  return { name: baseOf(name), field: fields.map((field) => fieldOf(field, name)), nestedType: entries };
}

const entryOf = (name: string, values: FieldType): Json => ({
  name,
  field: [
    { name: 'key', number: 1, label: labels.optional, type: types.string },
    { name: 'value', number: 2, label: labels.optional, ...typeOf(values) },
  ],
  options: { mapEntry: true },
});

const methodOf = ({ name, request, response, answer, isClientStream }: GrpcMethod): Json => ({
  name: name.split('/')[1],
  inputType: `.${request.name}`,
  outputType: `.${response.name}`,
  ...(isClientStream && { clientStreaming: true }),
  ...(answer === 'stream' && { serverStreaming: true }),
});

/** `package.Service` of every method. */
export const serviceNames: readonly string[] = [
  ...new Set([...grpcMethods.keys()].map((name) => name.split('/')[0] ?? '')),
];

function servicesIn(home: string): Json[] {
  return serviceNames
    .filter((name) => packageOf(name) === home)
    .map((name) => {
      const methods = [...grpcMethods.values()].filter((method) => method.name.startsWith(`${name}/`));
      return { name: baseOf(name), method: methods.map(methodOf) };
    });
}

const all = (): MessageType[] => [
  ...messages.names.map((name) => messages.find(name)),
  ...standard.names.filter((name) => name.startsWith('scalar.')).map((name) => standard.find(name)),
];

const namesIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"(?:typeName|inputType|outputType)":"\.([^"]+)"/g)].map(
    ([, name = '']) => name,
  );

/** A file of descriptors for each package of the API, made of the tables: a file of the same names would describe the same bytes. */
function filesOf(): ReadonlyMap<string, Buffer> {
  const byHome = grouped(all());
  const homes = new Set([...byHome.keys(), ...serviceNames.map(packageOf)]);
  const homeOfType = (name: string): string =>
    homes.has(packageOf(name)) ? packageOf(name) : packageOf(packageOf(name));
  const files = [...homes].map((home) => {
    const messageType = (byHome.get(home) ?? []).map(messageOf);
    const service = servicesIn(home);
    const used = new Set(namesIn([messageType, service]).map(homeOfType));
    used.delete(home);
    const file = {
      name: fileOf(home),
      package: home,
      dependency: [...used].map(fileOf),
      messageType,
      service,
    };
    return [file.name, encodeMessage(standard.find('descriptor.FileDescriptorProto'), file)] as const;
  });
  return new Map(files);
}

function grouped(types: readonly MessageType[]): Map<string, MessageType[]> {
  const groups = new Map<string, MessageType[]>();
  for (const type of types)
    groups.set(packageOf(type.name), [...(groups.get(packageOf(type.name)) ?? []), type]);
  return groups;
}

let files: ReadonlyMap<string, Buffer> | undefined;

/** The descriptors of a file by its name; undefined when there is none. */
export function fileNamed(name: string): Buffer | undefined {
  files ??= filesOf();
  return files.get(name);
}

/** The descriptors of the file that declares a service, a method or a message; undefined when none does. */
export function fileDeclaring(symbol: string): Buffer | undefined {
  const isMethod = grpcMethods.has(symbol.replace(/\.([^.]+)$/, '/$1'));
  const name = isMethod ? packageOf(symbol) : symbol;
  const isKnown = serviceNames.includes(name) || all().some((type) => type.name === name);
  return isKnown ? fileNamed(fileOf(packageOf(name))) : undefined;
}
