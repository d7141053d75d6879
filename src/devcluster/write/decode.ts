import { parse } from '#lang/yaml';
import { gvkOf } from '#model';
import { findType, isObject, type JsonObject, type Problem, type StructType, validateStrict } from '#schema';
import { parseJson } from '#std';
import type { Item } from '../item.ts';
import { apiVersionOf, type Resource } from '../kinds.ts';
import type { ApiRequest } from '../request.ts';
import { badRequest, tooLarge, unsupportedMediaType } from '../status.ts';
import { duplicateKeys } from './duplicates.ts';
import type { WriteOptions } from './options.ts';
import { openEnvelope, readMessage } from './protobuf.ts';

const limit = 3 * 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A body as text. Throws RequestEntityTooLarge, or BadRequest when it is not UTF-8. */
export function textOf(body: Uint8Array | undefined): string {
  if (!body || body.length === 0) return '';
  if (body.length > limit) throw tooLarge(limit);
  try {
    return utf8.decode(body);
  } catch {
    throw badRequest('the body of the request is not valid UTF-8');
  }
}

const bodyTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

export type Body = { readonly value: JsonObject; readonly twice: readonly string[] };

/** The body of a request as a JSON object, and the keys it gave twice. Three spellings are read: JSON, YAML, protobuf. */
export function readBody({ body, headers }: Pick<ApiRequest, 'body' | 'headers'>): Body {
  const media = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() || 'application/json';
  if (media === 'application/vnd.kubernetes.protobuf') return { value: readProtobuf(body), twice: [] };
  if (media === 'application/yaml') return { value: asObject(parseYaml(textOf(body))), twice: [] };
  if (media !== 'application/json') throw unsupportedMediaType(bodyTypes);
  const text = textOf(body);
  return { value: parseObject(text), twice: duplicateKeys(text) };
}

/** compat 2.4: typed Go clients send protobuf and do not fall back to JSON. */
function readProtobuf(body: Uint8Array | undefined): JsonObject {
  if (body && body.length > limit) throw tooLarge(limit);
  const envelope = openEnvelope(body ?? new Uint8Array());
  const type = findType(gvkOf(envelope));
  if (!type)
    throw badRequest(`no kind "${envelope.kind}" is registered for version "${envelope.apiVersion}"`);
  return readMessage(envelope, type);
}

/** YAML as Kubernetes reads it, JSON being a part of it. Throws BadRequest with the place of what is wrong. */
export function parseYaml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw badRequest(`error parsing YAML: ${(error as Error).message}`);
  }
}

function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
  return asObject(value);
}

function asObject(value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw badRequest("couldn't get version/kind; json parse error: the body must be an object");
}

/** Throws BadRequest unless the body is of the kind and version that the URL speaks of. */
export function identified(value: JsonObject, resource: Resource): JsonObject {
  const apiVersion = apiVersionOf(resource);
  const found = { apiVersion: value.apiVersion ?? '', kind: value.kind ?? '' };
  if (resource.custom && (found.apiVersion === '' || found.kind === '')) {
    throw badRequest(
      `Object '${found.kind === '' ? 'Kind' : 'apiVersion'}' is missing in the body of the request`,
    );
  }
  if (found.apiVersion !== '' && found.apiVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${String(found.apiVersion)}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (found.kind !== '' && found.kind !== resource.kind) {
    throw badRequest(
      `${String(found.kind)} in version "${resource.version}" cannot be handled as a ${resource.kind}: the kinds differ`,
    );
  }
  return { ...value, apiVersion, kind: resource.kind };
}

/**
 * An object of the resource's kind out of decoded JSON. Mistyped fields are refused; unknown and doubled ones are
 * refused, reported or passed over as `fieldValidation` says (compat 3.14).
 */
export function decode(
  value: JsonObject,
  resource: Resource,
  options: WriteOptions,
  twice: readonly string[] = [],
): Item {
  const object = identified(value, resource);
  const problems = problemsOf(object, resource);
  const mistyped = problems.find((problem) => problem.kind === 'type');
  if (mistyped) throw badRequest(`${handledAs(resource)}: ${unmarshalMessage(mistyped, resource)}`);
  const complaints = [
    ...problems.map(({ path }) => `unknown field ${JSON.stringify(path)}`),
    ...twice.map((path) => `duplicate field ${JSON.stringify(path)}`),
  ];
  complain(complaints, resource, options);
  return isObject(object.metadata) ? (object as Item) : ({ ...object, metadata: {} } as unknown as Item);
}

const handledAs = ({ kind, version }: Resource): string =>
  `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}`;

function complain(complaints: readonly string[], resource: Resource, options: WriteOptions): void {
  if (complaints.length === 0 || options.fieldValidation === 'Ignore') return;
  if (options.fieldValidation === 'Strict') {
    throw badRequest(`${handledAs(resource)}: strict decoding error: ${complaints.join(', ')}`);
  }
  for (const complaint of complaints) options.warn(complaint);
}

/** Of a custom kind only the metadata is decoded into Go; the rest is for its schema to judge (422, not 400). */
function problemsOf(object: JsonObject, resource: Resource): Problem[] {
  if (!resource.custom) return validateStrict(object, resource.type);
  const unknown = validateStrict(object, resource.type).filter(({ kind }) => kind === 'unknown');
  const meta = validateStrict({ metadata: object.metadata }, metaOnly()).filter(({ path }) => path !== '');
  return [...meta, ...unknown.filter(({ path }) => !/^(?:metadata|apiVersion|kind)\b/.test(path))];
}

let metadataHolder: StructType | undefined;

/** A struct that declares nothing but standard metadata. */
export function metaOnly(): StructType {
  if (!metadataHolder) {
    const configMap = findType({ group: '', version: 'v1', kind: 'ConfigMap' });
    const fields = [...(configMap?.fields ?? [])].filter(([name]) => name === 'metadata');
    metadataHolder = { kind: 'struct', name: '', fields: new Map(fields), atomic: false, open: false };
  }
  return metadataHolder;
}

const goTypes: Readonly<Record<string, string>> = {
  boolean: 'bool',
  number: 'float64',
  object: 'map[string]interface {}',
  list: '[]interface {}',
  bytes: '[]uint8',
  time: 'v1.Time',
  'micro-time': 'v1.MicroTime',
  quantity: 'resource.Quantity',
  'int-or-string': 'intstr.IntOrString',
};
const jsonTypes: Readonly<Record<string, string>> = {
  boolean: 'bool',
  integer: 'number',
  list: 'array',
};

/** compat 3.14: the prefix is Go's own; which struct it names is approximated by the kind. */
function unmarshalMessage(problem: Extract<Problem, { kind: 'type' }>, { kind }: Resource): string {
  const { path, expected, found } = problem;
  const plain = path.replaceAll(/\[\d+\]/g, '');
  return `json: cannot unmarshal ${jsonTypes[found] ?? found} into Go struct field ${kind}.${plain} of type ${goTypes[expected] ?? expected}`;
}
