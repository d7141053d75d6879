import { annotation, annotationList, gvkOf, type KubeObject } from '#base/model';
import { equal, FairleadError } from '#base/std';
import { anyType, findType, isObject, type JsonObject, type TypeNode } from '#kubernetes/schema';
import type { Tracking } from '../tracking.ts';
import { differences, type FieldDifference } from './fields.ts';
import { type Ignored, type IgnoreRules, ignore, ignoredIn, isSecret } from './ignore.ts';
import { normalizeKnative } from './knative.ts';
import { type KnownField, type KnownTypes, knownFieldsOf, normalizeKnownTypes } from './known-types.ts';
import { lastAppliedOf } from './last-applied.ts';
import { withoutTrusted } from './managers.ts';
import {
  type NormalizeOptions,
  normalize,
  normalizeKind,
  normalizeTracking,
  withoutServerDates,
} from './normalize.ts';
import { type Prediction, predictApply } from './predict.ts';
import {
  describedType,
  predictDryRun,
  predictServerSide,
  type TypeOf,
  withoutRecords,
} from './predict-server.ts';
import { alignAt, alignQuantities } from './quantities.ts';
import { type RedactOptions, redact } from './redact.ts';
import { isPlainlyUnchanged } from './unchanged.ts';

/** How one live object differs from its target. Values of Secrets are masked in everything here. */
export type ObjectDiff = {
  readonly modified: boolean;
  /** The live object without what does not count; absent when there is none. */
  readonly normalizedLive?: KubeObject;
  /** The object after a sync; absent when the sync would delete it. */
  readonly predictedLive?: KubeObject;
  readonly fields: readonly FieldDifference[];
  /** A dry run has confirmed whether fields that the API server may have added itself would stay. */
  readonly confirmed?: true;
};

export type DiffOptions = NormalizeOptions &
  RedactOptions & {
    readonly tracking: Tracking;
    readonly rules: IgnoreRules;
    readonly knownTypes?: KnownTypes;
    /** ServerSideApply=true for the whole Application: the merge is predicted as the server would do it. */
    readonly serverSideApply: boolean;
    /** IncludeMutationWebhook=true: what webhooks change in a dry run counts too (engine D-24). */
    readonly includeWebhooks?: boolean;
    /** Types of custom kinds, from their definitions. When given, it must have every kind that is merged. */
    readonly typeOf?: TypeOf;
  };

/** Two sides of one object, and the result of the target's server-side dry run, if one was made. */
export type DiffPair = {
  readonly target?: KubeObject | undefined;
  readonly live?: KubeObject | undefined;
  readonly dryRun?: KubeObject | FairleadError | undefined;
};

type Both = { readonly target: KubeObject; readonly live: KubeObject };

/**
 * Compares one pair. Throws FairleadError when a rule cannot be read (engine D-12) or when a server-side prediction is
 * impossible (engine D-25); a three-way comparison never fails.
 */
export function diff({ target, live, dryRun }: DiffPair, options: DiffOptions): ObjectDiff {
  if (options.rules.problem !== undefined) throw new FairleadError('InvalidSpec', options.rules.problem);
  if (!target || !live) return oneSided(target, live, options);
  const ignored = ignoredIn(live, options.rules);
  if (dryRun) return diffDryRun({ target, live }, { dryRun, ignored }, options);
  if (isUnchanged({ target, live }, ignored, options)) return unchanged({ target, live }, ignored, options);
  return diffPredicted({ target, live }, ignored, options);
}

/** compat engine D-1: what is missing altogether has no fields to compare. */
function oneSided(
  target: KubeObject | undefined,
  live: KubeObject | undefined,
  options: DiffOptions,
): ObjectDiff {
  const side = target ?? live;
  if (!side) return { modified: false, fields: [] };
  const ignored = ignoredIn(side, options.rules);
  const shown = redact({ live: cleaned(side, ignored, options) }, options).live;
  return target
    ? { modified: true, predictedLive: shown, fields: [] }
    : { modified: false, normalizedLive: shown, fields: [] };
}

/** The fast path, for pairs that no rule can make different by reading one side alone. */
function isUnchanged(pair: Both, ignored: Ignored, options: DiffOptions): boolean {
  if (!ignored.isPlain || fieldsKnown(pair.target, options).length > 0) return false;
  const serverSide = isServerSide(pair.target, options);
  const type = serverSide ? describedType(pair.target, options.typeOf) : findType(gvkOf(pair.target));
  if (serverSide && !type && options.typeOf) return false;
  return isPlainlyUnchanged(pair, { serverSide, type });
}

function unchanged(pair: Both, ignored: Ignored, options: DiffOptions): ObjectDiff {
  const plain = withoutServerDates(ignore(pair.live, ignored));
  const shown = redact({ target: pair.target, live: plain }, options).live;
  return { modified: false, normalizedLive: shown, predictedLive: shown, fields: [] };
}

/** compat engine D-4 … D-18: one side in the spelling in which it is compared, without what does not count. */
function cleaned(object: KubeObject, ignored: Ignored, options: DiffOptions): KubeObject {
  return counted(normalize(object, options), ignored, options);
}

function counted(object: KubeObject, ignored: Ignored, options: DiffOptions): KubeObject {
  const plain = ignore(object, ignored);
  return options.knownTypes ? normalizeKnownTypes(plain, options.knownTypes) : plain;
}

function diffPredicted(pair: Both, ignored: Ignored, options: DiffOptions): ObjectDiff {
  const { target, live } = prepared(pair, ignored, options);
  const prediction = isServerSide(pair.target, options)
    ? mergedByServer({ target, live }, pair, options)
    : mergedByClient({ target, live }, ignored, options);
  return judged(prediction, pair.live, options);
}

/** Both sides as they are compared and, for Secrets, behind their masks: no value gets further than here. */
function prepared(pair: Both, ignored: Ignored, options: DiffOptions): Both {
  const own = { ...pair, live: normalizeTracking(pair.live, pair.target, options.tracking) };
  const type = ignored.managers.length > 0 ? describedType(own.target, options.typeOf) : undefined;
  const { target, live } = withoutTrusted(own, ignored.managers, type ?? anyType);
  return redact(
    { target: cleaned(target, ignored, options), live: cleaned(live, ignored, options) },
    options,
  );
}

/** A server-side merge needs managedFields. */
function mergedByServer({ target, live }: Both, pair: Both, options: DiffOptions): Prediction {
  const sides = normalizeKnative({ target, live, applied: undefined });
  const { managedFields } = pair.live.metadata;
  const owned = managedFields
    ? { ...sides.live, metadata: { ...sides.live.metadata, managedFields } }
    : sides.live;
  return predictServerSide(sides.target, owned, options.typeOf);
}

function mergedByClient({ target, live }: Both, ignored: Ignored, options: DiffOptions): Prediction {
  const parsed = lastApplied(live);
  const rest = parsed && counted(normalizeKind(parsed, options), ignored, options);
  const applied = rest && withoutEmptied(rest, parsed);
  return predictApply(normalizeKnative({ target, live, applied }));
}

/** Labels of last-applied that ignore rules removed down to the last: an empty map would claim those of others, too. */
function withoutEmptied(rest: KubeObject, parsed: KubeObject): KubeObject {
  const count = ({ metadata }: KubeObject): number => Object.keys(metadata.labels ?? {}).length;
  if (count(rest) > 0 || count(parsed) === 0) return rest;
  const { labels: _labels, ...metadata } = rest.metadata;
  return { ...rest, metadata };
}

/**
 * compat engine D-23 … D-26: the API server has done the merge; ignored fields are removed from its result,
 * not from the target that was sent.
 */
function diffDryRun(
  pair: Both,
  { dryRun, ignored }: { dryRun: KubeObject | FairleadError; ignored: Ignored },
  options: DiffOptions,
): ObjectDiff {
  const answer = dryRun instanceof FairleadError ? refused(pair.target, dryRun) : dryRun;
  const own = normalizeTracking(pair.live, pair.target, options.tracking);
  const { includeWebhooks = false, typeOf } = options;
  const sent = { target: pair.target, live: own, answer };
  const predicted = predictDryRun(sent, { includeWebhooks, typeOf });
  const sides = normalizeKnative({
    target: cleaned(predicted, ignored, options),
    live: cleaned(own, ignored, options),
    applied: undefined,
  });
  // compat engine D-32: this pair is masked as it stands
  const masked = redact({ target: bare(sides.target), live: bare(sides.live) }, options);
  const type = findType(gvkOf(pair.target)) ?? anyType;
  return judged(
    { predicted: fieldsOf(masked.target), live: fieldsOf(masked.live), type },
    pair.live,
    options,
  );
}

const bare = (object: KubeObject): KubeObject => withoutRecords(fieldsOf(object)) as unknown as KubeObject;

/** The API server's error about a Secret may quote its values. */
function refused({ kind, metadata, apiVersion }: KubeObject, error: FairleadError): never {
  const isHidden = isSecret({ kind, metadata, apiVersion });
  const why = isHidden ? `${error.code} (details of a Secret are not shown)` : error.message;
  throw new FairleadError(error.code, `the dry run of ${kind} ${metadata.name} was refused: ${why}`);
}

const fieldsKnown = (object: KubeObject, { knownTypes }: DiffOptions): readonly KnownField[] =>
  knownTypes ? knownFieldsOf(object, knownTypes) : [];

function judged(prediction: Prediction, source: KubeObject, options: DiffOptions): ObjectDiff {
  const { live, reported } = prediction;
  const predicted = aligned(prediction, prediction.type, source, options);
  const normalizedLive = live as unknown as KubeObject;
  // the very same on both sides: findings are kept, and there are many
  if (equal(predicted, live))
    return { modified: false, normalizedLive, predictedLive: normalizedLive, fields: [] };
  const reasons = reported
    ? differences(aligned(reported, prediction.type, source, options), reported.live, source)
    : [];
  const fields = reasons.length > 0 ? reasons : differences(predicted, live, source);
  return { modified: true, normalizedLive, predictedLive: predicted as unknown as KubeObject, fields };
}

/** engine D-27: the prediction with the live spelling of every amount that is the same. */
function aligned(
  { predicted, live }: Pick<Prediction, 'predicted' | 'live'>,
  type: TypeNode,
  source: KubeObject,
  options: DiffOptions,
): JsonObject {
  const described = type.kind === 'any' ? (describedType(source, options.typeOf) ?? type) : type;
  return fieldsKnown(source, options).reduce(
    (next, known) => alignAt(next, live, known.path, known.type),
    alignQuantities(predicted, live, described),
  );
}

/** compat engine §3.5: the Application's option, or the target's own. */
export function isServerSide(
  target: KubeObject,
  { serverSideApply }: Pick<DiffOptions, 'serverSideApply'>,
): boolean {
  if (serverSideApply) return true;
  if (target.metadata.annotations?.[annotation.syncOptions] === undefined) return false;
  return annotationList(target, annotation.syncOptions).includes('ServerSideApply=true');
}

/** The object in kubectl's last-applied annotation; undefined when it is missing or unreadable. */
function lastApplied(live: KubeObject): KubeObject | undefined {
  const value = lastAppliedOf(live);
  const isWhole = isObject(value) && isObject(value.metadata);
  const parsed = isWhole ? (value as unknown as KubeObject) : undefined;
  // a Secret's copy was masked together with the sides, and masks must not be encoded again
  return parsed && isSecret(live) ? withoutStringData(parsed) : parsed;
}

function withoutStringData(secret: KubeObject): KubeObject {
  const { data, stringData, ...rest } = secret as KubeObject & { data?: JsonObject; stringData?: JsonObject };
  return stringData ? ({ ...rest, data: { ...data, ...stringData } } as KubeObject) : secret;
}

const fieldsOf = (object: KubeObject): JsonObject => object as unknown as JsonObject;
