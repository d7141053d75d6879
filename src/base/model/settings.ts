import type { OidcSettings } from './oidc-settings.ts';
import type { LabelSelector } from './selector.ts';

type TrackingMethod = 'annotation' | 'label' | 'annotation+label';

/** One entry of resource.exclusions or resource.inclusions; an empty list means any. */
export type ResourceFilter = {
  apiGroups: readonly string[];
  kinds: readonly string[];
  clusters: readonly string[];
};

export type IgnoreRule = {
  jsonPointers: readonly string[];
  jqPathExpressions: readonly string[];
  managedFieldsManagers: readonly string[];
};

/**
 * Everything configured for one kind. Its key is `group/Kind`, for core `Kind`, for every kind `*` twice with a slash
 * between; the group and the kind may be globs.
 */
export type ResourceOverride = {
  healthLua?: string;
  useOpenLibs?: boolean;
  /** The actions block as YAML text: discovery script, definitions. */
  actions?: string;
  ignoreDifferences?: IgnoreRule;
  ignoreResourceUpdates?: IgnoreRule;
  knownTypeFields?: readonly { field: string; type: string }[];
};

export type KustomizeVersion = { version: string; path?: string; buildOptions?: string };

export type DeepLink = { title: string; url: string; description?: string; iconClass?: string; if?: string };

export type Account = { name: string; enabled: boolean; capabilities: readonly ('apiKey' | 'login')[] };

/**
 * A mistake that a user should correct: which map and key, what is wrong, what to write instead. A value with
 * an error is not used, the last good value stays; a value with a warning is used, though not where or as in
 * Argo CD.
 */
export type SettingsProblem = {
  readonly severity: 'error' | 'warning';
  readonly configMap: 'argocd-cm' | 'argocd-cmd-params-cm';
  readonly key: string;
  readonly message: string;
};

/** A key that is set, and its value with the secrets hidden. */
export type GivenSetting = Pick<SettingsProblem, 'configMap' | 'key'> & { readonly value: string };

/** A key that is set and has no effect, and why. */
export type IgnoredSetting = Pick<SettingsProblem, 'configMap' | 'key' | 'message'>;

export const tlsVersions = ['1.0', '1.1', '1.2', '1.3'] as const;
export type TlsVersion = (typeof tlsVersions)[number];

/** Times are in milliseconds; 0 means off wherever it does in Argo CD. */
export type Settings = {
  readonly url: string;
  readonly additionalUrls: readonly string[];
  readonly tracking: {
    readonly method: TrackingMethod;
    readonly instanceLabelKey: string;
    readonly installationId: string;
  };
  readonly refresh: {
    readonly intervalMs: number;
    readonly jitterMs: number;
    readonly hardIntervalMs: number;
  };
  readonly applicationNamespaces: readonly string[];
  readonly application: {
    /** How a child Application counts for its parent's health (engine X-1). */
    readonly childHealth: 'off' | 'mirror' | 'strict';
    /** Whether a newer revision ends an automated sync that waits between attempts, or whenever it runs. */
    readonly supersede: 'off' | 'retrying' | 'running';
    /** Which findings of the doctor about its targets an application reports; `errors` includes warnings about Knative. */
    readonly warnings: 'errors' | 'warnings' | 'all';
  };
  readonly resources: {
    readonly exclusions: readonly ResourceFilter[];
    readonly inclusions: readonly ResourceFilter[];
    readonly overrides: Readonly<Record<string, ResourceOverride>>;
    readonly ignoreAggregatedRoles: boolean;
    readonly ignoreStatusField: 'all' | 'crd' | 'none';
    readonly ignoreDifferencesOnResourceUpdates: boolean;
    readonly ignoreResourceUpdatesEnabled: boolean;
    readonly respectRbac: '' | 'normal' | 'strict';
    readonly customLabels: readonly string[];
    readonly includeEventLabelKeys: readonly string[];
    readonly excludeEventLabelKeys: readonly string[];
    readonly sensitiveAnnotations: readonly string[];
  };
  readonly controller: {
    readonly statusProcessors: number;
    readonly operationProcessors: number;
    readonly hydrationProcessors: number;
    readonly repoTimeoutMs: number;
    readonly repoErrorGraceMs: number;
    readonly selfHealTimeoutMs: number;
    readonly selfHealBackoff: { readonly firstMs: number; readonly factor: number; readonly capMs: number };
    readonly syncTimeoutMs: number;
    readonly syncWaveDelayMs: number;
    readonly writeParallelism: number;
    readonly serverSideDiff: boolean;
    readonly jqTimeoutMs: number;
    readonly persistResourceHealth: boolean;
    readonly metricsApplicationLabels: readonly string[];
    readonly metricsApplicationConditions: readonly string[];
    readonly metricsClusterLabels: readonly string[];
    /** Also emit the metrics Argo CD dropped in 3.0. */
    readonly legacyMetrics: boolean;
  };
  readonly hydratorEnabled: boolean;
  readonly impersonation: { readonly enabled: boolean; readonly enforced: boolean };
  readonly inClusterEnabled: boolean;
  readonly globalProjects: readonly { readonly projectName: string; readonly labelSelector: LabelSelector }[];
  readonly render: {
    readonly kustomizeEnabled: boolean;
    readonly helmEnabled: boolean;
    readonly jsonnetEnabled: boolean;
    readonly kustomizeBuildOptions: string;
    readonly kustomizeVersions: readonly KustomizeVersion[];
    readonly helmValuesFileSchemes: readonly string[];
    readonly maxCombinedDirectoryManifestsSize: number;
    readonly allowOutOfBoundsSymlinks: boolean;
    /** Bytes of a chart and of an artifact when unpacked; 0: no limit of the installation. */
    readonly maxChartExtractedSize: number;
    readonly maxArtifactExtractedSize: number;
    readonly ociMediaTypes: readonly string[];
    readonly submodulesEnabled: boolean;
    readonly gitRequestTimeoutMs: number;
    readonly includeHiddenDirectories: boolean;
    readonly cacheMs: number;
    readonly parallelism: number;
  };
  readonly server: {
    readonly anonymousEnabled: boolean;
    readonly sessionMs: number;
    readonly passwordPattern: string;
    readonly adminEnabled: boolean;
    readonly accounts: readonly Account[];
    readonly dexConfig: string;
    readonly dexConnectorId: string;
    /** Undefined: there is no single sign-on. */
    readonly oidc: OidcSettings | undefined;
    readonly oidcInsecure: boolean;
    readonly execEnabled: boolean;
    readonly execShells: readonly string[];
    readonly maxPodLogs: number;
    readonly fineGrainedRbacInheritanceDisabled: boolean;
    readonly rollbackEnforced: boolean;
    readonly revisionSyncNeedsOverride: boolean;
    readonly replaceAllowed: boolean;
    readonly allowedNodeLabels: readonly string[];
    readonly contentTypes: readonly string[];
    readonly baseHref: string;
    readonly rootPath: string;
    readonly insecure: boolean;
    readonly tls: {
      readonly minVersion: TlsVersion;
      readonly maxVersion: TlsVersion;
      /** Names of Go's suites; none: the default. */
      readonly cipherSuites: readonly string[];
    };
    /** The value of X-Frame-Options; empty: any page may embed ours. */
    readonly frameOptions: string;
    /** Addresses and networks (CIDR) of proxies whose X-Forwarded headers are trusted. */
    readonly trustedProxies: readonly string[];
    /** Host headers that are served beside those of this machine and of `url`, while listening on loopback. */
    readonly allowedHosts: readonly string[];
    readonly authDisabled: boolean;
    /** An SSO subject called admin is the administrator, as upstream. */
    readonly legacyAdminSubject: boolean;
    /** Where records of requests go besides the log. */
    readonly auditSink: '' | 'file' | 'stdout';
    readonly statusBadgeEnabled: boolean;
    readonly statusBadgeUrl: string;
    /** Proxy extensions as YAML text, by name; '' is the common block. */
    readonly extensions: Readonly<Record<string, string>>;
    readonly webhook: { readonly maxBytes: number; readonly jitterMs: number; readonly threshold: number };
  };
  readonly links: {
    readonly application: readonly DeepLink[];
    readonly project: readonly DeepLink[];
    readonly resource: readonly DeepLink[];
  };
  readonly ui: {
    readonly cssUrl: string;
    readonly bannerContent: string;
    readonly bannerUrl: string;
    readonly bannerPermanent: boolean;
    readonly bannerPosition: string;
    readonly loginButtonText: string;
    readonly resourcesViewDisabled: boolean;
    readonly chatUrl: string;
    readonly chatText: string;
    readonly downloads: Readonly<Record<string, string>>;
    readonly analyticsId: string;
    readonly analyticsAnonymizeUsers: boolean;
  };
  readonly applicationSet: {
    readonly namespaces: readonly string[];
    readonly policy: '' | 'sync' | 'create-only' | 'create-update' | 'create-delete';
    readonly policyOverride: boolean;
    readonly concurrency: number;
    readonly dryRun: boolean;
    readonly progressiveSyncs: boolean;
    readonly scmProvidersEnabled: boolean;
    readonly allowedScmProviders: readonly string[];
    readonly newGitFileGlobbing: boolean;
    readonly tokenRefStrict: boolean;
    readonly requeueAfterMs: number;
    readonly preservedAnnotations: readonly string[];
    readonly preservedLabels: readonly string[];
    readonly maxResourcesStatusCount: number;
    readonly githubApiMetrics: boolean;
    readonly metricsLabels: readonly string[];
  };
  readonly notifications: { readonly processors: number; readonly selfService: boolean };
  readonly commitAuthor: { readonly name: string; readonly email: string };
  readonly problems: readonly SettingsProblem[];
  readonly ignored: readonly IgnoredSetting[];
  /** The keys that are set, with an effect or without one; everything else has its default. */
  readonly given: readonly GivenSetting[];
};
