import {
  type Application,
  annotation,
  cascadePolicy,
  finalizer,
  isApplication,
  type KubeObject,
  keyFrom,
  keyOf,
  optionValue,
  parseTime,
  type ResourceKey,
  syncOptionsOf,
  syncWaveOf,
} from '#base/model';
import { isOwnObject } from '../refresh/live-change.ts';
import { needsDeletionConfirmation } from '../sync/options.ts';
import { isDefinition } from '../tracking.ts';
import { cleanUpHooks, type DeletionStep, type HookContext, runHooks } from './hooks.ts';

/** The facts for deleting an Application. */
export type DeletionInput = HookContext & {
  readonly app: Application;
  /** Why the project refuses an object, or undefined when it does not. */
  readonly denies?: (object: KubeObject) => string | undefined;
};

type Stage = {
  readonly finalizers: readonly string[];
  readonly step: (input: DeletionInput) => DeletionStep;
};

const cascadeFinalizers = [finalizer.resources, finalizer.resourcesForeground, finalizer.resourcesBackground];

// compat engine A-30: one stage per pass, in this order; a stage is over when its finalizer is gone
const stages: readonly Stage[] = [
  { finalizers: [finalizer.preDelete], step: (input) => runHooks(input, 'PreDelete') },
  { finalizers: cascadeFinalizers, step: cascade },
  { finalizers: [finalizer.postDelete], step: (input) => runHooks(input, 'PostDelete') },
  { finalizers: [finalizer.preDeleteCleanup], step: (input) => cleanUpHooks(input, 'PreDelete') },
  { finalizers: [finalizer.postDeleteCleanup], step: (input) => cleanUpHooks(input, 'PostDelete') },
];

/**
 * compat engine A-30: the next step of deleting an Application. Pure and idempotent; every pass computes it
 * again.
 */
export function deletionStep(input: DeletionInput): DeletionStep {
  const held = input.app.metadata.finalizers ?? [];
  const stage = stages.find(({ finalizers }) => finalizers.some((name) => held.includes(name)));
  return stage?.step(input) ?? { do: 'nothing' };
}

/** Whether the stage that is due needs the manifests rendered: only the running of hooks does. */
export function deletionNeedsTargets({ metadata }: Application): boolean {
  const held = metadata.finalizers ?? [];
  const stage = stages.find(({ finalizers }) => finalizers.some((name) => held.includes(name)));
  return (
    stage?.finalizers.includes(finalizer.preDelete) ||
    stage?.finalizers.includes(finalizer.postDelete) ||
    false
  );
}

/**
 * compat engine A-34: when its cluster is gone, the controller removes its own finalizers and deletes nothing
 * in the cluster.
 */
export function abandon({ metadata }: Application): DeletionStep {
  const ours = new Set(stages.flatMap(({ finalizers }) => finalizers));
  const finalizers = (metadata.finalizers ?? []).filter((name) => ours.has(name));
  if (finalizers.length === 0) return { do: 'nothing' };
  return { do: 'release', finalizers, message: 'its cluster is not known, so nothing in it is cleaned up' };
}

/**
 * compat engine A-31 … A-33: deletes the managed objects, the highest wave first; a wave waits until the one
 * above it is gone.
 */
function cascade(input: DeletionInput): DeletionStep {
  const { app, live } = input;
  const propagation = cascadePolicy(app) ?? 'foreground';
  const permitted = live.filter((object) => !input.denies?.(object));
  const doomed = permitted.filter((object) => isDeletable(app, object));
  if (doomed.length === 0) {
    const left = live.filter((object) => !permitted.includes(object) && isDeletable(app, object));
    const released = { do: 'release', finalizers: cascadeFinalizers } as const;
    if (left.length === 0) return { ...released, message: 'everything it managed is gone' };
    return { ...released, left, message: `${named(left)} stays: the project does not permit it` };
  }
  const leaving = permitted.filter(({ metadata }) => metadata.deletionTimestamp);
  if (leaving.length > 0)
    return { do: 'wait', for: leaving, why: `waiting for ${named(leaving)} to be gone` };
  const unconfirmed = needingConfirmation(app, doomed);
  if (unconfirmed.length > 0) {
    const why = `waiting for the deletion of ${named(unconfirmed)} to be confirmed: set the annotation ${annotation.deletionApproved}`;
    return { do: 'wait', for: unconfirmed, why, needsConsent: true };
  }
  const wave = doomed.reduce((most, object) => Math.max(most, syncWaveOf(object)), Number.NEGATIVE_INFINITY);
  const objects = doomed.filter((object) => syncWaveOf(object) === wave);
  return { do: 'delete', objects, propagation, message: `deleting wave ${wave}: ${named(objects)}` };
}

/**
 * compat engine A-31: a cascade leaves definitions, the Application itself and objects that opt out of
 * deletion; it ignores live objects that the Application does not manage.
 */
function isDeletable(app: Application, object: KubeObject): boolean {
  if (isDefinition(object) || (isApplication(object) && isOwnObject(app, object))) return false;
  if (object.metadata.ownerReferences?.length) return false;
  if (object.metadata.annotations?.[annotation.helmResourcePolicy] === 'keep') return false;
  const wish =
    optionValue(syncOptionsOf(object), 'Delete') ?? optionValue(app.spec.syncPolicy?.syncOptions, 'Delete');
  return wish !== 'false';
}

/**
 * compat engine A-33: one object that requires a confirmation blocks the cascade until the user approves
 * after the deletion timestamp.
 */
function needingConfirmation(app: Application, doomed: readonly KubeObject[]): readonly KubeObject[] {
  const { metadata, spec, status } = app;
  const approved = parseTime(metadata.annotations?.[annotation.deletionApproved]);
  if (approved !== undefined && approved >= (parseTime(metadata.deletionTimestamp) ?? 0)) return [];
  const rows = new Map<ResourceKey, boolean>(
    (status?.resources ?? []).map((row) => [
      keyFrom({ ...row, group: row.group ?? '' }),
      row.requiresDeletionConfirmation === true,
    ]),
  );
  const options = spec.syncPolicy?.syncOptions ?? [];
  return doomed.filter((object) => rows.get(keyOf(object)) ?? needsDeletionConfirmation(object, options));
}

function named(objects: readonly KubeObject[]): string {
  const [first] = objects;
  if (!first) return 'nothing';
  const { kind, metadata } = first;
  const name = metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;
  return objects.length > 1 ? `${kind} ${name} and ${objects.length - 1} more` : `${kind} ${name}`;
}
