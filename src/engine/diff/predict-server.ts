import { annotation, type GroupVersionKind, gvkOf, type KubeObject } from '#base/model';
import { equal, FairleadError } from '#base/std';
import { applyServerSide, compareFields, ownChanges, removeFields } from '#kubernetes/patch';
import {
  anyType,
  applyDefaults,
  findType,
  isObject,
  type JsonObject,
  type TypeNode,
} from '#kubernetes/schema';
import { fieldManager } from './field-manager.ts';
import { afterMigration } from './migration.ts';
import type { Prediction } from './predict.ts';

/** The types of custom kinds as the cluster describes them; undefined for one it does not. */
export type TypeOf = (kind: GroupVersionKind) => TypeNode | undefined;

/**
 * compat engine D-22: the merge the API server would do, done here. Throws InvalidSpec when the cluster's schema is known and
 * does not hold the kind; without any schema, lists are atoms.
 */
export function predictServerSide(
  target: KubeObject,
  live: KubeObject,
  typeOf: TypeOf | undefined,
): Prediction {
  const type = describedType(target, typeOf) ?? (typeOf ? missing(target) : anyType);
  const bare = withoutRecords(fieldsOf(live));
  const merged = withoutRecords(merge(target, afterMigration(live, type), type));
  // compat engine D-22: where nothing changes, both are what is live
  if (equal(merged, bare)) return { predicted: bare, live: bare, type };
  return { predicted: applyDefaults(merged), live: applyDefaults(bare), type };
}

function merge(target: KubeObject, live: KubeObject, type: TypeNode): JsonObject {
  const result = applyServerSide(fieldsOf(live), fieldsOf(target), {
    manager: fieldManager,
    // compared, never stored
    time: '1970-01-01T00:00:00Z',
    type,
    force: true,
  });
  if (result.outcome !== 'conflict') return result.object;
  throw new FairleadError(
    'Internal',
    `forced apply of ${target.kind} ${target.metadata.name} met a conflict`,
  );
}

export type DryRunOptions = { readonly includeWebhooks: boolean; readonly typeOf: TypeOf | undefined };

/** The target sent in the dry run, the live object, and the API server's result. */
type DryRunSides = { readonly target: KubeObject; readonly live: KubeObject; readonly answer: KubeObject };

/**
 * compat engine D-23, D-24: the result of the server-side dry run, without the changes of webhooks and
 * defaulting, unless the options include them. Throws InvalidSpec when the result has no managedFields entry
 * of ours, or the kind has no schema.
 */
export function predictDryRun(
  { target, live, answer }: DryRunSides,
  { includeWebhooks, typeOf }: DryRunOptions,
): KubeObject {
  const type = describedType(answer, typeOf);
  const predicted = includeWebhooks
    ? fieldsOf(answer)
    : ownChanges(fieldsOf(live), fieldsOf(answer), { manager: fieldManager, type: type ?? missing(answer) });
  const owned = type && afterMigration(answer, type);
  if (!type || !owned || owned === answer) return predicted as unknown as KubeObject;
  // dev engine D-23: the dry run ran before the migration of field ownership, so its result keeps fields of
  // client-side applies
  const { removed } = compareFields(fieldsOf(answer), merge(target, owned, type), type);
  return removeFields(predicted, type, removed) as unknown as KubeObject;
}

/** The type of a kind, built in or described by the cluster. */
export function describedType(object: KubeObject, typeOf: TypeOf | undefined): TypeNode | undefined {
  const gvk = gvkOf(object);
  return findType(gvk) ?? typeOf?.(gvk);
}

function missing({ apiVersion, kind, metadata }: KubeObject): never {
  throw new FairleadError(
    'InvalidSpec',
    `the cluster describes no ${kind} in ${apiVersion}, so ${metadata.name} cannot be compared as the server would merge it; install its definition, or leave out ServerSideApply and ServerSideDiff`,
  );
}

/** Without the records of a write: managedFields, the resource version and the last-applied annotation. */
export function withoutRecords(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata)) return object;
  const { managedFields: _fields, resourceVersion: _version, annotations, ...rest } = metadata;
  if (!isObject(annotations)) return { ...object, metadata: rest };
  const { [annotation.lastApplied]: _applied, ...others } = annotations;
  const isBare = Object.keys(others).length === 0 && _applied !== undefined;
  return { ...object, metadata: isBare ? rest : { ...rest, annotations: others } };
}

const fieldsOf = (object: KubeObject): JsonObject => object as unknown as JsonObject;
