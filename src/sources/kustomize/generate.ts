import { baseName } from '#base/model';
import { isObject, sha256, toBase64 } from '#base/std';
import { decline } from './decline.ts';
import type { GeneratorEntry } from './entries.ts';
import { decodeUtf8, type Files } from './load.ts';
import { checkAnnotations, fromJson, hadId, idOf, type KustomizeResource, resourceOf } from './resource.ts';
import type { Pairs } from './typed.ts';
import { asFields, checkText, type FieldMap, inspect, plainName, plainText } from './values.ts';

type Kind = 'ConfigMap' | 'Secret';
/** Where a generator runs; `origin`: the origin to record on its objects. */
type GeneratorContext = { readonly files: Files; readonly dir: string; readonly origin: string };

/** Generates a ConfigMap or Secret and adds it to the others, according to its behavior (sources KG-1 to KG-7). */
export async function generate(
  resources: readonly KustomizeResource[],
  kind: Kind,
  entry: GeneratorEntry,
  place: GeneratorContext,
): Promise<KustomizeResource[]> {
  const made = await make(kind, entry, place);
  made.madeBy = place.origin;
  const id = idOf(made);
  const matches = resources.filter((resource) => hadId(resource, id));
  const [old] = matches;
  const { behavior } = entry;
  if (!['', 'create', 'merge', 'replace'].includes(behavior)) decline('an odd behavior of a generator');
  const isNew = behavior === '' || behavior === 'create';
  if (matches.length > 1 || isNew === (old !== undefined)) decline('a generator whose behavior does not fit');
  if (!old) return [...resources, made];
  const result = inherited(made, old, behavior === 'merge');
  return resources.map((resource) => (resource === old ? result : resource));
}

async function make(kind: Kind, entry: GeneratorEntry, place: GeneratorContext): Promise<KustomizeResource> {
  const { name, namespace, options, type } = entry;
  const metadata: FieldMap = { name: plainName(name, 'the name of a generator') };
  if (namespace !== '') metadata.namespace = plainName(namespace, 'the namespace of a generator');
  for (const value of Object.values({ ...options.labels, ...options.annotations })) checkText(value);
  if (Object.keys(options.labels).length > 0) metadata.labels = { ...options.labels };
  if (Object.keys(options.annotations).length > 0) {
    checkAnnotations(options.annotations);
    metadata.annotations = { ...options.annotations };
  }
  const pairs = await pairsOf(entry, place);
  const object: FieldMap = { apiVersion: 'v1', kind, metadata, ...contentOf(kind, type, pairs) };
  if (options.immutable) object.immutable = true;
  const resource = resourceOf(object, fromJson, inspect(object));
  resource.hashed = !options.disableNameSuffixHash;
  return resource;
}

function contentOf(kind: Kind, type: string, pairs: ReadonlyMap<string, Uint8Array>): FieldMap {
  const data: Record<string, string> = {};
  if (kind === 'Secret') {
    for (const [key, bytes] of pairs) data[key] = base64(bytes);
    return { type: type === '' ? 'Opaque' : plainText(type, 'the type of a secret'), data };
  }
  const binaryData: Record<string, string> = {};
  for (const [key, bytes] of pairs) {
    const text = decodeUtf8(bytes);
    if (text === undefined) binaryData[key] = base64(bytes);
    else data[key] = text;
  }
  return {
    ...(Object.keys(data).length > 0 ? { data } : {}),
    ...(Object.keys(binaryData).length > 0 ? { binaryData } : {}),
  };
}

const lineLength = 70;

/** compat sources KG-5: longer text is split into lines, and each ends with a newline. */
function base64(bytes: Uint8Array): string {
  const text = toBase64(bytes);
  if (text.length < lineLength) return text;
  return text.replace(/.{1,70}/g, '$&\n');
}

/** compat sources KG-1: env files, literals, files; no key twice. */
async function pairsOf(
  entry: GeneratorEntry,
  { files, dir }: Omit<GeneratorContext, 'origin'>,
): Promise<Map<string, Uint8Array>> {
  const pairs = new Map<string, Uint8Array>();
  const add = (key: string, value: Uint8Array): void => {
    if (!/^[-.\w]+$/.test(key) || /^\.\.?$/.test(key) || pairs.has(key)) decline('an odd key of a generator');
    pairs.set(key, value);
  };
  const encoder = new TextEncoder();
  for (const name of entry.envs) {
    for (const line of linesOf(await files.text(dir, name))) {
      const pair = envPair(line);
      if (pair) add(pair[0], encoder.encode(pair[1]));
    }
  }
  for (const literal of entry.literals) {
    const equals = literal.indexOf('=');
    if (equals <= 0) decline('a literal without a key');
    add(literal.slice(0, equals), encoder.encode(unquoted(literal.slice(equals + 1))));
  }
  for (const source of entry.files) {
    const { key, path } = fileSource(source);
    add(key, await files.bytes(dir, path));
  }
  return pairs;
}

/** compat sources KG-4. */
function fileSource(source: string): { key: string; path: string } {
  const [key = '', path = source, ...rest] = source.split('=');
  if (rest.length > 0 || key === '' || path === '') decline('an odd file of a generator');
  return { key: path === source ? baseName(source) : key, path };
}

function linesOf(text: string): string[] {
  if (/[^\x20-\x7e\n\t]/.test(text)) decline('an env file that is not plain');
  return text.split('\n');
}

/** compat sources KG-2. */
function envPair(line: string): readonly [string, string] | undefined {
  if (line.length > 60_000) decline('a long line in an env file'); // compat: kustomize ends the file there
  const trimmed = line.trimStart();
  if (trimmed === '' || trimmed.startsWith('#')) return undefined;
  const equals = trimmed.indexOf('=');
  const key = equals < 0 ? trimmed : trimmed.slice(0, equals);
  if (!/^[A-Za-z_.-][\w.-]*$/.test(key)) decline('an odd key in an env file');
  return [key, equals < 0 ? '' : trimmed.slice(equals + 1)];
}

/** compat sources KG-3. */
function unquoted(text: string): string {
  const [first] = text;
  const isQuoted = text.length >= 2 && (first === '"' || first === "'") && text.endsWith(first);
  return isQuoted ? text.slice(1, -1) : text;
}

/** compat sources KG-7: name, namespace and the recorded former ids come from the old one. */
function inherited(made: KustomizeResource, old: KustomizeResource, isMerged: boolean): KustomizeResource {
  const { object } = made;
  const metadata: FieldMap = { name: old.metadata.name };
  if (old.metadata.namespace !== undefined) metadata.namespace = old.metadata.namespace;
  for (const field of ['labels', 'annotations']) {
    const both = { ...textsIn(old.metadata[field]), ...textsIn(made.metadata[field]) };
    if (Object.keys(both).length > 0) metadata[field] = both;
  }
  const result: FieldMap = { ...object, metadata };
  if (isMerged) mergeData(result, old.object);
  const { former, prefixes, suffixes, vars, steps } = old;
  const madeBy = isMerged ? old.madeBy : made.madeBy;
  const hashed = old.hashed && made.hashed;
  return {
    ...resourceOf(result, fromJson, made.nodes + old.nodes),
    ...{ former, prefixes, suffixes, vars, hashed, steps, madeBy },
  };
}

function mergeData(made: FieldMap, old: FieldMap): void {
  for (const field of ['data', 'binaryData']) {
    const both = { ...textsIn(old[field]), ...textsIn(made[field]) };
    if (Object.keys(both).length > 0) made[field] = both;
    else delete made[field];
  }
}

function textsIn(value: unknown): Pairs {
  if (value === undefined) return {};
  const found = asFields(value, 'data');
  const isText = Object.values(found).every((inner) => typeof inner === 'string');
  return isText ? (found as Pairs) : decline('data that are no text');
}

const digits: Readonly<Record<string, string>> = { 0: 'g', 1: 'h', 3: 'k', a: 'm', e: 't' };

/** The suffix of a generated object's name: a hash of its content (sources KG-8). */
export function contentHash({ kind, object }: KustomizeResource): string {
  const { data, type, stringData, binaryData } = object;
  const content: FieldMap = { data: hashable(data), kind, name: '' };
  if (kind === 'Secret') {
    content.type = typeof type === 'string' ? type : decline('a secret without a type');
    if (isObject(stringData)) content.stringData = hashable(stringData);
    else if (stringData !== undefined) decline('odd stringData');
  } else if (kind !== 'ConfigMap') decline('a hash of another kind');
  else if (isObject(binaryData)) content.binaryData = hashable(binaryData);
  else if (binaryData !== undefined) decline('odd binaryData');
  const hex = sha256(goJson(content)).slice(0, 10);
  return hex.replace(/[013ae]/g, (digit) => digits[digit] ?? digit);
}

const hashable = (value: unknown): unknown => (value === undefined ? '' : textsIn(value));

/** JSON as Go prints it: sorted keys, and characters that HTML might misread escaped. */
function goJson(value: unknown): string {
  if (isObject(value)) {
    const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
    return `{${keys.map((key) => `${goJson(key)}:${goJson(value[key])}`).join(',')}}`;
  }
  return JSON.stringify(value).replace(
    /[<>&]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
