import { annotation, gvkOf, type KubeObject } from '#model';
import {
  applyMergePatch,
  applyServerSide,
  applyStrategicPatch,
  createThreeWayMergePatch,
  createThreeWayStrategicPatch,
} from '#patch';
import { anyType, applyDefaults, findType, isObject, type JsonObject, type TypeNode } from '#schema';
import { FairleadError } from '#std';
import { annotate } from '../annotations.ts';
import { without } from './pointer.ts';

/** What a sync would leave in the cluster, beside what is there, both in the same spelling. */
export type Prediction = {
  readonly predicted: JsonObject;
  readonly live: JsonObject;
  readonly type: TypeNode;
};

type Sides = {
  readonly target: KubeObject;
  readonly live: KubeObject;
  /** What was applied last, when the live object remembers it. */
  readonly applied: KubeObject | undefined;
};

/** The field manager every write of ours is recorded under. */
export const fieldManager = 'argocd-controller';

/** compat §3.5: three-way, and two-way when there is no last-applied or the three do not fit together. */
export function predictApply({ target, live, applied }: Sides): Prediction {
  const wanted = applicable(target);
  if (applied) {
    try {
      return threeWay({ original: applicable(applied), modified: wanted, current: fieldsOf(live) });
    } catch (thrown) {
      // compat D-25: a three-way comparison never fails an Application; it falls back
      if (!(thrown instanceof FairleadError)) throw thrown;
    }
  }
  return threeWay({ original: wanted, modified: wanted, current: fieldsOf(live) });
}

type Three = { readonly original: JsonObject; readonly modified: JsonObject; readonly current: JsonObject };

function threeWay(sides: Three): Prediction {
  const type = findType(gvkOf(sides.modified as unknown as KubeObject));
  return type ? builtin(sides, type) : custom(sides);
}

/** compat D-19: what nobody declared is not drift, what was declared once and is gone is, and defaults are not. */
function builtin({ original, modified, current }: Three, type: TypeNode): Prediction {
  const live = stripClaimTemplates(original, current);
  const patch = createThreeWayStrategicPatch({ original, modified, current: live }, type);
  const predicted = applyStrategicPatch(live, patch, type);
  return { predicted: applyDefaults(predicted), live: applyDefaults(live), type };
}

/** compat D-20: without a schema, what was not applied is taken for a default and does not count. */
function custom({ original, modified, current }: Three): Prediction {
  const live = onlyKnown(original, current) as JsonObject;
  const patch = createThreeWayMergePatch({ original, modified, current: live });
  return { predicted: applyMergePatch(live, patch) as JsonObject, live, type: anyType };
}

/** compat D-22: the merge the API server would do, done here. `type` is anyType where nobody knows better. */
export function predictServerSide(target: KubeObject, live: KubeObject, type: TypeNode): Prediction {
  const result = applyServerSide(fieldsOf(live), fieldsOf(target), {
    manager: fieldManager,
    // compared, never stored
    time: '1970-01-01T00:00:00Z',
    type,
    force: true,
  });
  if (result.outcome === 'conflict') {
    throw new FairleadError(
      'Internal',
      `forced apply of ${target.kind} ${target.metadata.name} met a conflict`,
    );
  }
  const clean = (object: JsonObject): JsonObject =>
    applyDefaults(without(withoutLastApplied(object), ['metadata', 'managedFields']));
  return { predicted: clean(result.object), live: clean(fieldsOf(live)), type };
}

const withoutLastApplied = (object: JsonObject): JsonObject =>
  fieldsOf(annotate(object as unknown as KubeObject, annotation.lastApplied, undefined));

/** compat D-7: the namespace is identity, and an empty map of annotations is none; nor is one of labels. */
function applicable(object: KubeObject): JsonObject {
  const { namespace: _namespace, annotations, labels, ...metadata } = object.metadata;
  return {
    ...fieldsOf(object),
    metadata: { ...metadata, ...unlessEmpty('annotations', annotations), ...unlessEmpty('labels', labels) },
  };
}

function unlessEmpty(field: string, map: Record<string, string> | undefined): JsonObject {
  return map && Object.keys(map).length > 0 ? { [field]: map } : {};
}

/** compat D-20: maps keep the keys that were applied; lists go item by item, and extra live items stay to be seen. */
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

/** compat D-21: the server fills in claim templates, and they cannot be changed anyway. */
function stripClaimTemplates(applied: JsonObject, live: JsonObject): JsonObject {
  const [spec, field] = claimTemplates;
  const [known, held] = [applied[spec], live[spec]];
  if (live.kind !== 'StatefulSet' || !isObject(known) || !isObject(held)) return live;
  if (!Array.isArray(known[field]) || !Array.isArray(held[field])) return live;
  return { ...live, [spec]: { ...held, [field]: onlyKnown(known[field], held[field]) } };
}

const fieldsOf = (object: KubeObject): JsonObject => object as unknown as JsonObject;
