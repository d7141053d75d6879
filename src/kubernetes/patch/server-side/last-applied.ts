import { annotation } from '#base/model';
import { FairleadError, parseJson } from '#base/std';
import { isObject, type JsonObject, type TypeNode } from '#kubernetes/schema';
import { compareFields } from './compare.ts';
import { printGoJson } from './element.ts';
import { FieldSet } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';

const { lastApplied } = annotation;
/** compat cluster 3.9: annotations may weigh this much together; a larger configuration is not recorded. */
const heaviest = 256 * 1024;

function annotationsOf({ metadata }: JsonObject): JsonObject {
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  return isObject(annotations) ? annotations : {};
}

function lastAppliedOf(object: JsonObject): JsonObject | undefined {
  const text = annotationsOf(object)[lastApplied];
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const parsed = parseJson(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/**
 * compat cluster 3.9: fields that client-side apply set and no other manager has changed since. kubectl may
 * take them over without a conflict when it moves an object to server-side apply.
 */
export function fieldsOfClientApply(live: JsonObject, type: TypeNode): FieldSet {
  const last = lastAppliedOf(live);
  if (last === undefined || last.apiVersion !== live.apiVersion) return FieldSet.empty;
  try {
    const { added, removed, modified } = compareFields(last, live, type);
    return fieldSetOf(last, type).subtract(modified).subtract(added).subtract(removed);
  } catch (error) {
    if (error instanceof FairleadError) return FieldSet.empty;
    throw error;
  }
}

/** compat cluster 3.9: an object that client-side apply once managed keeps its annotation true when kubectl applies it. */
export function refreshLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  const present = annotations[lastApplied];
  if (typeof present !== 'string' || present === '') return object;
  const text = `${printGoJson(sorted(withoutAnnotation(applied)))}\n`;
  const weight = Object.entries(annotations).reduce(
    (sum, [name, value]) => sum + name.length + String(value).length,
    0,
  );
  const isTooHeavy = weight - present.length + text.length > heaviest;
  const { [lastApplied]: _, ...others } = annotations;
  const next = isTooHeavy ? others : { ...others, [lastApplied]: text };
  return { ...object, metadata: { ...(object.metadata as JsonObject), annotations: next } };
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const { [lastApplied]: written, ...annotations } = annotationsOf(applied);
  if (written === undefined) return applied;
  const { annotations: _, ...metadata } = applied.metadata as JsonObject;
  return { ...applied, metadata: { ...metadata, annotations } };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}
