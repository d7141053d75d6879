import { gvkOf } from '#base/model';
import {
  anyType,
  findType,
  isObject,
  type JsonObject,
  type StructType,
  validateStrict,
} from '#kubernetes/schema';
import type { Item } from '../item.ts';
import { apiVersionOf, type ServedResource } from '../kinds.ts';
import { badRequest, invalid } from '../status.ts';
import { type Body, unrecognized } from './body.ts';
import { fieldProblems, isPlainly } from './field-problems.ts';
import type { ServedWriteOptions } from './options.ts';
import { fractionProblem, unmarshalProblem } from './unmarshal.ts';

/**
 * Decodes JSON into an object of the resource's kind. Mistyped fields are refused; unknown and duplicate ones are
 * refused, reported or ignored according to `fieldValidation` (compat cluster 3.14).
 */
export function decode(body: Body, resource: ServedResource, options: ServedWriteOptions): Item {
  const object = identified(body, resource);
  const why =
    problemOf(object, resource) ??
    fractionOf(body, resource) ??
    excess({ ...body, value: object }, resource, options);
  if (why !== undefined) throw badRequest(`${handledAs(resource.kind, resource)}: ${why}`);
  return isObject(object.metadata) ? (object as Item) : ({ ...object, metadata: {} } as unknown as Item);
}

const handledAs = (kind: string, resource: ServedResource, version = resource.version): string =>
  `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}`;

/** Throws BadRequest unless the body has the kind and version of the URL. */
function identified({ value, text }: Body, resource: ServedResource): JsonObject {
  const { apiVersion = '', kind = '' } = value as { apiVersion?: string; kind?: string };
  const expected = apiVersionOf(resource);
  if (resource.custom) refuseOther({ value, text }, resource);
  else if ((apiVersion !== '' && apiVersion !== expected) || (kind !== '' && kind !== resource.kind)) {
    throw badRequest(mismatch(apiVersion || expected, kind || resource.kind, resource));
  }
  return { ...value, apiVersion: expected, kind: resource.kind };
}

/** compat cluster 3.14: a custom object must have its kind and apiVersion. */
function refuseOther({ value, text = '' }: Body, resource: ServedResource): void {
  const { apiVersion = '', kind = '' } = value as { apiVersion?: string; kind?: string };
  const expected = apiVersionOf(resource);
  if (kind === '') throw unrecognized(`Object 'Kind' is missing in '${text}'`, resource.kind, text);
  if (apiVersion !== expected) throw badRequest(otherVersion(apiVersion, expected));
  if (kind === resource.kind) return;
  const { name = '' } = (isObject(value.metadata) ? value.metadata : {}) as { name?: string };
  throw invalid({ group: resource.group, kind }, name, [
    { type: 'Invalid value', field: 'kind', value: kind, detail: `must be ${resource.kind}` },
  ]);
}

const otherVersion = (found: string, expected: string): string =>
  `the API version in the data (${found}) does not match the expected API version (${expected})`;

function mismatch(apiVersion: string, kind: string, resource: ServedResource): string {
  const found = gvkOf({ apiVersion, kind });
  const start = handledAs(kind, resource, found.version);
  if (!findType(found)) return `${start}: ${notRegistered(apiVersion, kind)}`;
  if (found.group === resource.group && kind === resource.kind) {
    return otherVersion(apiVersion, apiVersionOf(resource));
  }
  const inner = `${goPackage(resource.group)}.${resource.kind}`;
  return `${start}: converting (${found.version}.${kind}) to (${inner}): unknown conversion`;
}

export const notRegistered = (apiVersion: string, kind: string): string =>
  `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;

/** The Go name of a kind of the resource's group inside Kubernetes. */
export const goName = ({ group, custom }: ServedResource, kind: string): string => {
  if (!custom) return `*${goPackage(group)}.${kind}`;
  return kind.endsWith('List') ? '*unstructured.UnstructuredList' : '*unstructured.Unstructured';
};

/** The Go package of a group's types inside Kubernetes. */
const goPackage = (group: string): string =>
  group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.', 1)[0] ?? '');

/** Of a custom kind only the metadata is decoded into Go; its schema validates the rest (422, not 400). */
function problemOf(object: JsonObject, { custom, type }: ServedResource): string | undefined {
  if (!custom) return unmarshalProblem(object, type);
  const meta = metaOnly().fields.get('metadata')?.type;
  return meta?.kind === 'struct' ? unmarshalProblem(object.metadata, meta) : undefined;
}

/** In YAML an integral number is converted to an integer before it is decoded, however it is written. */
const fractionOf = ({ text, doubled }: Body, { custom, type }: ServedResource): string | undefined =>
  text === undefined || doubled || custom ? undefined : fractionProblem(text, type);

/** Refuses an object for its unknown and duplicate fields, or warns of them, as `fieldValidation` demands. */
function excess(body: Body, resource: ServedResource, options: ServedWriteOptions): string | undefined {
  if (options.fieldValidation === 'Ignore') return undefined;
  const problems = problemsOf(body, resource);
  if (problems.length === 0 && !body.doubled?.length) return undefined;
  const { doubled = [] } = body;
  if (options.fieldValidation === 'Strict') {
    const yaml = doubled.map((line) => `yaml: unmarshal errors:\n  ${line}`);
    return `strict decoding error: ${[...yaml, ...problems].join(', ')}`;
  }
  for (const problem of [...doubled, ...problems]) options.warn(problem);
  return undefined;
}

function problemsOf({ value, text, doubled }: Body, resource: ServedResource): string[] {
  const json = doubled ? undefined : text;
  if (json === undefined) return unknownFields(value, resource);
  const type = resource.custom ? anyType : resource.type;
  const problems = isPlainly(value, json, type) ? [] : fieldProblems(json, type);
  return resource.custom ? [...problems, ...unknownFields(value, resource)] : problems;
}

/** compat cluster 3.14: where there is no text to go by, fields are reported in the order of their names. */
function unknownFields(value: JsonObject, { custom, type }: ServedResource): string[] {
  const meta = custom ? validateStrict({ metadata: value.metadata }, metaOnly()) : [];
  const all = validateStrict(value, type).filter(
    ({ path }) => !custom || !/^(?:metadata|apiVersion|kind)\b/.test(path),
  );
  return [...meta, ...all]
    .filter(({ kind }) => kind === 'unknown')
    .map(({ path }) => path)
    .sort()
    .map((path) => `unknown field ${JSON.stringify(path)}`);
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
