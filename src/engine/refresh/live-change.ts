import {
  type Application,
  annotation,
  groupOf,
  isApplication,
  isKind,
  type KubeObject,
  parseBool,
  type ResourceOverride,
  type Settings,
} from '#base/model';
import { equal, printJson, sha256 } from '#base/std';
import { type IgnoreRules, ignore, ignoredIn, ignoreRules } from '../diff/ignore.ts';
import { type HealthOptions, health } from '../health/health.ts';
import type { RefreshLevel } from './refresh.ts';
import { stockUpdateRules } from './stock-updates.ts';

export type UpdateSettings = Pick<
  Settings['resources'],
  'overrides' | 'ignoreStatusField' | 'ignoreDifferencesOnResourceUpdates' | 'ignoreResourceUpdatesEnabled'
>;

/**
 * The parts of an object whose changes do not count; made once per settings. Undefined: every change counts.
 */
export type UpdateRules = IgnoreRules | undefined;

/** compat engine R-13, R-15: the kinds' ignoreResourceUpdates, the stock ones where a kind has none, and the system's diff rules. */
export function updateRules(settings: UpdateSettings): UpdateRules {
  if (!settings.ignoreResourceUpdatesEnabled) return undefined;
  const updates = Object.entries({ ...stockUpdateRules, ...rulesIn(settings.overrides) });
  const own = ignoreRules(noApplication, {
    overrides: Object.fromEntries(updates.map(([key, rule]) => [key, { ignoreDifferences: rule }])),
    ignoreStatusField: 'none',
  });
  if (!settings.ignoreDifferencesOnResourceUpdates) return own;
  const differences = ignoreRules(noApplication, settings);
  return { ...own, rules: [...own.rules, ...differences.rules] };
}

function rulesIn(overrides: UpdateSettings['overrides']): typeof stockUpdateRules {
  const named = Object.entries(overrides).flatMap(([key, { ignoreResourceUpdates: rule }]) =>
    rule ? [[key, rule] as const] : [],
  );
  return Object.fromEntries(named) satisfies Record<
    string,
    NonNullable<ResourceOverride['ignoreDifferences']>
  >;
}

/** The system's rules only: an Application's own apply to its comparison, not to refresh triggers. */
const noApplication: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: '' },
  spec: { destination: {} },
};

export type ChangeOptions = {
  readonly rules: UpdateRules;
  readonly health?: HealthOptions;
  /** The object bears the mark of an Application. */
  readonly isTracked: boolean;
};

/**
 * compat engine: whether an update of a live object could change the comparison of its
 * Application.
 */
export function isSignificantChange(before: KubeObject, after: KubeObject, options: ChangeOptions): boolean {
  if (isKind(after, '', 'Endpoints')) return false;
  if (before.metadata.uid !== after.metadata.uid) return true;
  if (!options.rules || !isHashed(after, options.isTracked)) return true;
  const code = (object: KubeObject) => health(object, options.health)?.status;
  if (code(before) !== code(after)) return true;
  // both objects are available, so they are compared directly: the first difference ends the comparison
  return !equal(significant(before, options.rules), significant(after, options.rules));
}

/** compat engine R-14: of untracked objects, only those that opt in are hashed. */
function isHashed(object: KubeObject, isTracked: boolean): boolean {
  if (isTracked || isApplication(object)) return true;
  return parseBool(object.metadata.annotations?.[annotation.ignoreResourceUpdates]) === true;
}

/** compat engine R-13: a hash of the significant part of an object, for a caller that keeps only the hash. */
export function significantHash(object: KubeObject, rules: IgnoreRules): string {
  return sha256(printJson(sorted(significant(object, rules))));
}

function significant(object: KubeObject, rules: IgnoreRules): KubeObject {
  const {
    resourceVersion: _version,
    generation: _generation,
    managedFields: _fields,
    ...metadata
  } = object.metadata;
  return ignore({ ...object, metadata }, ignoredIn(object, rules));
}

/** The order of keys has no meaning, and a cluster guarantees none. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/**
 * compat engine R-4, vector 8: a change of a managed root compares again; for a change of an owned object
 * only the tree is rebuilt.
 */
export function levelFor(object: KubeObject, isTracked: boolean): RefreshLevel {
  return isTracked && !object.metadata.ownerReferences?.length ? 'recorded' : 'tree';
}

/**
 * compat engine R-16: a change of its own object does not trigger an Application that manages it: the refresh
 * would trigger itself forever.
 */
export function isOwnObject(app: Application, object: KubeObject): boolean {
  const { name, namespace } = app.metadata;
  return (
    groupOf(object) === 'argoproj.io' &&
    object.kind === 'Application' &&
    object.metadata.name === name &&
    object.metadata.namespace === namespace
  );
}
