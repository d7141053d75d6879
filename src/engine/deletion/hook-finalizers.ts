import { finalizer, isApplication, type KubeObject } from '#base/model';

/** Those that a look writes onto an Application with hooks for its deletion. Nobody writes them in Git. */
const ours: readonly string[] = [
  finalizer.preDelete,
  finalizer.preDeleteCleanup,
  finalizer.postDelete,
  finalizer.postDeleteCleanup,
];

/**
 * dev A-28: an Application that another manages keeps the finalizers of its own delete hooks, whatever list of finalizers Git
 * has for it: without them its hooks would never run. In Argo CD the parent takes them away again and again.
 */
export function keepHookFinalizers(target: KubeObject, live: KubeObject): KubeObject {
  const { finalizers } = target.metadata;
  if (!isApplication(target) || finalizers === undefined) return target;
  const kept = hookFinalizersOf(live).filter((name) => !finalizers.includes(name));
  if (kept.length === 0) return target;
  return { ...target, metadata: { ...target.metadata, finalizers: [...finalizers, ...kept] } };
}

/** The finalizers of delete hooks that an Application has. */
export function hookFinalizersOf({ metadata }: KubeObject): readonly string[] {
  return (metadata.finalizers ?? []).filter((name) => ours.includes(name));
}
