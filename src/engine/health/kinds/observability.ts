import type { Health, KubeObject } from '#base/model';
import {
  check,
  conditions,
  describeCondition,
  on,
  otherwise,
  outdated,
  phases,
  sameFor,
  settledBy,
} from '../rules.ts';
import {
  type Checks,
  degraded,
  type HealthCheck,
  healthy,
  missing,
  progressing,
  suspended,
  unknown,
} from '../verdict.ts';

/** compat engine §5.7: pods that are not ready yet are no fault of the operator's object. */
const prometheus = check(
  conditions(on('Available', 'True', healthy), (condition) => {
    if (condition.type !== 'Available') return undefined;
    return condition.reason === 'SomePodsNotReady'
      ? progressing(describeCondition(condition))
      : degraded(describeCondition(condition));
  }),
);

type CollectorView = KubeObject<{ mode?: string }, { scale?: { statusReplicas?: string } }>;

function collectorHealth(object: KubeObject): Health | undefined {
  const { spec, status } = object as CollectorView;
  const text = status?.scale?.statusReplicas;
  if (text === undefined)
    return status && spec?.mode === 'sidecar' ? healthy('runs inside other pods') : undefined;
  const [, ready, total] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (ready === undefined || total === undefined) return progressing(`unexpected replica count "${text}"`);
  const isIdle = spec?.mode === 'daemonset' && Number(total) === 0;
  if (Number(ready) === 0) return isIdle ? healthy('no node is selected') : degraded('no replica is ready');
  return Number(ready) === Number(total) ? healthy() : progressing(`${text} replicas are ready`);
}

type GrafanaView = KubeObject<unknown, { stage?: string; stageStatus?: string; lastMessage?: string }>;

function grafanaHealth(object: KubeObject): Health | undefined {
  const { stage, stageStatus, lastMessage } = (object as GrafanaView).status ?? {};
  if (stageStatus === undefined) return undefined;
  if (stageStatus === 'failed')
    return degraded(`stage ${stage} failed${lastMessage ? `: ${lastMessage}` : ''}`);
  return stage === 'complete' && stageStatus === 'success' ? healthy() : progressing(`stage ${stage}`);
}

type DatasourceView = KubeObject<unknown, { uid?: string; NoMatchingInstances?: boolean }>;

function datasourceHealth(object: KubeObject): Health | undefined {
  const { status } = object as DatasourceView;
  if (!status || status.uid === '') return undefined;
  return status.NoMatchingInstances ? degraded('no Grafana instance matches its selector') : healthy();
}

const anyTrue = conditions((condition) =>
  condition.status === 'True' ? healthy(describeCondition(condition)) : undefined,
);
const anyFalse = conditions((condition) =>
  condition.status === 'False' ? degraded(describeCondition(condition)) : undefined,
);

/** A folder whose UID changed is misplaced; that condition alone is good when it is False. */
const folder = check(
  conditions(on('FolderUIDMismatch', 'True', degraded), (condition) =>
    condition.type !== 'FolderUIDMismatch' && condition.status === 'False'
      ? degraded(describeCondition(condition))
      : undefined,
  ),
  anyTrue,
);

/** A metric without a bad condition is Healthy. */
const metric = check(
  conditions(on('Error', 'True', degraded)),
  conditions(on('Valid', 'False', degraded)),
  otherwise(healthy),
);

/** Any kind of VictoriaMetrics' operator. */
export const victoriaMetricsHealth: HealthCheck = check(
  outdated,
  phases(
    'status.updateStatus',
    { operational: healthy, ignored: healthy, expanding: progressing, paused: suspended, failed: degraded },
    progressing,
  ),
);

/** Any kind of the Grafana organisation operator. */
export const grafanaOrganisationHealth: HealthCheck = check(settledBy('Ready'));

const humioStates = { Exists: healthy, NotFound: missing, ConfigError: degraded, Unknown: unknown };

export const observability: Checks = {
  ...sameFor('coralogix.com', ['Alert', 'RecordingRuleGroupSet'], check(settledBy('RemoteSynced'))),
  ...sameFor(
    'core.humio.com',
    ['HumioAction', 'HumioAlert', 'HumioIngestToken', 'HumioParser', 'HumioRepository', 'HumioView'],
    check(phases('status.state', humioStates)),
  ),
  'core.humio.com/HumioCluster': check(
    phases('status.state', { Running: healthy, ConfigError: degraded, Unknown: unknown }, progressing),
  ),
  'datadoghq.com/DatadogMetric': metric,
  'grafana.integreatly.org/Grafana': check(grafanaHealth),
  'grafana.integreatly.org/GrafanaDashboard': check(anyFalse, anyTrue),
  'grafana.integreatly.org/GrafanaDatasource': check(datasourceHealth),
  'grafana.integreatly.org/GrafanaFolder': folder,
  'jaegertracing.io/Jaeger': check(phases('status.phase', { Running: healthy, Failed: degraded })),
  'kiali.io/Kiali': check(
    conditions(on('Successful', 'True', healthy), on('Failure', 'True', degraded), (condition) =>
      condition.type === 'Running' && condition.reason === 'Running'
        ? progressing(describeCondition(condition))
        : undefined,
    ),
  ),
  ...sameFor(
    'monitoring.coreos.com',
    ['Alertmanager', 'Prometheus', 'PrometheusAgent', 'ThanosRuler'],
    prometheus,
  ),
  'opentelemetry.io/OpenTelemetryCollector': check(collectorHealth),
};
