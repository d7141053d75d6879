import { canonicalQuantity, controllerOf } from '#base/model';
import { FairleadError } from '#base/std';
import type { JsonObject } from '#kubernetes/schema';
import { isOn, type KnativeConfig } from './config.ts';
import { label, systemNamespace } from './kinds.ts';
import {
  isHttp2,
  type Revision,
  type RevisionContainer,
  type RevisionProbe,
  type RevisionSpec,
  userPort,
} from './view.ts';

type Variable = JsonObject & { readonly name: string };

const fixed = (name: string, value: string): Variable => ({ name, ...(value && { value }) });
const field = (name: string, fieldPath: string): Variable => ({
  name,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
});

/** compat cluster 5.6: the sidecar through which every request passes. */
export function queueProxy(
  config: KnativeConfig,
  revision: Revision,
  serving: RevisionContainer,
): JsonObject {
  const port = isHttp2(serving) ? 8013 : 8012;
  const {
    exec: _exec,
    httpGet: _get,
    tcpSocket: _socket,
    grpc: _grpc,
    ...timeouts
  } = serving.readinessProbe ?? {};
  const headers = [{ name: 'K-Network-Probe', value: 'queue' }];
  return {
    name: 'queue-proxy',
    image: config('config-deployment')['queue-sidecar-image'] ?? 'embedded.fairlead.dev/queue',
    env: variables(config, revision, serving, port),
    ports: [
      { containerPort: 9090, name: 'http-autometric', protocol: 'TCP' },
      { containerPort: 9091, name: 'http-usermetric', protocol: 'TCP' },
      { containerPort: port, name: 'queue-port', protocol: 'TCP' },
      { containerPort: 8112, name: 'https-port', protocol: 'TCP' },
    ],
    readinessProbe: { httpGet: { port, httpHeaders: headers }, ...timeouts },
    resources: resourcesOf(config, revision),
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    },
  };
}

function variables(
  config: KnativeConfig,
  revision: Revision,
  serving: RevisionContainer,
  port: number,
): readonly Variable[] {
  const { metadata, spec = {} } = revision;
  const owner = controllerOf(revision);
  const isFullDuplex = metadata.annotations?.['features.knative.dev/http-full-duplex']?.toLowerCase();
  const tls = ['MIN_VERSION', 'MAX_VERSION', 'CIPHER_SUITES', 'CURVE_PREFERENCES'];
  return [
    fixed('SERVING_NAMESPACE', metadata.namespace ?? ''),
    fixed('SERVING_SERVICE', metadata.labels?.[label.service] ?? ''),
    fixed('SERVING_CONFIGURATION', owner?.kind === 'Configuration' ? owner.name : ''),
    fixed('SERVING_REVISION', metadata.name),
    fixed('QUEUE_SERVING_PORT', String(port)),
    fixed('QUEUE_SERVING_TLS_PORT', '8112'),
    fixed('CONTAINER_CONCURRENCY', String(spec.containerConcurrency ?? 0)),
    fixed('REVISION_TIMEOUT_SECONDS', String(spec.timeoutSeconds ?? 0)),
    fixed('REVISION_RESPONSE_START_TIMEOUT_SECONDS', String(spec.responseStartTimeoutSeconds ?? 0)),
    fixed('REVISION_IDLE_TIMEOUT_SECONDS', String(spec.idleTimeoutSeconds ?? 0)),
    field('SERVING_POD', 'metadata.name'),
    field('SERVING_POD_IP', 'status.podIP'),
    fixed('SERVING_LOGGING_CONFIG', ''),
    fixed('SERVING_LOGGING_LEVEL', ''),
    fixed('USER_PORT', String(userPort(serving))),
    fixed('SYSTEM_NAMESPACE', systemNamespace),
    fixed('SERVING_READINESS_PROBE', JSON.stringify(readinessProbes(config, spec, serving))),
    field('HOST_IP', 'status.hostIP'),
    fixed('ENABLE_HTTP2_AUTO_DETECTION', String(isOn(config, 'autodetect-http2'))),
    fixed('ENABLE_HTTP_FULL_DUPLEX', String(isFullDuplex === 'enabled')),
    fixed('ROOT_CA', ''),
    ...tls.map((name) => fixed(`QUEUE_PROXY_TLS_${name}`, '')),
    fixed('ENABLE_MULTI_CONTAINER_PROBES', String(isOn(config, 'multi-container-probing'))),
    fixed('OBSERVABILITY_CONFIG', observability),
  ];
}

/** The simulation observes nothing, so nothing is configured. */
const observability = JSON.stringify({
  tracing: { protocol: 'none' },
  metrics: { protocol: 'none' },
  runtime: { profiling: 'disabled', exportInterval: 15_000_000_000 },
  requestMetrics: { protocol: 'none' },
});

/** compat cluster 5.6: with multi-container-probing a list, which the probes of the sidecars follow. */
function readinessProbes(
  config: KnativeConfig,
  spec: RevisionSpec,
  serving: RevisionContainer,
): JsonObject | JsonObject[] {
  const own = probeAtHome(serving, userPort(serving));
  if (!isOn(config, 'multi-container-probing')) return own;
  const sidecars = (spec.containers ?? []).filter((one) => one !== serving);
  return [own, ...sidecars.flatMap(sidecarProbe)];
}

/** The kubelet runs commands itself. Throws where the queue-proxy has no number of a port to probe. */
function sidecarProbe(container: RevisionContainer): JsonObject[] {
  const { readinessProbe: probe, name } = container;
  if (!probe) return [];
  const port = probedPort(probe);
  if (port) return [probeAtHome(container, port)];
  if (probe.exec) return [];
  const why = `sidecar readiness probe does not define probe port on container: ${name}`;
  throw new FairleadError(
    'InvalidSpec',
    `failed to make deployment: failed to create PodSpec: failed to create queue-proxy container: ${why}`,
  );
}

const probedPort = ({ httpGet, tcpSocket, grpc }: RevisionProbe): number =>
  Number(httpGet?.port || tcpSocket?.port || grpc?.port || 0) || 0;

/** A readiness probe as the queue-proxy runs it, from inside the pod, its fields in Go's order. */
function probeAtHome({ readinessProbe = {} }: RevisionContainer, otherwise: number): JsonObject {
  const { httpGet, tcpSocket, grpc, exec, ...rest } = readinessProbe;
  const port = probedPort(readinessProbe) || otherwise;
  const host = '127.0.0.1';
  if (httpGet) {
    const { path, scheme = 'HTTP', httpHeaders } = httpGet;
    return {
      httpGet: {
        ...(path !== undefined && { path }),
        port,
        host,
        scheme,
        ...(httpHeaders !== undefined && { httpHeaders }),
      },
      ...timed(rest),
    };
  }
  if (tcpSocket || exec) return { tcpSocket: { port, host }, ...timed(rest) };
  return grpc ? { grpc: { port, service: grpc.service ?? null }, ...timed(rest) } : {};
}

const timeoutOrder = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
  'terminationGracePeriodSeconds',
];
const timed = (probe: JsonObject): JsonObject =>
  Object.fromEntries(timeoutOrder.flatMap((name) => (probe[name] ? [[name, probe[name]]] : [])));

function resourcesOf(config: KnativeConfig, { metadata }: Revision): JsonObject {
  const amounts = (part: 'request' | 'limit'): JsonObject =>
    Object.fromEntries(
      ['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => {
        const usual = part === 'request' && name === 'cpu' ? '25m' : undefined;
        const amount =
          metadata.annotations?.[`queue.sidecar.serving.knative.dev/${name}-resource-${part}`] ??
          config('config-deployment')[`queue-sidecar-${name}-${part}`] ??
          usual;
        return amount === undefined ? [] : [[name, canonicalQuantity(amount)]];
      }),
    );
  const limits = amounts('limit');
  return { ...(Object.keys(limits).length > 0 && { limits }), requests: amounts('request') };
}
