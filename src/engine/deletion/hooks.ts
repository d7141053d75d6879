import {
  type Application,
  finalizer,
  type Health,
  type HookType,
  type KubeObject,
  keyOf,
  parseTime,
  type ResourceKey,
} from '#base/model';
import { assess, type HealthOptions } from '../health/health.ts';
import { isWorse } from '../health/verdict.ts';
import { explicitDeletePoliciesOf, hookTypesOf } from '../sync/hooks.ts';

/**
 * The one next thing to do for an Application that is being deleted. `release` takes finalizers off it; when none of ours
 * is left there is nothing to do.
 */
export type DeletionStep =
  | { readonly do: 'create-hooks'; readonly hooks: readonly KubeObject[]; readonly message: string }
  | {
      readonly do: 'delete';
      readonly objects: readonly KubeObject[];
      readonly propagation: 'foreground' | 'background';
      readonly message: string;
      /** A hook failed: the controller reports DeletionError and retries in the next pass (engine A-35). */
      readonly error?: string;
    }
  | {
      readonly do: 'wait';
      readonly for: readonly KubeObject[];
      readonly why: string;
      /** Only a person can end it (engine A-33). */
      readonly needsConsent?: true;
    }
  | {
      readonly do: 'release';
      readonly finalizers: readonly string[];
      readonly message: string;
      /** Objects that stay because the project no longer permits them (engine A-31). */
      readonly left?: readonly KubeObject[];
    }
  | { readonly do: 'nothing' };

type DeleteHookType = 'PreDelete' | 'PostDelete';

export type HookContext = {
  readonly app: Application;
  /** compat engine A-35: rendered afresh from the current target revision, placed and marked; empty where no hooks are due. */
  readonly targets: readonly KubeObject[];
  /**
   * The live objects that carry the Application's tracking mark and have no owner, and the live objects at
   * the targets' keys.
   */
  readonly live: readonly KubeObject[];
  readonly health?: HealthOptions;
};

/** compat engine A-28: the finalizers an Application should have for the delete hooks among its targets; the same list: no change. */
export function finalizersFor(app: Application, targets: readonly KubeObject[]): readonly string[] {
  const held = app.metadata.finalizers ?? [];
  if (app.metadata.deletionTimestamp) return held;
  const wanted = new Map([
    ...pair('PreDelete', targets, [finalizer.preDelete, finalizer.preDeleteCleanup]),
    ...pair('PostDelete', targets, [finalizer.postDelete, finalizer.postDeleteCleanup]),
  ]);
  const kept = held.filter((name) => wanted.get(name) ?? true);
  const added = [...wanted].flatMap(([name, isWanted]) => (isWanted && !held.includes(name) ? [name] : []));
  return kept.length === held.length && added.length === 0 ? held : [...kept, ...added];
}

function pair(
  type: DeleteHookType,
  targets: readonly KubeObject[],
  names: readonly string[],
): [string, boolean][] {
  const isWanted = targets.some((object) => isOfType(object, type));
  return names.map((name) => [name, isWanted]);
}

const isOfType = (object: KubeObject, type: HookType): boolean => hookTypesOf(object).includes(type);

/**
 * compat engine A-35: creates missing hooks and waits for running ones; deletes, reports and creates again a
 * failed hook.
 */
export function runHooks(input: HookContext, type: DeleteHookType): DeletionStep {
  const targets = input.targets
    .filter((object) => isOfType(object, type))
    .map((object) => named(object, type, input.app));
  const present = new Set<ResourceKey>(input.live.map(keyOf));
  const missing = targets.filter((object) => !present.has(keyOf(object)));
  const kind = `${type} hook`;
  if (missing.length > 0) {
    return { do: 'create-hooks', hooks: missing, message: `creating ${listed(kind, missing)}` };
  }
  const hooks = input.live.filter((object) => isOfType(object, type));
  const judged = hooks.map((object) => ({ object, health: healthOf(object, input.health) }));
  const failed = judged.filter(({ health }) => health.status === 'Degraded');
  if (failed.length > 0) {
    const objects = failed.map(({ object }) => object);
    const reasons = failed.map(
      ({ object, health }) => `${nameOf(object)}: ${health.message ?? health.status}`,
    );
    const error = `${kind} failed, and is run again: ${reasons.join('; ')}`;
    return {
      do: 'delete',
      objects,
      propagation: 'background',
      message: `deleting failed ${listed(kind, objects)}`,
      error,
    };
  }
  const running = judged.filter(({ health }) => health.status === 'Progressing').map(({ object }) => object);
  if (running.length > 0) {
    return { do: 'wait', for: running, why: `waiting for ${listed(kind, running)} to complete` };
  }
  const done = type === 'PreDelete' ? finalizer.preDelete : finalizer.postDelete;
  return { do: 'release', finalizers: [done], message: `${kind}s are through` };
}

/**
 * Deletes the hooks whose delete policy matches their result.
 * dev engine A-36: also deletes hooks without a policy, as Argo CD's own documentation says; Argo CD leaves
 * them behind.
 */
export function cleanUpHooks(input: HookContext, type: DeleteHookType): DeletionStep {
  const hooks = input.live.filter((object) => isOfType(object, type));
  const worst = hooks.reduce<Health['status']>((code, object) => {
    const { status } = healthOf(object, input.health);
    return isWorse(status, code) ? status : code;
  }, 'Healthy');
  const doomed = hooks.filter((object) => goes(object, worst));
  const standing = doomed.filter(({ metadata }) => !metadata.deletionTimestamp);
  const kind = `${type} hook`;
  if (standing.length > 0) {
    return {
      do: 'delete',
      objects: standing,
      propagation: 'background',
      message: `deleting ${listed(kind, standing)}`,
    };
  }
  if (doomed.length > 0)
    return { do: 'wait', for: doomed, why: `waiting for ${listed(kind, doomed)} to be gone` };
  const done = type === 'PreDelete' ? finalizer.preDeleteCleanup : finalizer.postDeleteCleanup;
  return { do: 'release', finalizers: [done], message: `${kind}s are cleaned up` };
}

function goes(object: KubeObject, worst: Health['status']): boolean {
  const policies = explicitDeletePoliciesOf(object);
  if (policies.length === 0) return true;
  if (worst === 'Degraded') return policies.includes('HookFailed');
  return worst === 'Healthy' && policies.includes('HookSucceeded');
}

/** compat engine A-35: a kind that has no health is through as soon as it is there. */
function healthOf(object: KubeObject, options: HealthOptions | undefined): Health {
  return assess(object, options).health ?? { status: 'Healthy' };
}

/** A hook without a name gets one that is the same in every pass of this deletion. */
function named(object: KubeObject, type: DeleteHookType, { metadata }: Application): KubeObject {
  if (object.metadata.name) return object;
  const began = Math.floor((parseTime(metadata.deletionTimestamp) ?? 0) / 1000);
  const name = `${object.metadata.generateName ?? ''}${type.toLowerCase()}-${began}`;
  return { ...object, metadata: { ...object.metadata, name } };
}

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

function listed(kind: string, objects: readonly KubeObject[]): string {
  const [first] = objects;
  const more = objects.length > 1 ? ` and ${objects.length - 1} more` : '';
  return `${kind} ${first ? nameOf(first) : ''}${more}`;
}
