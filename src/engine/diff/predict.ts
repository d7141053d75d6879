import { gvkOf, type KubeObject } from '#base/model';
import { FairleadError } from '#base/std';
import {
  applyMergePatch,
  applyStrategicPatch,
  createThreeWayMergePatch,
  createThreeWayStrategicPatch,
} from '#kubernetes/patch';
import {
  anyType,
  applyDefaults,
  findType,
  isObject,
  type JsonObject,
  type TypeNode,
} from '#kubernetes/schema';
import { withoutAppendedTolerations } from './tolerations.ts';

/** The object after a sync and the live object, both normalized the same way. */
export type Prediction = {
  readonly predicted: JsonObject;
  readonly live: JsonObject;
  readonly type: TypeNode;
  /** The same two without what is only replaced along with a change; what differs here is why anything does. */
  readonly reported?: { readonly predicted: JsonObject; readonly live: JsonObject };
};

type Sides = {
  readonly target: KubeObject;
  readonly live: KubeObject;
  /** The last applied object, when the live object has the annotation. */
  readonly applied: KubeObject | undefined;
};

/**
 * compat engine §3.5, D-25: three-way, and two-way when there is no last-applied or the three do not fit
 * together. An object that does not fit its own type is compared without a type: this never fails.
 */
export function predictApply({ target, live, applied }: Sides): Prediction {
  const wanted = applicable(target);
  const current = withoutAppendedTolerations(fieldsOf(live), wanted);
  const twoWay = { original: wanted, modified: wanted, current };
  const prediction =
    (applied && attempt({ original: declaredOnce(applicable(applied)), modified: wanted, current })) ??
    attempt(twoWay) ??
    custom(twoWay);
  const { predicted, live: now } = prediction;
  return { ...prediction, predicted: withoutEmptyMaps(predicted), live: withoutEmptyMaps(now) };
}

function attempt(sides: Three): Prediction | undefined {
  try {
    return threeWay(sides);
  } catch (thrown) {
    if (thrown instanceof FairleadError) return undefined;
    throw thrown;
  }
}

type Three = { readonly original: JsonObject; readonly modified: JsonObject; readonly current: JsonObject };

function threeWay(sides: Three): Prediction {
  const type = findType(gvkOf(sides.modified as unknown as KubeObject));
  return type ? builtin(sides, type) : custom(sides);
}

/**
 * compat engine D-19: a live field that was never declared is not drift, a declared field that was removed
 * from Git is, and defaults are not.
 * dev engine D-19: upstream a directive that found nothing to do may stay in the prediction and is then a
 * difference of its own.
 */
function builtin({ original, modified, current }: Three, type: TypeNode): Prediction {
  const stripped = stripClaimTemplates(original, current);
  const patch = createThreeWayStrategicPatch({ original, modified, current: stripped }, type);
  const predicted = applyStrategicPatch(current, patch, type);
  return { predicted: applyDefaults(predicted), live: applyDefaults(current), type };
}

/** compat engine D-20: without a schema, what was not applied is taken for a default when the patch is made. */
function custom({ original, modified, current }: Three): Prediction {
  const stripped = onlyKnown(original, current) as JsonObject;
  const patch = createThreeWayMergePatch({ original, modified, current: stripped });
  return {
    predicted: applyMergePatch(current, patch) as JsonObject,
    live: current,
    type: anyType,
    reported: { predicted: applyMergePatch(stripped, patch) as JsonObject, live: stripped },
  };
}

/** compat engine D-7: the namespace is identity, and null is no map. One that the rules emptied stays: none at all would take others along. */
function applicable(object: KubeObject): JsonObject {
  const { namespace: _namespace, ...metadata } = object.metadata;
  const isThere = ([name, value]: [string, unknown]): boolean => value !== null || !maps.includes(name);
  return { ...fieldsOf(object), metadata: Object.fromEntries(Object.entries(metadata).filter(isThere)) };
}

const maps = ['annotations', 'labels'];

/**
 * compat engine D-7: an empty map of annotations in last-applied counts as none. An empty map of labels was declared: a target
 * without labels removes the live ones, as kubectl apply does.
 */
function declaredOnce(applied: JsonObject): JsonObject {
  const { metadata } = applied;
  if (!isObject(metadata) || !isEmptyMap(metadata.annotations)) return applied;
  const { annotations: _annotations, ...rest } = metadata;
  return { ...applied, metadata: rest };
}

/** dev engine D-7: the API server drops empty maps of labels as well as of annotations, so neither differs from none. */
function withoutEmptyMaps(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || !(isEmptyMap(metadata.annotations) || isEmptyMap(metadata.labels)))
    return object;
  const { annotations, labels, ...rest } = metadata;
  return {
    ...object,
    metadata: {
      ...rest,
      ...(annotations !== undefined && !isEmptyMap(annotations) && { annotations }),
      ...(labels !== undefined && !isEmptyMap(labels) && { labels }),
    },
  };
}

const isEmptyMap = (value: unknown): boolean =>
  value === null || (isObject(value) && Object.keys(value).length === 0);

/** compat engine D-20: maps keep the keys that were applied; lists go item by item, and extra live items stay to be seen. */
function onlyKnown(applied: unknown, live: unknown): unknown {
  if (Array.isArray(applied) && Array.isArray(live)) {
    return live.map((item, at) => (at < applied.length ? onlyKnown(applied[at], item) : item));
  }
  if (!isObject(applied) || !isObject(live)) return live;
  return Object.fromEntries(
    Object.entries(live)
      .filter(([key]) => Object.hasOwn(applied, key))
      .map(([key, value]) => [key, onlyKnown(applied[key], value)]),
  );
}

const claimTemplates = ['spec', 'volumeClaimTemplates'] as const;

/** compat engine D-21: the server fills in claim templates, and they cannot be changed anyway. */
function stripClaimTemplates(applied: JsonObject, live: JsonObject): JsonObject {
  const [spec, field] = claimTemplates;
  const [known, held] = [applied[spec], live[spec]];
  if (live.kind !== 'StatefulSet' || !isObject(known) || !isObject(held)) return live;
  if (!Array.isArray(known[field]) || !Array.isArray(held[field])) return live;
  return { ...live, [spec]: { ...held, [field]: onlyKnown(known[field], held[field]) } };
}

const fieldsOf = (object: KubeObject): JsonObject => object as unknown as JsonObject;
