import { isObject, parseJson } from '#base/std';
import { applyJsonPatch, type JsonPatchOperation } from '#kubernetes/patch';
import { parse } from '#lang/yaml';
import { type BuildMeter, decline } from './decline.ts';
import type { PatchEntry } from './entries.ts';
import type { Files } from './load.ts';
import { merged } from './merge.ts';
import { type Read, readObjects } from './read.ts';
import {
  checkAnnotations,
  dropEmptyAnnotations,
  fromJson,
  hadId,
  type Id,
  identify,
  idNamed,
  type KustomizeResource,
  recordFormerName,
  requireUnique,
} from './resource.ts';
import { select } from './select.ts';
import { asFields, type FieldMap, hasDelicateNumber, inspect, nullKeys } from './values.ts';

type Context = {
  readonly files: Files;
  readonly dir: string;
  readonly meter: BuildMeter;
  /** The build records origins in annotations. */
  readonly hasNotes: boolean;
};

/** `patchesStrategicMerge` (sources KP-7): texts, or names of files. */
export async function applyMergePatches(
  resources: readonly KustomizeResource[],
  entries: readonly string[],
  { files, dir, meter }: Context,
): Promise<KustomizeResource[]> {
  let left = [...resources];
  for (const entry of entries) {
    const isInline = entry.includes('\n');
    const read = readObjects(isInline ? entry : await files.text(dir, entry), meter);
    if (read.length === 0) decline('a patch that is empty');
    for (const patch of read) left = apply(left, [theOne(left, patch)], patch, { isCopied: true, meter });
  }
  return left;
}

/** One entry of `patches` (sources KP-1, KP-3). */
export async function applyPatch(
  resources: readonly KustomizeResource[],
  entry: PatchEntry,
  { files, dir, meter, hasNotes }: Context,
): Promise<KustomizeResource[]> {
  const { path, patch, target } = entry;
  const inline = goTrimmed(patch);
  if ((inline === '') === (path === '')) decline('a patch with both a text and a file, or neither');
  const text = inline === '' ? await files.text(dir, path) : inline;
  const operations = operationsIn(text);
  if (!operations) return applyObjects(resources, readObjects(text, meter), entry, meter);
  if (!target) decline('a JSON patch without a target');
  for (const resource of select(resources, target)) {
    recordFormerName(resource);
    applyOperations(resource, operations, { isNoted: true, hasNotes, meter });
  }
  return [...resources];
}

function applyObjects(
  resources: readonly KustomizeResource[],
  patches: readonly Read[],
  { target, mayRename, mayChangeKind }: PatchEntry,
  meter: BuildMeter,
): KustomizeResource[] {
  // compat sources KP-1: a text without objects is no patch
  if (target && patches.length > 1) decline('a patch of several objects with a target');
  let left = [...resources];
  for (const patch of patches) {
    const chosen = target ? select(left, target) : [theOne(left, patch)];
    left = apply(left, chosen, patch, { isCopied: target !== undefined, mayRename, mayChangeKind, meter });
    if (mayRename || mayChangeKind) requireUnique(left);
  }
  return left;
}

const goTrimmed = (text: string): string =>
  /[^\S \n\t]/.test(text) ? decline('odd space in a patch') : text.trim();

/** `patchesJson6902` (sources KP-5). */
export async function applyJsonPatches(
  resources: readonly KustomizeResource[],
  entries: readonly PatchEntry[],
  { files, dir, meter, hasNotes }: Context,
): Promise<void> {
  for (const { path, patch, target } of entries) {
    if (!target?.name || (path === '') === (patch === '')) decline('an odd JSON patch');
    const operations = operationsIn(path === '' ? patch : await files.text(dir, path));
    if (!operations) decline('a JSON patch that is no list');
    for (const resource of select(resources, target)) {
      applyOperations(resource, operations, { isNoted: hasNotes, hasNotes, meter });
    }
  }
}

/** compat sources KP-3: exactly one object has, or had, the id of a patch without a target. */
function theOne(resources: readonly KustomizeResource[], { object }: Read): KustomizeResource {
  const id = patchId(object);
  const found = resources.filter((resource) => hadId(resource, id));
  const [one] = found;
  return one && found.length === 1 ? one : decline('a patch for nothing, or for several');
}

function patchId({ apiVersion, kind, metadata }: FieldMap): Id {
  const { name, namespace = '' } = asFields(metadata, 'metadata');
  const isNamed = typeof name === 'string' && typeof namespace === 'string';
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isNamed)
    decline('a patch without an id');
  return idNamed(apiVersion, kind, name, namespace);
}

type Applying = {
  /** Each object gets a copy of the patch that kustomize has processed. */
  readonly isCopied: boolean;
  readonly mayRename?: boolean;
  readonly mayChangeKind?: boolean;
  readonly meter: BuildMeter;
};

function apply(
  resources: readonly KustomizeResource[],
  chosen: readonly KustomizeResource[],
  patch: Read,
  how: Applying,
): KustomizeResource[] {
  const fields = patchFields(patch.object, how);
  const gone = new Set<KustomizeResource>();
  for (const resource of chosen) {
    how.meter.steps(resource.nodes + patch.nodes);
    if (how.mayRename || how.mayChangeKind) recordFormerName(resource);
    if (!mergeInto(resource, structuredClone(fields), patch)) gone.add(resource);
  }
  return resources.filter((resource) => !gone.has(resource));
}

/**
 * The fields of a patch that take effect. Kind and name, unless they may change, and the namespace are restored
 * (sources KP-4). In a copied patch kustomize turns labels and annotations into texts, and nulls among them into the
 * text `null`.
 */
function patchFields(object: FieldMap, { isCopied, mayRename, mayChangeKind }: Applying): FieldMap {
  const { apiVersion: _apiVersion, kind, metadata, ...rest } = object;
  const { name, namespace: _namespace, ...meta } = asFields(metadata, 'metadata');
  if (typeof kind !== 'string' || kind === '' || kind.endsWith('List')) decline('a patch without a kind');
  if (typeof name !== 'string' || name === '') decline('a patch without a name');
  if ('$patch' in meta) decline('a directive in metadata'); // kustomize keeps its own annotations there
  for (const field of ['labels', 'annotations']) checkPairs(meta[field], field, isCopied);
  if (mayRename) meta.name = name;
  if (mayChangeKind) rest.kind = kind;
  return Object.keys(meta).length > 0 ? { ...rest, metadata: meta } : rest;
}

function checkPairs(pairs: unknown, field: string, isCopied: boolean): void {
  if (pairs === undefined) return;
  const values = Object.values(asFields(pairs, field));
  if ('$patch' in asFields(pairs, field)) decline(`a directive in ${field}`);
  if (values.length === 0) decline(`empty ${field} in a patch`);
  if (!values.every((value) => typeof value === 'string' || (value === null && !isCopied))) {
    decline(`${field} in a patch that are no text`);
  }
  if (field === 'annotations') checkAnnotations(pairs, !isCopied);
}

/** Merges a patch into an object; false when nothing is left of it (sources KP-6). */
function mergeInto(resource: KustomizeResource, patch: FieldMap, { origin }: Read): boolean {
  if (origin.schemaComments || resource.origin.schemaComments) decline('a comment that may hold a schema');
  if (!resource.origin.nullsWritten && nullKeys(resource.object).size > 0) {
    decline('an empty field in what is patched'); // compat sources KM-2: kustomize removes it, while an explicit null stays
  }
  checkShared(resource.shared, patch);
  if (patch.$patch === 'replace') decline('an object that is replaced whole');
  const how = { plainPorts: origin.plainPorts && resource.origin.plainPorts };
  const result = merged(resource.object, patch, undefined, how);
  if (result === undefined) return false;
  dropEmptyAnnotations(resource.metadata);
  if (resource.metadata !== resource.object.metadata) decline('metadata that were replaced');
  if (patch.kind !== undefined || isObject(patch.metadata)) identify(resource);
  const before = resource.origin.plainNumbers;
  resource.origin = { ...resource.origin, plainNumbers: () => before() && origin.plainNumbers() };
  return true;
}

/** compat: a label that is used in several fields is stored once, and changes in all of them. */
function checkShared(shared: KustomizeResource['shared'], patch: unknown): void {
  if (shared.size === 0) return;
  if (Array.isArray(patch)) for (const item of patch) checkShared(shared, item);
  if (!isObject(patch)) return;
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    const before = shared.get(key);
    if (before && value !== null && value !== before.value) decline(`the shared label ${key} is patched`);
    checkShared(shared, value);
  }
}

/** The operations of a JSON patch; undefined when the text is something else. */
function operationsIn(text: string): readonly JsonPatchOperation[] | undefined {
  // compat sources KP-1: a text that begins with a bracket must be JSON
  if (!/^\s*(?:#[^\n]*\n\s*|---\s*\n\s*)*[[-]/.test(text)) return undefined;
  if (/^\s*---/.test(text)) return undefined;
  const value = text.startsWith('[') ? parseJson(text) : parse(text, { duplicateKeys: 'reject' });
  if (!Array.isArray(value) || value.length === 0) decline('a JSON patch that is no list');
  if (/^---/m.test(text)) decline('a JSON patch of several documents');
  inspect(value);
  if (hasDelicateNumber(value) || nullKeys(value).size > 0) decline('an odd value in a JSON patch');
  return value.map((operation) => operationOf(asFields(operation, 'an operation')));
}

const pointer = /^(?:\/(?:[^~/]|~0|~1)+)+$/;

function operationOf(operation: FieldMap): JsonPatchOperation {
  const { op, path, value } = operation;
  const isKnown = op === 'add' || op === 'replace' || op === 'remove';
  if (!isKnown || typeof path !== 'string' || !pointer.test(path)) decline('an odd operation');
  if ((op !== 'remove') !== (value !== undefined)) decline('an operation without a value');
  // the object's identity, and kustomize's own annotations, are here
  const isWhole = /^\/metadata$|^\/(?:apiVersion|kind|metadata\/(?:name|namespace))\//.test(path);
  if (isWhole) decline('a JSON patch of what an object is');
  return { op, path, ...(value === undefined ? {} : { value }) };
}

function applyOperations(
  resource: KustomizeResource,
  operations: readonly JsonPatchOperation[],
  { isNoted, hasNotes, meter }: { isNoted: boolean; hasNotes: boolean; meter: BuildMeter },
): void {
  const { object, metadata } = resource;
  if (hasDelicateNumber(object)) decline('a number that JSON may change');
  meter.steps(resource.nodes);
  // compat: the origins that kustomize has just recorded there are annotations as well
  if (hasNotes && operations.some(({ path }) => path === '/metadata/annotations')) {
    decline('a JSON patch of all that is noted');
  }
  const annotates = operations.some(({ path }) => path.startsWith('/metadata/annotations'));
  if (annotates && metadata.annotations === undefined) {
    if (!isNoted && resource.former.length + resource.prefixes.length === 0)
      decline('annotations where there may be none');
    metadata.annotations = {};
  }
  const result = asFields(applyJsonPatch(object, operations), 'the result of a JSON patch');
  replaceFields(object, result);
  const after = asFields(result.metadata, 'metadata');
  replaceFields(metadata, after);
  object.metadata = metadata;
  identify(resource);
  if (metadata.labels !== undefined) asFields(metadata.labels, 'metadata.labels');
  dropEmptyAnnotations(metadata);
  if (metadata.annotations !== undefined) checkAnnotations(metadata.annotations);
  resource.origin = fromJson;
  resource.shared = new Map();
}

function replaceFields(fields: FieldMap, by: FieldMap): void {
  for (const key of Object.keys(fields)) delete fields[key];
  Object.assign(fields, by);
}
