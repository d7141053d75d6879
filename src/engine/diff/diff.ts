import { annotation, annotationList, gvkOf, type KubeObject } from '#model';
import { anyType, findType, isObject, type JsonObject, type TypeNode } from '#schema';
import { equal, parseJson } from '#std';
import type { Tracking } from '../tracking.ts';
import { differences, type FieldDifference } from './fields.ts';
import { type IgnoreRules, ignore, ignoredPaths, isSecret } from './ignore.ts';
import { normalizeKnative } from './knative.ts';
import { type NormalizeOptions, normalize, normalizeTracking } from './normalize.ts';
import { type Prediction, predictApply, predictServerSide } from './predict.ts';
import { alignQuantities } from './quantities.ts';
import { type RedactOptions, redact } from './redact.ts';

/** How one object differs from what Git says. Values of Secrets are masked in everything here. */
export type ObjectDiff = {
  readonly modified: boolean;
  /** The live object without what does not count; absent when there is none. */
  readonly normalizedLive?: KubeObject;
  /** What it would be after a sync; absent when it would be gone. */
  readonly predictedLive?: KubeObject;
  readonly fields: readonly FieldDifference[];
};

export type DiffOptions = NormalizeOptions &
  RedactOptions & {
    readonly tracking: Tracking;
    readonly rules: IgnoreRules;
    /** ServerSideApply=true for the whole Application: the merge is predicted as the server would do it. */
    readonly serverSideApply: boolean;
    /** Types of custom kinds, where their definitions are at hand. */
    readonly typeOf?: (kind: { group: string; version: string; kind: string }) => TypeNode | undefined;
  };

type Pair = { readonly target?: KubeObject | undefined; readonly live?: KubeObject | undefined };

/** Compares one pair. Throws FairleadError only when a server-side prediction is impossible (D-25). */
export function diff(pair: Pair, options: DiffOptions): ObjectDiff {
  const { target, live } = prepared(pair, options);
  // compat D-1: what is missing altogether has no fields to compare
  if (!live)
    return target ? { modified: true, predictedLive: target, fields: [] } : { modified: false, fields: [] };
  if (!target) return { modified: false, normalizedLive: live, fields: [] };

  const prediction = predict({ target, live, declared: pair.target }, options);
  const predicted = alignQuantities(prediction.predicted, prediction.live, prediction.type);
  const result = {
    normalizedLive: prediction.live as unknown as KubeObject,
    predictedLive: predicted as unknown as KubeObject,
  };
  if (equal(predicted, prediction.live)) return { modified: false, ...result, fields: [] };
  const source = pair.live ?? live;
  return { modified: true, ...result, fields: differences(predicted, prediction.live, source) };
}

/** Both sides in one spelling and, for Secrets, behind their masks: no value gets further than here. */
function prepared({ target, live }: Pair, options: DiffOptions): { target?: KubeObject; live?: KubeObject } {
  const own = live && target ? normalizeTracking(live, target, options.tracking) : live;
  const sides = {
    ...(target && { target: normalize(target, options) }),
    ...(own && {
      live: isServerSide(target, options) ? normalizeOwned(own, options) : normalize(own, options),
    }),
  };
  return redact(sides, options);
}

/** A server-side merge needs to know who owns what. */
function normalizeOwned(live: KubeObject, options: DiffOptions): KubeObject {
  const { managedFields } = live.metadata;
  const plain = normalize(live, options);
  return managedFields ? { ...plain, metadata: { ...plain.metadata, managedFields } } : plain;
}

type Prepared = {
  readonly target: KubeObject;
  readonly live: KubeObject;
  /** The target as it came, before it was normalised. */
  readonly declared: KubeObject | undefined;
};

function predict({ target, live, declared }: Prepared, options: DiffOptions): Prediction {
  const paths = ignoredPaths(live, options.rules);
  if (isServerSide(target, options)) {
    const sides = normalizeKnative({ target, live, applied: undefined });
    const gvk = gvkOf(target);
    const type = findType(gvk) ?? options.typeOf?.(gvk) ?? anyType;
    return predictServerSide(ignore(sides.target, paths), ignore(sides.live, paths), type);
  }
  const applied = lastApplied({ target, live, declared }, options);
  const sides = normalizeKnative({ target, live, applied });
  return predictApply({
    target: ignore(sides.target, paths),
    live: ignore(sides.live, paths),
    applied: sides.applied && ignore(sides.applied, paths),
  });
}

/** compat §3.5: the Application's option, or the target's own. */
function isServerSide(target: KubeObject | undefined, { serverSideApply }: DiffOptions): boolean {
  if (!target) return false;
  const own = annotationList(target, annotation.syncOptions);
  return serverSideApply || own.includes('ServerSideApply=true');
}

/** What kubectl apply remembered, normalised like the rest; undefined when there is none or it cannot be read. */
function lastApplied({ target, live, declared }: Prepared, options: DiffOptions): KubeObject | undefined {
  const text = live.metadata.annotations?.[annotation.lastApplied];
  const parsed = text ? parsedObject(text) : undefined;
  if (!parsed) return undefined;
  // a Secret's copy was masked together with the sides, and masks must not be encoded again
  if (isSecret(live)) return normalize(withoutStringData(parsed), options);
  // nearly always what was applied last is what is declared now
  return equal(parsed, declared) ? target : normalize(parsed, options);
}

function parsedObject(text: string): KubeObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) && isObject(value.metadata) ? (value as unknown as KubeObject) : undefined;
  } catch {
    return undefined;
  }
}

function withoutStringData(secret: KubeObject): KubeObject {
  const { data, stringData, ...rest } = secret as KubeObject & { data?: JsonObject; stringData?: JsonObject };
  return stringData ? ({ ...rest, data: { ...data, ...stringData } } as KubeObject) : secret;
}
