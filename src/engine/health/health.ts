import { argoGroup, finalizer, type Health, isApplication, isKind, type KubeObject } from '#base/model';
import { FairleadError } from '#base/std';
import { applicationHealth, type ChildOptions } from './application.ts';
import { applicationSetHealth } from './application-set.ts';
import { shippedCheck } from './catalogue.ts';
import { explained, type PodsOf } from './explain.ts';
import { progressing, unknown } from './verdict.ts';

/** A health, and whether the check itself broke down (engine H-3), which the Application reports as ComparisonError. */
export type Assessment = { readonly health?: Health; readonly error?: string };

export type HealthOptions = {
  readonly child?: ChildOptions;
  /**
   * The result of the user's own script for this object, run beforehand; undefined: none is configured for
   * its kind.
   */
  readonly scripted?: (object: KubeObject) => Assessment | undefined;
  /** Where the Pods of an object are known, its message names why one of them does not run. */
  readonly podsOf?: PodsOf;
};

/** The health of one live object; undefined for a kind that has no notion of it (a ConfigMap, say). */
export function health(object: KubeObject, options: HealthOptions = {}): Health | undefined {
  return assess(object, options).health;
}

/** Like health(), and distinguishes a failed check from an unhealthy object. */
export function assess(object: KubeObject, options: HealthOptions = {}): Assessment {
  if (isLeaving(object)) return { health: progressing('it is being deleted') };
  // compat engine H-2, X-1: a configured script comes before every check of ours, also that of a child Application
  const scripted = options.scripted?.(object);
  if (scripted) return scripted;
  try {
    const found = judge(object, options);
    return found ? { health: explained(object, found, options.podsOf) } : {};
  } catch (thrown) {
    const { message } = FairleadError.from(thrown);
    return { health: unknown(message), error: message };
  }
}

/**
 * compat engine S-10: a hook that only our finalizer keeps is still judged, because its result has yet to be
 * read.
 */
function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && !metadata.finalizers?.includes(finalizer.hook);
}

function judge(object: KubeObject, options: HealthOptions): Health | undefined {
  // compat engine H-20, X-1: the health of our own two kinds is a setting
  if (isApplication(object)) return applicationHealth(object, options.child ?? { mode: 'off' });
  if (isKind(object, argoGroup, 'ApplicationSet')) return applicationSetHealth(object, options.child);
  return shippedCheck(object)?.(object);
}
