import { JsonnetError } from '../fault.ts';
import { fieldOf } from '../print-json.ts';
import { force, type JsonnetValue, type Lazy, type Vm } from '../value.ts';
import { asBoolean, asObject, asText, type JsonnetBuiltin, type LazyNative, plainObject } from './define.ts';

/** Plain data, as a parser gives it, as a value. Numbers are doubles here, however long they were. */
function fromJson(vm: Vm, data: unknown): JsonnetValue {
  vm.meter.step();
  if (typeof data === 'bigint') return Number(data);
  if (typeof data === 'number' && !Number.isFinite(data)) throw new JsonnetError('a number is too large');
  if (Array.isArray(data)) return data.map((item) => fromJson(vm, item));
  if (typeof data !== 'object' || data === null) return data as JsonnetValue;
  return plainObject(
    vm,
    Object.entries(data).map(([name, value]) => [name, fromJson(vm, value)] as const),
  );
}

function parseJson(vm: Vm, text: string): JsonnetValue {
  return fromJson(
    vm,
    parsed(() => JSON.parse(text), 'JSON'),
  );
}

function parsed(parse: () => unknown, language: string): unknown {
  try {
    return parse();
  } catch (error) {
    // a parser's message may quote the text, which may be a secret
    const reason = error instanceof Error && language === 'YAML' ? `: ${error.message}` : '';
    throw new JsonnetError(`the text is not ${language}${reason}`);
  }
}

/** compat sources JSN-4: the text is an array of documents as soon as a line of three dashes stands in it. */
function parseYaml(vm: Vm, text: string): JsonnetValue {
  const { yaml } = vm;
  if (!yaml) throw new JsonnetError('YAML cannot be read here');
  const chunks = text.split(/^---[ \t\r]*$\n?/m);
  const documents = (chunks.length > 1 ? chunks.filter((chunk) => chunk.trim() !== '') : chunks).map(
    (chunk) =>
      fromJson(
        vm,
        parsed(() => yaml(chunk), 'YAML'),
      ),
  );
  return chunks.length > 1 ? documents : (documents[0] ?? null);
}

/** A path beside a file: its last part is replaced. */
const resolvePath = (file: string, relative: string): string =>
  file.slice(0, file.lastIndexOf('/') + 1) + relative;

export const host: readonly JsonnetBuiltin[] = [
  ['id(x)', (_vm, x = null) => x],
  [
    'extVar(x)',
    (vm, x = null) => {
      const name = asText(x, 'the name of an external variable');
      const value = vm.extVar(name);
      if (value === undefined)
        throw new JsonnetError(`no external variable is named ${name}: add it to directory.jsonnet.extVars`);
      return value;
    },
  ],
  [
    'native(x)',
    (_vm, x = null) => {
      asText(x, 'the name of a function');
      return null; // none is registered
    },
  ],
  ['parseJson(str)', (vm, text = null) => parseJson(vm, asText(text, 'JSON'))],
  ['parseYaml(str)', (vm, text = null) => parseYaml(vm, asText(text, 'YAML'))],
  [
    'resolvePath(f, r)',
    (_vm, file = null, relative = null) => resolvePath(asText(file, 'a path'), asText(relative, 'a path')),
  ],
  [
    'trace(str, rest)',
    (_vm, text = null, rest = null) => {
      asText(text, 'the message'); // the message is dropped: a render has no console
      return rest;
    },
  ],
];

const forced = (lazy: Lazy | undefined): JsonnetValue => force(lazy ?? null);

export const lazyHost: readonly LazyNative[] = [
  [
    'get(o, f, default=null, inc_hidden=true)',
    (_vm, ...[o, f, fallback, hidden]) => {
      const from = asObject(forced(o), 'the object');
      const name = asText(forced(f), 'the name of a field');
      const has = asBoolean(forced(hidden), 'inc_hidden') ? from.has(name) : from.fields().get(name) === true;
      return has ? fieldOf(from, name) : forced(fallback);
    },
  ],
];
