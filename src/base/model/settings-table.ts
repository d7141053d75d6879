import type { SettingsProblem } from './settings.ts';

/** `used`: some room reads it. Anything else is reported by name when it is set, with this text. */
type SettingSupport = 'used' | `not supported yet: ${string}` | `no effect: ${string}`;

export type SettingRow = {
  readonly configMap: SettingsProblem['configMap'];
  /** The key; a final `*` stands for any rest. */
  readonly key: string;
  /** Its field in Settings, with dots; none: it is not parsed. */
  readonly fields: readonly string[];
  readonly support: SettingSupport;
};
/** The fields, with spaces between; alone where they are used. */
type Rows = Readonly<Record<string, string | readonly [fields: string, support: SettingSupport]>>;

const dex =
  'no effect: there is no Dex here; put issuer, clientID and clientSecret of your identity provider, or of a Dex of your own, into oidc.config';
const foreign =
  'no effect: the page loads nothing from other hosts, and its content policy refuses it; the API returns it';
const sets = 'not supported yet: the controller of ApplicationSets does not read it';
const hydrator = 'not supported yet: there is no source hydrator';
const limits = 'no effect: the controller limits itself for each cluster, repository and project';
const onePart = 'no effect: Fairlead has no such separate component';
const flags = 'no effect: it is a flag or a variable of the fairlead process';
const cached = 'no effect: Fairlead keys its caches by content, without an expiry';

const general: Rows = {
  url: 'url',
  additionalUrls: 'additionalUrls',
  'application.resourceTrackingMethod': 'tracking.method',
  'application.instanceLabelKey': 'tracking.instanceLabelKey',
  installationID: 'tracking.installationId',
  'timeout.reconciliation': 'refresh.intervalMs',
  'timeout.reconciliation.jitter': 'refresh.jitterMs',
  'timeout.hard.reconciliation': 'refresh.hardIntervalMs',
  'fairlead.application.childHealth': 'application.childHealth',
  'fairlead.operation.supersede': 'application.supersede',
  'fairlead.doctor.warnings': 'application.warnings',
  'resource.exclusions': 'resources.exclusions',
  'resource.inclusions': 'resources.inclusions',
  'resource.customizations': 'resources.overrides',
  'resource.customizations.*': 'resources.overrides',
  'resource.compareoptions':
    'resources.ignoreAggregatedRoles resources.ignoreStatusField resources.ignoreDifferencesOnResourceUpdates',
  'resource.ignoreResourceUpdatesEnabled': 'resources.ignoreResourceUpdatesEnabled',
  'resource.respectRBAC': 'resources.respectRbac',
  'resource.customLabels': 'resources.customLabels',
  'resource.includeEventLabelKeys': 'resources.includeEventLabelKeys',
  'resource.excludeEventLabelKeys': 'resources.excludeEventLabelKeys',
  'resource.sensitive.mask.annotations': 'resources.sensitiveAnnotations',
  'resource.server-side-diff': 'controller.serverSideDiff',
  'fairlead.metrics.legacy': 'controller.legacyMetrics',
  'fairlead.metrics.applicationset.labels': 'applicationSet.metricsLabels',
  'application.sync.impersonation.enabled': 'impersonation.enabled',
  'application.sync.impersonation.enforced': 'impersonation.enforced',
  'cluster.inClusterEnabled': 'inClusterEnabled',
  globalProjects: 'globalProjects',
  'kustomize.enable': 'render.kustomizeEnabled',
  'helm.enable': 'render.helmEnabled',
  'jsonnet.enable': 'render.jsonnetEnabled',
  'kustomize.buildOptions': 'render.kustomizeBuildOptions',
  'kustomize.buildOptions.*': 'render.kustomizeVersions',
  'kustomize.path.*': 'render.kustomizeVersions',
  'kustomize.version.*': 'render.kustomizeVersions',
  'helm.valuesFileSchemes': 'render.helmValuesFileSchemes',
  'users.session.duration': 'server.sessionMs',
  'admin.enabled': 'server.adminEnabled server.accounts',
  'users.anonymous.enabled': 'server.anonymousEnabled',
  passwordPattern: 'server.passwordPattern',
  'accounts.*': 'server.accounts',
  'dex.config': ['server.dexConfig', dex],
  'dex.auth.connectorId': ['server.dexConnectorId', dex],
  'oidc.config': 'server.oidc',
  'oidc.tls.insecure.skip.verify': 'server.oidcInsecure',
  'exec.enabled': ['server.execEnabled', 'used'],
  'exec.shells': ['server.execShells', 'used'],
  'server.maxPodLogsToRender': 'server.maxPodLogs',
  'server.rbac.disableApplicationFineGrainedRBACInheritance': 'server.fineGrainedRbacInheritanceDisabled',
  'server.rbac.rollback.enforce.enable': 'server.rollbackEnforced',
  'application.sync.requireOverridePrivilegeForRevisionSync': 'server.revisionSyncNeedsOverride',
  'fairlead.rbac.legacyAdminSubject': 'server.legacyAdminSubject',
  'fairlead.audit.sink': 'server.auditSink',
  'application.allowedNodeLabels': 'server.allowedNodeLabels',
  'fairlead.server.trustedProxies': 'server.trustedProxies',
  'fairlead.server.allowedHosts': 'server.allowedHosts',
  'statusbadge.enabled': 'server.statusBadgeEnabled',
  'statusbadge.url': 'server.statusBadgeUrl',
  'extension.config': ['server.extensions', 'not supported yet: there are no proxy extensions'],
  'extension.config.*': ['server.extensions', 'not supported yet: there are no proxy extensions'],
  'webhook.maxPayloadSizeMB': 'server.webhook.maxBytes',
  'webhook.refresh.jitter': 'server.webhook.jitterMs',
  'webhook.refresh.jitter.threshold': 'server.webhook.threshold',
  'application.links': 'links.application',
  'project.links': 'links.project',
  'resource.links': 'links.resource',
  'ui.cssurl': ['ui.cssUrl', foreign],
  'ui.bannercontent': 'ui.bannerContent',
  'ui.bannerurl': 'ui.bannerUrl',
  'ui.bannerpermanent': 'ui.bannerPermanent',
  'ui.bannerposition': 'ui.bannerPosition',
  'ui.loginButtonText': 'ui.loginButtonText',
  'ui.view.resources.disabled': [
    'ui.resourcesViewDisabled',
    'no effect: the page has no view of the resources of all applications',
  ],
  'help.chatUrl': 'ui.chatUrl',
  'help.chatText': 'ui.chatText',
  'help.download.*': 'ui.downloads',
  'ga.trackingid': ['ui.analyticsId', foreign],
  'ga.anonymizeusers': ['ui.analyticsAnonymizeUsers', foreign],
  'commit.author.name': ['commitAuthor.name', hydrator],
  'commit.author.email': ['commitAuthor.email', hydrator],
  'sourceHydrator.*': ['', hydrator],
};

const params: Rows = {
  // docs/contract/server.md 1.4: accepted in the wrong map, with a warning
  'timeout.reconciliation': 'refresh.intervalMs',
  'timeout.reconciliation.jitter': 'refresh.jitterMs',
  'timeout.hard.reconciliation': 'refresh.hardIntervalMs',
  'metrics.application.labels': 'controller.metricsApplicationLabels',
  'application.namespaces': 'applicationNamespaces',
  'hydrator.enabled': ['hydratorEnabled', hydrator],
  'controller.status.processors': ['controller.statusProcessors', limits],
  'controller.operation.processors': ['controller.operationProcessors', limits],
  'controller.hydration.processors': ['controller.hydrationProcessors', hydrator],
  'controller.kubectl.parallelism.limit': ['controller.writeParallelism', limits],
  'controller.repo.server.timeout.seconds': [
    'controller.repoTimeoutMs',
    'no effect: manifests are rendered by this process',
  ],
  'controller.repo.error.grace.period.seconds': 'controller.repoErrorGraceMs',
  'controller.self.heal.timeout.seconds': 'controller.selfHealTimeoutMs',
  'controller.self.heal.backoff.timeout.seconds': 'controller.selfHealBackoff.firstMs',
  'controller.self.heal.backoff.factor': 'controller.selfHealBackoff.factor',
  'controller.self.heal.backoff.cap.seconds': 'controller.selfHealBackoff.capMs',
  'controller.sync.timeout.seconds': 'controller.syncTimeoutMs',
  'controller.sync.wave.delay.seconds': 'controller.syncWaveDelayMs',
  'controller.diff.server.side': 'controller.serverSideDiff',
  'controller.ignore.normalizer.jq.timeout': 'controller.jqTimeoutMs',
  'ignore.normalizer.jq.timeout': 'controller.jqTimeoutMs',
  'controller.resource.health.persist': 'controller.persistResourceHealth',
  'controller.metrics.application.labels': 'controller.metricsApplicationLabels',
  'controller.metrics.application.conditions': 'controller.metricsApplicationConditions',
  'controller.metrics.cluster.labels': 'controller.metricsClusterLabels',
  'metrics.application-resource.labels': [
    '',
    'no effect: Argo CD has no such setting; labels of applications are controller.metrics.application.labels',
  ],
  'server.sync.replace.allowed': 'server.replaceAllowed',
  'server.api.content.types': [
    'server.contentTypes',
    'no effect: requests that change something are JSON always',
  ],
  'server.basehref': 'server.baseHref',
  'server.rootpath': 'server.rootPath',
  'server.insecure': 'server.insecure',
  'server.tls.minversion': 'server.tls.minVersion',
  'server.tls.maxversion': 'server.tls.maxVersion',
  'server.tls.ciphers': 'server.tls.cipherSuites',
  'server.x.frame.options': 'server.frameOptions',
  'server.disable.auth': 'server.authDisabled',
  'reposerver.max.combined.directory.manifests.size': 'render.maxCombinedDirectoryManifestsSize',
  'reposerver.allow.oob.symlinks': 'render.allowOutOfBoundsSymlinks',
  'reposerver.helm.manifest.max.extracted.size': 'render.maxChartExtractedSize',
  'reposerver.disable.helm.manifest.max.extracted.size': 'render.maxChartExtractedSize',
  'reposerver.oci.manifest.max.extracted.size': 'render.maxArtifactExtractedSize',
  'reposerver.disable.oci.manifest.max.extracted.size': 'render.maxArtifactExtractedSize',
  'reposerver.oci.layer.media.types': 'render.ociMediaTypes',
  'reposerver.enable.git.submodule': 'render.submodulesEnabled',
  'reposerver.git.request.timeout': 'render.gitRequestTimeoutMs',
  'reposerver.include.hidden.directories': 'render.includeHiddenDirectories',
  'reposerver.repo.cache.expiration': ['render.cacheMs', cached],
  'reposerver.parallelism.limit': ['render.parallelism', limits],
  'applicationsetcontroller.namespaces': 'applicationSet.namespaces',
  'applicationsetcontroller.policy': 'applicationSet.policy',
  'applicationsetcontroller.enable.policy.override': 'applicationSet.policyOverride',
  'applicationsetcontroller.concurrent.reconciliations.max': 'applicationSet.concurrency',
  'applicationsetcontroller.dryrun': 'applicationSet.dryRun',
  'applicationsetcontroller.enable.progressive.syncs': 'applicationSet.progressiveSyncs',
  'applicationsetcontroller.enable.scm.providers': 'applicationSet.scmProvidersEnabled',
  'applicationsetcontroller.allowed.scm.providers': 'applicationSet.allowedScmProviders',
  'applicationsetcontroller.enable.new.git.file.globbing': 'applicationSet.newGitFileGlobbing',
  'applicationsetcontroller.enable.tokenref.strict.mode': 'applicationSet.tokenRefStrict',
  'applicationsetcontroller.requeue.after': 'applicationSet.requeueAfterMs',
  'applicationsetcontroller.global.preserved.annotations': 'applicationSet.preservedAnnotations',
  'applicationsetcontroller.global.preserved.labels': 'applicationSet.preservedLabels',
  'applicationsetcontroller.status.max.resources.count': 'applicationSet.maxResourcesStatusCount',
  'applicationsetcontroller.enable.github.api.metrics': 'applicationSet.githubApiMetrics',
  'applicationsetcontroller.*': ['', sets],
  'notificationscontroller.processors.count': 'notifications.processors',
  'notificationscontroller.selfservice.enabled': 'notifications.selfService',
  'notificationscontroller.*': ['', flags],
  'repo.server': ['', onePart],
  'repo.server.*': ['', onePart],
  'commit.server': ['', onePart],
  'commitserver.*': ['', onePart],
  'redis.*': ['', onePart],
  'dexserver.*': ['', onePart],
  'otlp.*': ['', 'not supported yet: no traces are sent'],
  'log.*': ['', flags],
  'controller.*': ['', flags],
  'server.*': ['', flags],
  'reposerver.*': ['', flags],
};

const rowsOf = (configMap: SettingRow['configMap'], rows: Rows): SettingRow[] =>
  Object.entries(rows).map(([key, row]) => {
    const [fields, support] = typeof row === 'string' ? ([row, 'used'] as const) : row;
    return { configMap, key, fields: fields.split(' ').filter((field) => field !== ''), support };
  });

/**
 * Every setting by its key, with its field in Settings and its effect: the one list of which keys are used.
 * The first row that matches a key counts. Its test compares it with the parser and the rooms.
 */
export const settingsTable: readonly SettingRow[] = [
  ...rowsOf('argocd-cm', general),
  ...rowsOf('argocd-cmd-params-cm', params),
];

/** The row of a key; undefined: unknown to both Fairlead and Argo CD. */
export function settingRowFor(configMap: SettingRow['configMap'], key: string): SettingRow | undefined {
  const isFor = (row: SettingRow): boolean =>
    row.configMap === configMap &&
    (row.key.endsWith('*') ? key.startsWith(row.key.slice(0, -1)) : row.key === key);
  return settingsTable.find(isFor);
}
