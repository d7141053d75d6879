import { annotation, annotationList, type HookType, type KubeObject, type SyncPhase } from '#base/model';

export type DeletePolicy = 'BeforeHookCreation' | 'HookSucceeded' | 'HookFailed';

const hookTypes: ReadonlySet<string> = new Set<HookType>([
  'PreSync',
  'Sync',
  'PostSync',
  'SyncFail',
  'Skip',
  'PreDelete',
  'PostDelete',
]);
const fromHelm: Readonly<Record<string, HookType>> = {
  'pre-install': 'PreSync',
  'pre-upgrade': 'PreSync',
  'post-install': 'PostSync',
  'post-upgrade': 'PostSync',
  'pre-delete': 'PreDelete',
  'post-delete': 'PostDelete',
};
const policies: Readonly<Record<string, DeletePolicy>> = {
  BeforeHookCreation: 'BeforeHookCreation',
  HookSucceeded: 'HookSucceeded',
  HookFailed: 'HookFailed',
  'before-hook-creation': 'BeforeHookCreation',
  'hook-succeeded': 'HookSucceeded',
  'hook-failed': 'HookFailed',
};

const none: readonly HookType[] = [];

/** compat engine S-7, S-8: the recognised values; Helm's are read only when there is none of Argo CD's. */
export function hookTypesOf(object: KubeObject): readonly HookType[] {
  const held = object.metadata.annotations;
  if (held?.[annotation.hook] === undefined && held?.[annotation.helmHook] === undefined) return none;
  const own = annotationList(object, annotation.hook).filter((value) => hookTypes.has(value)) as HookType[];
  const helm = annotationList(object, annotation.helmHook).flatMap((value) => {
    const type = Object.hasOwn(fromHelm, value) ? fromHelm[value] : undefined;
    return type && (own.length === 0 || isDeletion(type)) ? [type] : [];
  });
  return [...new Set([...own, ...helm])];
}

const isDeletion = (type: HookType): boolean => type === 'PreDelete' || type === 'PostDelete';

/** compat engine S-7: `Skip` counts only when it is alone. Such an object is neither applied nor compared. */
export function isSkipped(object: KubeObject): boolean {
  const types = hookTypesOf(object);
  return types.length === 1 && types[0] === 'Skip';
}

/** Carries a hook annotation that makes it something other than a plain resource, recognised or not. */
export function isHook(object: KubeObject): boolean {
  const own = object.metadata.annotations?.[annotation.hook];
  if (own !== undefined) return !isSkipped(object);
  const helm = object.metadata.annotations?.[annotation.helmHook];
  // compat engine S-8: Helm 2 marked CRDs as hooks, which they are not
  return helm !== undefined && helm !== 'crd-install';
}

/** compat engine S-7: a hook whose annotation has no known value never runs. */
export function isIgnoredHook(object: KubeObject): boolean {
  return isHook(object) && hookTypesOf(object).length === 0;
}

/** Runs when the Application is deleted, and at no phase of a sync. */
export function isDeleteHook(object: KubeObject): boolean {
  return hookTypesOf(object).some(isDeletion) && phasesOf(object).length === 0;
}

const phases: readonly SyncPhase[] = ['PreSync', 'Sync', 'PostSync', 'SyncFail'];

/** The phases of a sync an object takes part in: one task for each. */
export function phasesOf(object: KubeObject): readonly SyncPhase[] {
  if (isSkipped(object)) return [];
  if (!isHook(object)) return ['Sync'];
  const types: readonly string[] = hookTypesOf(object);
  return phases.filter((phase) => types.includes(phase));
}

/** compat engine S-9: BeforeHookCreation is the default when no policy is recognised. */
export function deletePoliciesOf(object: KubeObject): readonly DeletePolicy[] {
  const found = explicitDeletePoliciesOf(object);
  return found.length > 0 ? found : ['BeforeHookCreation'];
}

/** The hook's own policies, without the default. */
export function explicitDeletePoliciesOf(object: KubeObject): readonly DeletePolicy[] {
  const values = [
    ...annotationList(object, annotation.hookDeletePolicy),
    ...annotationList(object, annotation.helmHookDeletePolicy),
  ];
  return [
    ...new Set(values.flatMap((value) => (Object.hasOwn(policies, value) ? (policies[value] ?? []) : []))),
  ];
}
