import type { KubeObject } from './kube-object.ts';

const argo = 'argocd.argoproj.io';

/** Every annotation the engine reads or writes (engine.md 1.12). */
export const annotation = {
  refresh: `${argo}/refresh`,
  refreshTimestamp: `${argo}/refresh-timestamp`,
  hydrate: `${argo}/hydrate`,
  hydrateTimestamp: `${argo}/hydrate-timestamp`,
  skipReconcile: `${argo}/skip-reconcile`,
  manifestGeneratePaths: `${argo}/manifest-generate-paths`,
  compareOptions: `${argo}/compare-options`,
  syncOptions: `${argo}/sync-options`,
  syncWave: `${argo}/sync-wave`,
  hook: `${argo}/hook`,
  hookDeletePolicy: `${argo}/hook-delete-policy`,
  trackingId: `${argo}/tracking-id`,
  installationId: `${argo}/installation-id`,
  deletionApproved: `${argo}/deletion-approved`,
  clientSideApplyMigrationManager: `${argo}/client-side-apply-migration-manager`,
  ignoreHealthCheck: `${argo}/ignore-healthcheck`,
  ignoreRestartPolicy: `${argo}/ignore-restart-policy`,
  ignoreResourceUpdates: `${argo}/ignore-resource-updates`,
  ignoreDefaultLinks: `${argo}/ignore-default-links`,
  linkPrefix: `link.${argo}/`,
  managedByUrl: `${argo}/managed-by-url`,
  applicationSetRefresh: `${argo}/application-set-refresh`,
  /** The share of a set's applications that one pass may delete, in percent (sources ASN-5). */
  maxDeletePercent: 'fairlead.io/max-delete-percent',
  managedBy: 'managed-by',
  lastApplied: 'kubectl.kubernetes.io/last-applied-configuration',
  helmHook: 'helm.sh/hook',
  helmHookWeight: 'helm.sh/hook-weight',
  helmHookDeletePolicy: 'helm.sh/hook-delete-policy',
  helmResourcePolicy: 'helm.sh/resource-policy',
} as const;

/** The labels we read or write. The instance label is only the default; settings may name another. */
export const label = {
  instance: 'app.kubernetes.io/instance',
  partOf: 'app.kubernetes.io/part-of',
  secretType: `${argo}/secret-type`,
  autoLabelClusterInfo: `${argo}/auto-label-cluster-info`,
  kubernetesVersion: `${argo}/kubernetes-version`,
} as const;

/** compat engine A-28, S-10. */
export const finalizer = {
  resources: `resources-finalizer.${argo}`,
  resourcesForeground: `resources-finalizer.${argo}/foreground`,
  resourcesBackground: `resources-finalizer.${argo}/background`,
  preDelete: `pre-delete-finalizer.${argo}`,
  preDeleteCleanup: `pre-delete-finalizer.${argo}/cleanup`,
  postDelete: `post-delete-finalizer.${argo}`,
  postDeleteCleanup: `post-delete-finalizer.${argo}/cleanup`,
  hook: `${argo}/hook-finalizer`,
} as const;

/** How the controller deletes managed objects with their Application; undefined: they stay (engine A-29). */
export function cascadePolicy({ metadata }: KubeObject): 'foreground' | 'background' | undefined {
  const first = metadata.finalizers?.find((name) => Object.hasOwn(policies, name));
  return first === undefined ? undefined : policies[first];
}
const policies: Readonly<Record<string, 'foreground' | 'background'>> = {
  [finalizer.resources]: 'foreground',
  [finalizer.resourcesForeground]: 'foreground',
  [finalizer.resourcesBackground]: 'background',
};

const none: readonly string[] = [];

/** compat engine A-27: split on commas, trimmed, empties dropped, each once, in order. */
export function commaList(text: string | undefined): readonly string[] {
  if (!text) return none;
  return [
    ...new Set(
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    ),
  ];
}

/** The items of a comma-list annotation; none when it is absent. */
export function annotationList(object: KubeObject, key: string): readonly string[] {
  return commaList(object.metadata.annotations?.[key]);
}

/** compat engine A-27: exact, case-sensitive text. */
export function hasOption(options: readonly string[] | undefined, option: string): boolean {
  return options?.includes(option) ?? false;
}

/** The value of the first `key=value` option with this key; undefined when there is none. */
export function optionValue(options: readonly string[] | undefined, key: string): string | undefined {
  if (!options) return undefined;
  for (const option of options) {
    if (option.startsWith(key) && option[key.length] === '=') return option.slice(key.length + 1);
  }
  return undefined;
}

/** The options on the resource itself; on the Application they are in `spec.syncPolicy.syncOptions`. */
export const syncOptionsOf = (object: KubeObject): readonly string[] =>
  annotationList(object, annotation.syncOptions);

/** A boolean text as Go reads it; undefined when it is not one. */
export function parseBool(text: string | undefined): boolean | undefined {
  if (text !== undefined && /^(?:1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (text !== undefined && /^(?:0|f|F|false|FALSE|False)$/.test(text)) return false;
  return undefined;
}

/** The refresh that the annotation requests. compat: anything but `hard` is a normal refresh. */
export function refreshRequest(app: KubeObject): 'normal' | 'hard' | undefined {
  return requestOf(app, annotation.refresh);
}

/** The lasting annotations: all but those that request a single refresh. */
export function standingAnnotations({
  metadata,
}: Pick<KubeObject, 'metadata'>): Readonly<Record<string, string>> {
  const {
    [annotation.refresh]: _level,
    [annotation.refreshTimestamp]: _at,
    ...rest
  } = metadata.annotations ?? {};
  return rest;
}

/** The hydration that the annotation requests. */
export function hydrateRequest(app: KubeObject): 'normal' | 'hard' | undefined {
  return requestOf(app, annotation.hydrate);
}

function requestOf({ metadata }: KubeObject, key: string): 'normal' | 'hard' | undefined {
  const text = metadata.annotations?.[key];
  if (text === undefined) return undefined;
  return text === 'hard' ? 'hard' : 'normal';
}

/** Frozen: no queue accepts it. Text that is no boolean does not freeze. */
export function skipsReconcile({ metadata }: KubeObject): boolean {
  return parseBool(metadata.annotations?.[annotation.skipReconcile]) ?? false;
}

/** compat engine S-14: the sync wave, else Helm's hook weight, even on an object that is no hook, else 0. */
export function syncWaveOf({ metadata }: KubeObject): number {
  const { annotations } = metadata;
  return (
    integer(annotations?.[annotation.syncWave]) ?? integer(annotations?.[annotation.helmHookWeight]) ?? 0
  );
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^[-+]?[0-9]+$/.test(text) ? Number(text) : undefined;
}
