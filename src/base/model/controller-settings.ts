import type { Settings } from './settings.ts';
import type { Readers, SettingsReader, Where } from './settings-reader.ts';

/** How the application controller works: workers, time limits, self-healing. */
export function controllerFrom({ cm, params }: Readers): Settings['controller'] {
  const key = (name: string): string => `controller.${name}`;
  const integer = (name: string, pick: Where<number>): number => params.integer(key(name), pick, 1);
  const seconds = (name: string, pick: Where<number>): number => params.seconds(key(name), pick);
  const list = (name: string, pick: Where<readonly string[]>) => params.list(key(name), pick);
  return {
    statusProcessors: integer('status.processors', (s) => s.controller.statusProcessors),
    operationProcessors: integer('operation.processors', (s) => s.controller.operationProcessors),
    hydrationProcessors: integer('hydration.processors', (s) => s.controller.hydrationProcessors),
    repoTimeoutMs: seconds('repo.server.timeout.seconds', (s) => s.controller.repoTimeoutMs),
    repoErrorGraceMs: seconds('repo.error.grace.period.seconds', (s) => s.controller.repoErrorGraceMs),
    selfHealTimeoutMs: seconds('self.heal.timeout.seconds', (s) => s.controller.selfHealTimeoutMs),
    selfHealBackoff: {
      firstMs: seconds('self.heal.backoff.timeout.seconds', (s) => s.controller.selfHealBackoff.firstMs),
      factor: integer('self.heal.backoff.factor', (s) => s.controller.selfHealBackoff.factor),
      capMs: seconds('self.heal.backoff.cap.seconds', (s) => s.controller.selfHealBackoff.capMs),
    },
    syncTimeoutMs: seconds('sync.timeout.seconds', (s) => s.controller.syncTimeoutMs),
    syncWaveDelayMs: seconds('sync.wave.delay.seconds', (s) => s.controller.syncWaveDelayMs),
    writeParallelism: integer('kubectl.parallelism.limit', (s) => s.controller.writeParallelism),
    serverSideDiff: serverSideDiffFrom(cm, params),
    jqTimeoutMs: params.duration(
      params.has('ignore.normalizer.jq.timeout')
        ? 'ignore.normalizer.jq.timeout'
        : key('ignore.normalizer.jq.timeout'),
      (s) => s.controller.jqTimeoutMs,
    ),
    persistResourceHealth: params.flag(
      key('resource.health.persist'),
      (s) => s.controller.persistResourceHealth,
    ),
    metricsApplicationLabels: applicationLabelsFrom(params),
    metricsApplicationConditions: list(
      'metrics.application.conditions',
      (s) => s.controller.metricsApplicationConditions,
    ),
    legacyMetrics: cm.flag('fairlead.metrics.legacy', (s) => s.controller.legacyMetrics),
    metricsClusterLabels: list('metrics.cluster.labels', (s) => s.controller.metricsClusterLabels),
  };
}

function serverSideDiffFrom(cm: SettingsReader, params: SettingsReader): boolean {
  const alias = 'resource.server-side-diff';
  if (cm.has(alias) && !params.has('controller.diff.server.side')) {
    const instead = 'controller.diff.server.side in argocd-cmd-params-cm';
    cm.problem('warning', alias, `is an alias only Fairlead knows; Argo CD reads ${instead}`);
    return cm.flag(alias, (s) => s.controller.serverSideDiff);
  }
  return params.flag('controller.diff.server.side', (s) => s.controller.serverSideDiff);
}

function applicationLabelsFrom(params: SettingsReader): readonly string[] {
  const [key, bare] = ['controller.metrics.application.labels', 'metrics.application.labels'];
  const usesBare = params.has(bare) && !params.has(key);
  if (usesBare) params.problem('warning', bare, `is used, but Argo CD reads ${key}`);
  return params.list(usesBare ? bare : key, (s) => s.controller.metricsApplicationLabels);
}

/** How the ApplicationSet controller works, and what a set may do. */
export function applicationSetFrom({ cm, params }: Readers): Settings['applicationSet'] {
  const key = (name: string): string => `applicationsetcontroller.${name}`;
  const flag = (name: string, pick: Where<boolean>): boolean => params.flag(key(name), pick);
  const list = (name: string, pick: Where<readonly string[]>) => params.list(key(name), pick);
  const policies = ['', 'sync', 'create-only', 'create-update', 'create-delete'] as const;
  const policy = params.oneOf(key('policy'), (s) => s.applicationSet.policy, policies);
  return {
    namespaces: list('namespaces', (s) => s.applicationSet.namespaces),
    policy,
    // dev sources DEV-23: a set may choose its own policy exactly where the controller has none
    policyOverride: params.has(key('enable.policy.override'))
      ? flag('enable.policy.override', (s) => s.applicationSet.policyOverride)
      : policy === '',
    concurrency: params.integer(
      key('concurrent.reconciliations.max'),
      (s) => s.applicationSet.concurrency,
      1,
    ),
    dryRun: flag('dryrun', (s) => s.applicationSet.dryRun),
    progressiveSyncs: flag('enable.progressive.syncs', (s) => s.applicationSet.progressiveSyncs),
    scmProvidersEnabled: flag('enable.scm.providers', (s) => s.applicationSet.scmProvidersEnabled),
    allowedScmProviders: list('allowed.scm.providers', (s) => s.applicationSet.allowedScmProviders),
    newGitFileGlobbing: flag('enable.new.git.file.globbing', (s) => s.applicationSet.newGitFileGlobbing),
    tokenRefStrict: flag('enable.tokenref.strict.mode', (s) => s.applicationSet.tokenRefStrict),
    requeueAfterMs: params.duration(key('requeue.after'), (s) => s.applicationSet.requeueAfterMs),
    preservedAnnotations: list('global.preserved.annotations', (s) => s.applicationSet.preservedAnnotations),
    preservedLabels: list('global.preserved.labels', (s) => s.applicationSet.preservedLabels),
    maxResourcesStatusCount: params.integer(
      key('status.max.resources.count'),
      (s) => s.applicationSet.maxResourcesStatusCount,
    ),
    githubApiMetrics: flag('enable.github.api.metrics', (s) => s.applicationSet.githubApiMetrics),
    metricsLabels: cm.list('fairlead.metrics.applicationset.labels', (s) => s.applicationSet.metricsLabels),
  };
}
