import { type Application, type ApplicationSet, compareBytes, finalizer, parseTime } from '#base/model';
import { hasReverseDeletion, stepOf } from '../rollout/steps.ts';
import { isOwnedBySet } from './ownership.ts';
import { rightsOf, type SetSettings } from './policy.ts';

/** The next thing to do for a set that is being deleted. */
type SetDeletionStep =
  /** compat sources ASA-10: without owners the garbage collector leaves the applications alone. */
  | { readonly do: 'release'; readonly applications: readonly Application[] }
  | { readonly do: 'delete'; readonly application: Application }
  | { readonly do: 'wait'; readonly ms: number; readonly message: string }
  /** It has been ending for too long: read it from the API server. Where it is still there the pass fails, else it continues. */
  | { readonly do: 'verify'; readonly application: Application; readonly message: string }
  | { readonly do: 'remove finalizer' }
  /** The set has no finalizer of ours: the garbage collector deletes its applications. */
  | { readonly do: 'nothing' };

const waitMs = 10_000;
const verifyAfterMs = 120_000;

/** dev sources DEV-24, compat sources ASY-11: whether the controller must see the end of the set. */
export function wantsSetFinalizer(set: ApplicationSet, settings: SetSettings): boolean {
  return !rightsOf(set, settings).delete || hasReverseDeletion(set, settings);
}

/** compat sources ASA-10, ASY-11, ASY-12: one step at a time; safe to repeat after any crash. */
export function setDeletionStep(
  set: ApplicationSet,
  {
    live,
    settings,
    now,
  }: { readonly live: readonly Application[]; readonly settings: SetSettings; readonly now: Date },
): SetDeletionStep {
  if (!set.metadata.finalizers?.includes(finalizer.resources)) return { do: 'nothing' };
  const owned = live.filter((app) => isOwnedBySet(app, set));
  if (!rightsOf(set, settings).delete) {
    return owned.length > 0 ? { do: 'release', applications: owned } : { do: 'remove finalizer' };
  }
  return hasReverseDeletion(set, settings) ? reverseStep(set, owned, now) : { do: 'remove finalizer' };
}

/** compat sources ASY-11: the last step first, one application at a time; those in no step are left to the collector. */
function reverseStep(set: ApplicationSet, owned: readonly Application[], now: Date): SetDeletionStep {
  const steps = set.spec.strategy?.rollingSync?.steps ?? [];
  const [next] = owned
    .map((app) => ({ app, step: stepOf(app, steps) }))
    .filter(({ step }) => step > 0)
    .sort((a, b) => b.step - a.step || compareBytes(a.app.metadata.name, b.app.metadata.name));
  if (!next) return { do: 'remove finalizer' };
  const { app, step } = next;
  const since = app.metadata.deletionTimestamp;
  if (since === undefined) return { do: 'delete', application: app };
  const message = `waiting for application ${app.metadata.name} of step ${step} to be deleted, since ${since}`;
  const endingMs = now.getTime() - (parseTime(since) ?? now.getTime());
  return endingMs > verifyAfterMs
    ? { do: 'verify', application: app, message }
    : { do: 'wait', ms: waitMs, message };
}
