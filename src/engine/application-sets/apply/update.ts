import { type Application, type ApplicationSet, annotation, finalizer, sameDestination } from '#base/model';
import { FairleadError, isObject, type JsonObject } from '#base/std';
import { createMergePatch } from '#kubernetes/patch';
import { compileDeletion } from '../../diff/jq.ts';
import { parsePointer, without } from '../../diff/pointer.ts';
import { normalizeSpec } from '../../normalize-spec.ts';
import { ownedReferences } from './ownership.ts';
import type { SetSettings } from './policy.ts';

type IgnoreInApplication = {
  /** Empty: all applications of the set. */
  readonly name: string;
  readonly remove: (app: Application) => Application;
};

/** What an update leaves as it is, read once for each generation of a set. */
export type SetUpdateRules = {
  readonly set: ApplicationSet;
  readonly annotations: readonly string[];
  readonly labels: readonly string[];
  readonly ignored: readonly IgnoreInApplication[];
};

/** compat sources ASA-5: what others write on a generated application. */
const builtinAnnotations = ['notified.notifications.argoproj.io', annotation.refresh, annotation.hydrate];

/** compat sources ASA-5, ASA-7. Throws InvalidSpec for an expression that cannot be read. */
export function setUpdateRules(set: ApplicationSet, settings: SetSettings): SetUpdateRules {
  const { preservedFields = {} } = set.spec;
  return {
    set,
    annotations: [
      ...builtinAnnotations,
      ...settings.preservedAnnotations,
      ...(preservedFields.annotations ?? []),
    ],
    labels: [...settings.preservedLabels, ...(preservedFields.labels ?? [])],
    ignored: ignoredIn(set.spec),
  };
}

/** Throws InvalidSpec for a pointer or an expression that cannot be read. */
export function ignoredIn({
  ignoreApplicationDifferences = [],
}: ApplicationSet['spec']): IgnoreInApplication[] {
  return ignoreApplicationDifferences.map(({ name = '', jsonPointers = [], jqPathExpressions = [] }) => ({
    name,
    remove: removing([...jsonPointers.map(pointerRemoval), ...jqPathExpressions.map(jqRemoval)]),
  }));
}

type Removal = (app: Application) => Application;

const removing =
  (removals: readonly Removal[]): Removal =>
  (app) =>
    removals.reduce((rest, remove) => remove(rest), app);

function pointerRemoval(text: string): Removal {
  const path = parsePointer(text);
  if (path === undefined || path.length === 0) {
    throw new FairleadError(
      'InvalidSpec',
      `ignoreApplicationDifferences: "${text}" is no JSON pointer; it begins with /, for instance /spec/source/targetRevision`,
    );
  }
  return (app) => without(app, path);
}

/** compat sources ASA-7: an expression can change neither the identity nor the operation. */
function jqRemoval(expression: string): Removal {
  const remove = compileDeletion(expression, {});
  return (app) => {
    const { operation: _removed, ...rest } = remove(app) as Application;
    const { name, namespace } = app.metadata;
    const metadata = isObject(rest.metadata) ? rest.metadata : {};
    return {
      ...rest,
      metadata: { ...metadata, name, ...(namespace ? { namespace } : {}) },
      ...(app.operation ? { operation: app.operation } : {}),
    };
  };
}

type Comparable = { readonly metadata: JsonObject; readonly spec: JsonObject };

const compared = new WeakMap<
  Application,
  { readonly target: Application; readonly rules: SetUpdateRules; readonly patch: JsonObject | undefined }
>();

/**
 * compat sources ASA-5 … ASA-7: the merge patch that makes a live application what the set generated, with the preserved
 * fields and without the ignored ones; undefined: nothing is to be written. The same three objects give the same answer
 * without another comparison.
 */
export function updatePatch(
  live: Application,
  target: Application,
  rules: SetUpdateRules,
): JsonObject | undefined {
  const known = compared.get(live);
  if (known?.target === target && known.rules === rules) return known.patch;
  const patch = difference(live, target, rules);
  compared.set(live, { target, rules, patch });
  return patch;
}

function difference(live: Application, target: Application, rules: SetUpdateRules): JsonObject | undefined {
  const stripped = (app: Application): Application =>
    normalizeSpec(withoutIgnored(normalizeSpec(app), rules));
  const next = stripped(preserving(live, target, rules));
  const before = stripped(live);
  const patch = createMergePatch(comparable(before), comparable(keepDestination(next, before))) as JsonObject;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function withoutIgnored(app: Application, { ignored }: SetUpdateRules): Application {
  return ignored
    .filter(({ name }) => name === '' || name === app.metadata.name)
    .reduce((rest, { remove }) => remove(rest), app);
}

/** compat sources ASA-7: destinations are compared by what they mean. */
function keepDestination(next: Application, before: Application): Application {
  const { destination } = before.spec;
  if (!destination || !next.spec.destination || !sameDestination(destination, next.spec.destination))
    return next;
  return { ...next, spec: { ...next.spec, destination } };
}

/** Only what a set writes; empty maps and lists are as good as none. */
function comparable({ metadata, spec }: Application): Comparable {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  return {
    metadata: {
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ...(finalizers.length > 0 ? { finalizers } : {}),
      ...(ownerReferences.length > 0 ? { ownerReferences } : {}),
    },
    spec: spec as unknown as JsonObject,
  };
}

function preserving(live: Application, target: Application, rules: SetUpdateRules): Application {
  const { labels, annotations, finalizers = [] } = target.metadata;
  const kept = (live.metadata.finalizers ?? []).filter(
    (name) =>
      !finalizers.includes(name) &&
      (name.startsWith(finalizer.preDelete) || name.startsWith(finalizer.postDelete)),
  );
  return {
    ...target,
    metadata: {
      ...target.metadata,
      labels: { ...labels, ...liveValues(live.metadata.labels, rules.labels) },
      annotations: { ...annotations, ...liveValues(live.metadata.annotations, rules.annotations) },
      finalizers: [...finalizers, ...kept],
      ownerReferences: [...ownedReferences(live.metadata.ownerReferences, rules.set)],
    },
  };
}

/** Preservation never creates a key that is not live. */
function liveValues(
  live: Readonly<Record<string, string>> | undefined,
  names: readonly string[],
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of names) {
    const value = live && Object.hasOwn(live, name) ? live[name] : undefined;
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
