import { finalizer, type KubeObject, type OperationState, type SyncPhase } from '#base/model';
import { annotate, hookRunAnnotation } from '../annotations.ts';
import { markOf } from './observe.ts';

/** One attempt of one operation: a retry runs its hooks again, so it is another run. */
export function hookRun({ startedAt, retryCount = 0 }: OperationState): string {
  return `${unixSeconds(startedAt)}-${retryCount}`;
}

/** The mark of the run and phase that made a hook; undefined: another program made it. */
export const runOfHook = ({ metadata }: KubeObject): string | undefined =>
  metadata.annotations?.[hookRunAnnotation];

/** Whether a hook was made by an operation that began in the same second, and would be taken for one of this operation. */
export function isHookOfSameSecond(hook: KubeObject, { startedAt }: OperationState): boolean {
  return runOfHook(hook)?.includes(`-${unixSeconds(startedAt)}-`) === true;
}

/** A hook that an operation of ours made and has not let go of yet (engine S-10). */
export function isHeldHook(hook: KubeObject): boolean {
  return runOfHook(hook) !== undefined && hook.metadata.finalizers?.includes(finalizer.hook) === true;
}

type Run = { readonly state: OperationState; readonly revision: string };

/**
 * A hook as it is applied: named, marked with its run, and with our finalizer until its result is recorded
 * (engine S-10).
 */
export function hookObject(hook: KubeObject, phase: SyncPhase, { state, revision }: Run): KubeObject {
  const marked = annotate(hook, hookRunAnnotation, markOf(hookRun(state), { phase }));
  const finalizers = marked.metadata.finalizers ?? [];
  return {
    ...marked,
    metadata: {
      ...marked.metadata,
      name: hook.metadata.name || generatedName(hook, phase, { state, revision }),
      finalizers: finalizers.includes(finalizer.hook) ? finalizers : [...finalizers, finalizer.hook],
    },
  };
}

/** compat engine S-11: the same within an operation, another for the next. */
function generatedName({ metadata }: KubeObject, phase: SyncPhase, { state, revision }: Run): string {
  const short = revision.length >= 8 ? revision.slice(0, 7) : revision;
  return `${metadata.generateName ?? ''}${`${short}-${phase}-${unixSeconds(state.startedAt)}`.toLowerCase()}`;
}

const unixSeconds = (time: string): number => Math.floor(Date.parse(time) / 1000);
