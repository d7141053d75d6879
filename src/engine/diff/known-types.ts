import {
  canonicalQuantity,
  groupOf,
  type KubeObject,
  parseDuration,
  printDuration,
  quantityOf,
  type ResourceOverride,
} from '#base/model';
import { findNamedType, isObject, roundTrip, type TypeNode } from '#kubernetes/schema';

export type KnownField = { readonly path: readonly string[]; readonly type: TypeNode };

/**
 * Which fields of custom kinds hold well-known types, by `group/Kind`, and which configured types do not
 * exist.
 */
export type KnownTypes = {
  readonly byKind: ReadonlyMap<string, readonly KnownField[]>;
  readonly warnings: readonly string[];
};

const resources = 'core/v1/ResourceRequirements';
const ofRevision = { field: 'spec.containers.resources', type: resources };
const ofTemplate = { field: 'spec.template.spec.containers.resources', type: resources };

/** The defaults. A user's own fields for a kind replace these. */
const shipped: Readonly<Record<string, readonly { field: string; type: string }[]>> = {
  // compat engine D-16
  'argoproj.io/Rollout': [{ field: 'spec.template.spec', type: 'core/v1/PodSpec' }],
  // engine X-8: not the whole pod, which would hide the fields that only Knative has
  'serving.knative.dev/Service': [ofTemplate],
  'serving.knative.dev/Configuration': [ofTemplate],
  'serving.knative.dev/Revision': [ofRevision],
};

/** compat engine D-16, D-17: keys are matched as they are written, without globs. */
export function knownTypes(overrides: Readonly<Record<string, ResourceOverride>>): KnownTypes {
  const warnings: string[] = [];
  const byKind = new Map<string, readonly KnownField[]>();
  for (const [key, fields] of Object.entries(shipped)) byKind.set(key, fields.flatMap(readField));
  for (const [key, { knownTypeFields = [] }] of Object.entries(overrides)) {
    const known = knownTypeFields.flatMap(readField);
    if (known.length > 0) byKind.set(key.includes('/') ? key : `/${key}`, known);
    const strange = knownTypeFields.filter(({ type }) => !namedType(type));
    warnings.push(
      ...strange.map(({ type }) => `knownTypeFields for ${key}: there is no type ${type}; ${hint}`),
    );
  }
  return { byKind, warnings };
}

const hint = 'use core/Quantity, meta/v1/Duration or core/v1/ and the name of a type';

function readField({ field, type }: { field: string; type: string }): KnownField[] {
  const known = namedType(type);
  return known ? [{ path: field.split('.'), type: known }] : [];
}

function namedType(name: string): TypeNode | undefined {
  if (name === 'core/Quantity') return { kind: 'scalar', scalar: 'quantity' };
  if (name === 'meta/v1/Duration') return { kind: 'scalar', scalar: 'duration' };
  return name.startsWith('core/v1/') ? findNamedType(name) : undefined;
}

/**
 * compat engine D-16: the object with its well-known fields as Kubernetes would print them. Fields unknown to
 * their types are dropped, on either side alike. The same object when its kind has none.
 */
export function normalizeKnownTypes<T extends KubeObject>(object: T, known: KnownTypes): T {
  return knownFieldsOf(object, known).reduce(
    (next, { path, type }) => respell(next, path, type) as T,
    object,
  );
}

/** The well-known fields of a kind; [] for most. */
export function knownFieldsOf(object: KubeObject, { byKind }: KnownTypes): readonly KnownField[] {
  return byKind.get(`${groupOf(object)}/${object.kind}`) ?? [];
}

/** A list on the way, or at the end of it, means every one of its items. */
function respell(value: unknown, path: readonly string[], type: TypeNode): unknown {
  if (Array.isArray(value)) {
    const next = value.map((item) => respell(item, path, type));
    return next.every((item, at) => item === value[at]) ? value : next;
  }
  const [step, ...rest] = path;
  if (step === undefined) return printed(value, type);
  if (!isObject(value) || !Object.hasOwn(value, step)) return value;
  const next = respell(value[step], rest, type);
  return next === value[step] ? value : { ...value, [step]: next };
}

function printed(value: unknown, type: TypeNode): unknown {
  if (type.kind === 'struct') return isObject(value) ? roundTrip(value, type) : value;
  if (type.kind === 'scalar' && type.scalar === 'duration') return printedDuration(value);
  const quantity = quantityOf(value);
  return quantity ? canonicalQuantity(quantity) : value;
}

/** compat engine D-18: a value that is no duration is compared unchanged. */
function printedDuration(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return printDuration(parseDuration(value));
  } catch {
    return value;
  }
}
