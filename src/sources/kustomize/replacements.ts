import { clone, isObject } from '#base/std';
import { parseAll } from '#lang/yaml';
import { type BuildMeter, decline } from './decline.ts';
import type { FieldLocation } from './field-path.ts';
import type { Files } from './load.ts';
import { checkWriting } from './read.ts';
import {
  type FieldOptions,
  type Replacement,
  type ReplacementEntry,
  type ReplacementSource,
  type ReplacementTarget,
  replacementOf,
} from './replacement-entry.ts';
import {
  checkAnnotations,
  checkShared,
  identify,
  idsOf,
  type KustomizeResource,
  namespaceOf,
  requireUnique,
} from './resource.ts';
import { idMatcher, pairsMatcher } from './select.ts';
import { findPlaces } from './target-path.ts';
import { isIndex, lookup, splitPath } from './value-path.ts';
import { asFields, checkText, isAmbiguous, isPlainText } from './values.ts';

type Context = { readonly files: Files; readonly dir: string; readonly meter: BuildMeter };

/** The replacements of the entries of a kustomization. */
export async function loadReplacements(
  entries: readonly ReplacementEntry[],
  { files, dir }: Context,
): Promise<Replacement[]> {
  const loaded: Replacement[] = [];
  for (const entry of entries) {
    if ('path' in entry) loaded.push(...readReplacements(await files.text(dir, entry.path)));
    else loaded.push(entry);
  }
  return loaded;
}

function readReplacements(text: string): Replacement[] {
  checkWriting(text);
  const [document, ...others] = parseAll(text, { duplicateKeys: 'reject', limits: { depth: 20 } });
  if (!document || others.length > 0) decline('replacements of several documents, or none');
  const { value } = document;
  const list = Array.isArray(value) ? value : [value];
  return list.map((entry) => replacementOf(asFields(entry, 'a replacement')));
}

/** Puts values of objects into fields of others (sources KR-1). */
export function replaceFields(
  resources: readonly KustomizeResource[],
  replacements: readonly Replacement[],
  { meter }: Context,
): void {
  for (const { source, targets } of replacements) {
    const from = typeof source === 'string' ? undefined : sourceOf(resources, source);
    const value = typeof source === 'string' ? source : sourceValue(from, source);
    for (const target of targets) {
      meter.steps(resources.length * 5);
      const found = chosen(resources, target);
      checkSource(source, from, found, target);
      for (const resource of found) replaceIn(resource, target, value);
    }
  }
  requireUnique(resources);
}

/** compat: a source that is a target as well changes for the targets after it. */
function checkSource(
  source: Replacement['source'],
  from: KustomizeResource | undefined,
  targets: readonly KustomizeResource[],
  { fieldPaths }: ReplacementTarget,
): void {
  if (typeof source === 'string' || !from || !targets.includes(from)) return;
  const own = splitPath(source.fieldPath);
  if (fieldPaths.some((path) => mayMeet(own, splitPath(path)))) {
    decline('a replacement of its own source');
  }
}

const isElement = (part: string): boolean => /^(?:\*|\d+|\[.*=.*\])$/.test(part);

/** Whether one of two paths may lead to, or through, the location of the other. */
function mayMeet(one: readonly string[], other: readonly string[]): boolean {
  const shared = one.slice(0, other.length);
  return shared.every((part, at) => {
    const there = other[at] ?? '';
    const areIndexes = isIndex(part) && isIndex(there);
    return part === there || (!areIndexes && isElement(part) && isElement(there));
  });
}

type ResourceId = { group: string; version: string; kind: string; name: string; namespace: string };

/** compat: here namespaces are compared as written, and every kind counts as namespaced. */
function idsHere(resource: KustomizeResource): ResourceId[] {
  const { group, version } = resource;
  const [now, ...before] = idsOf(resource);
  const current = { ...(now ?? decline('no id')), namespace: namespaceOf(resource) };
  return [current, ...before].map((id) => ({ group, version, ...id }));
}

/** compat sources KR-1: exactly one object. */
function sourceOf(resources: readonly KustomizeResource[], source: ReplacementSource): KustomizeResource {
  const found = resources.filter((resource) => idsHere(resource).some((id) => isSource(id, source)));
  const [one] = found;
  return one && found.length === 1 ? one : decline('a replacement of nothing, or of several objects');
}

/** compat sources KR-1: an empty field is an error. */
function sourceValue(one: KustomizeResource | undefined, source: ReplacementSource): unknown {
  if (!one) decline('a replacement of nothing');
  const path = splitPath(source.fieldPath);
  if (/^metadata(?:,annotations)?$/.test(path.join())) decline('a replacement by what kustomize notes');
  const value = lookup(one.object, path);
  if (typeof value === 'object' && Object.keys(value ?? {}).length === 0) decline('a replacement by nothing');
  const { delimiter, index } = source.options;
  if (delimiter === '') return value;
  const part = textOf(value, one).split(delimiter)[index];
  return part ?? decline('a part of a text that is not there');
}

const isSource = (id: ResourceId, { group, version, kind, name, namespace }: ReplacementSource): boolean =>
  (group === '' || group === id.group) &&
  (version === '' || version === id.version) &&
  (kind === '' || kind === id.kind) &&
  (name === '' || name === id.name) &&
  (namespace === '' || namespace === (id.namespace || 'default'));

/** compat sources KR-1: an object rejected by its labels is rejected whatever its name. */
function chosen(
  resources: readonly KustomizeResource[],
  { select, reject }: ReplacementTarget,
): KustomizeResource[] {
  const isSelected = idMatcher(select);
  const hasPairs = pairsMatcher(select);
  const rejectedIds = reject.filter(({ group, version, kind, name, namespace }) =>
    [group, version, kind, name, namespace].some((text) => text !== ''),
  );
  const rejectedPairs = reject.filter((one) => one.labelSelector !== '' || one.annotationSelector !== '');
  const isRejected = rejectedIds.map(idMatcher);
  const isRejectedByPairs = rejectedPairs.map(pairsMatcher);
  return resources.filter((resource) => {
    if (!hasPairs(resource) || isRejectedByPairs.some((matches) => matches(resource))) return false;
    const ids = idsHere(resource);
    return !isRejected.some((matches) => ids.some(matches)) && ids.some(isSelected);
  });
}

function replaceIn(
  resource: KustomizeResource,
  { fieldPaths, options }: ReplacementTarget,
  value: unknown,
): void {
  for (const text of fieldPaths) {
    const path = splitPath(text);
    if (/^metadata(?:,annotations)?$/.test(path.join())) decline('a replacement of what kustomize notes');
    const places = findPlaces(resource.object, path, options.create ? kindOf(value) : undefined);
    if (places.length === 0) decline('a replacement in a field that is not there'); // compat: kustomize reports an error
    for (const place of places) {
      checkShared(resource, String(place.key));
      put(place, value, options);
    }
  }
  if (resource.object.metadata !== resource.metadata) decline('metadata that were replaced');
  if (resource.metadata.annotations !== undefined) checkAnnotations(resource.metadata.annotations);
  identify(resource);
}

const kindOf = (value: unknown): 'list' | 'map' | 'text' =>
  Array.isArray(value) ? 'list' : isObject(value) ? 'map' : 'text';

/** compat sources KR-1: a text, a number or a boolean keeps its type, and only its value is replaced. */
function put(place: FieldLocation, value: unknown, options: FieldOptions): void {
  const { holder, key } = place;
  const before = holder[key];
  if (typeof before === 'object' && before !== null) {
    if (options.delimiter !== '') decline('a delimiter where there is no text');
    holder[key] = clone(value);
    return;
  }
  const text = textOf(value);
  if (options.delimiter !== '') holder[key] = settled(place, spliced(before, text, options));
  else holder[key] = settled(place, text);
}

/** compat sources KR-1: before all, after all, or instead of a part. */
function spliced(before: unknown, text: string, { delimiter, index }: FieldOptions): string {
  if (typeof before !== 'string' && before !== undefined) decline('a delimiter where there is no text');
  const parts = (before ?? '').split(delimiter);
  if (index < 0) parts.unshift(text);
  else if (index >= parts.length) parts.push(text);
  else parts[index] = text;
  return parts.join(delimiter);
}

const decimal = /^(?:0|-?[1-9]\d{0,14})$/;

/** A text converted to the type of the field's current value. */
function settled({ holder, key }: FieldLocation, text: string): unknown {
  const before = holder[key];
  checkText(text);
  if (/^[\s]|[ \t]\n|\n\n$|\t/.test(text)) decline('a replacement by a text that may be printed otherwise');
  if (typeof before === 'number' && Number.isInteger(before) && decimal.test(text)) return Number(text);
  if (typeof before === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  // compat: kustomize parses new fields, and those it wrote itself, again from their text
  if (before === undefined) return decimal.test(text) ? Number(text) : unquoted(text);
  if (typeof before !== 'string') decline('a replacement of another type');
  const isWritten = /^(?:name|namespace|image|namePrefix)$/.test(String(key));
  return isWritten && isAmbiguous(text) ? decline('a replacement that may not be text') : text;
}

const unquoted = (text: string): string =>
  isPlainText(text) ? text : decline('a replacement that may not be text');

/** A value as it is written. Declines numbers that are not decimal, and booleans in capitals. */
function textOf(value: unknown, resource?: KustomizeResource): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    return resource?.origin.plainNumbers() === false
      ? decline('a number that is no plain decimal')
      : String(value);
  }
  return decline('a replacement by what is no text');
}
