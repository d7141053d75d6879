import type { KubeObject } from '#model';
import { parseDuration } from '#model';
import type { JsonObject } from '#schema';
import { deploymentKind } from '../kinds.ts';
import { imageIdOf } from '../pod/image.ts';
import { ownedMeta } from '../write.ts';
import { label, note, systemNamespace } from './kinds.ts';
import { deploymentName } from './names.ts';
import { type Revision, type RevisionContainer, type RevisionProbe, servingContainer } from './view.ts';

/** compat 5.6: notes about a revision's place in traffic and its scale are not about its pods. */
const keptBack = new Set<string>([
  note.routes,
  note.routingStateModified,
  'serving.knative.dev/lastPinned',
  note.lastApplied,
]);

/** The labels of everything made for a revision. */
export function revisionLabels({ metadata }: Revision): Record<string, string> {
  const { [label.routingState]: _state, ...labels } = metadata.labels ?? {};
  const { name, uid = '' } = metadata;
  return { ...labels, app: name, [label.revision]: name, [label.revisionUid]: uid };
}

export function revisionNotes({ metadata }: Revision, isForScaler: boolean): Record<string, string> {
  const kept = Object.entries(metadata.annotations ?? {}).filter(
    ([name]) => !keptBack.has(name) && (isForScaler || !name.startsWith('autoscaling.knative.dev/')),
  );
  return Object.fromEntries(kept);
}

const userPort = ({ ports }: RevisionContainer): number => ports?.[0]?.containerPort ?? 8080;
const isHttp2 = ({ ports }: RevisionContainer): boolean => ports?.[0]?.name === 'h2c';

export const protocolOf = (revision: Revision): 'h2c' | 'http1' =>
  isHttp2(servingContainer(revision.spec ?? {}) ?? {}) ? 'h2c' : 'http1';

/** The port requests arrive on inside the pod. */
const queuePort = (revision: Revision): number => (protocolOf(revision) === 'h2c' ? 8013 : 8012);

/** compat 5.6: a Deployment whose pods run the revision's containers with a queue-proxy beside them. */
export function revisionDeployment(revision: Revision): KubeObject {
  const { name, uid = '' } = revision.metadata;
  const annotations = revisionNotes(revision, false);
  const labels = revisionLabels(revision);
  const podNotes = {
    ...annotations,
    'kubectl.kubernetes.io/default-container':
      servingContainer(revision.spec ?? {})?.name ?? 'user-container',
    ...imageNote(revision),
  };
  return {
    ...deploymentKind,
    metadata: ownedMeta(revision, { name: deploymentName(name), labels, annotations }),
    spec: {
      replicas: initialScaleOf(revision),
      revisionHistoryLimit: 0,
      progressDeadlineSeconds: progressDeadlineOf(revision),
      selector: { matchLabels: { [label.revisionUid]: uid } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
      template: { metadata: { labels, annotations: podNotes }, spec: podSpec(revision) },
    },
  };
}

/** What an image's tag tells the simulation would be lost with the tag. */
function imageNote({ spec }: Revision): Record<string, string> {
  const image = servingContainer(spec ?? {})?.image ?? '';
  return /crash-loop|exit-\d|slow-start|job-fail/.test(image) ? { 'simulate.fairlead.io/image': image } : {};
}

export const initialScaleOf = ({ metadata }: KubeObject): number => {
  const { annotations = {} } = metadata;
  const asked = annotations[note.initialScale] ?? '1';
  return Math.max(Number(asked) || 0, minScaleOf(annotations));
};

export const minScaleOf = (annotations: Readonly<Record<string, string>> = {}): number =>
  Number(annotations[note.minScale] ?? 0) || 0;

export function progressDeadlineOf({ metadata }: KubeObject): number {
  const asked = metadata.annotations?.[note.progressDeadline];
  return asked === undefined ? 600 : Math.max(1, Math.round(parseDuration(asked) / 1000));
}

function podSpec(revision: Revision): JsonObject {
  const {
    containers = [],
    containerConcurrency: _concurrency,
    timeoutSeconds = 300,
    ...rest
  } = revision.spec ?? {};
  const serving = servingContainer(revision.spec ?? {});
  return {
    ...rest,
    affinity: spreadOut(revision),
    containers: [
      ...containers.map((one) => userContainer(revision, one, one === serving)),
      queueProxy(revision, serving ?? {}),
    ],
    terminationGracePeriodSeconds: timeoutSeconds,
  };
}

const spreadOut = ({ metadata }: Revision): JsonObject => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        podAffinityTerm: {
          labelSelector: { matchLabels: { [label.revision]: metadata.name } },
          topologyKey: 'kubernetes.io/hostname',
        },
        weight: 100,
      },
    ],
  },
});

/** compat 5.6: readiness is the queue-proxy's business, liveness is asked at the user's port, startup stays as given. */
function userContainer(revision: Revision, container: RevisionContainer, isServing: boolean): JsonObject {
  const { readinessProbe, livenessProbe, ports: _ports, ...rest } = container;
  const port = userPort(container);
  return {
    ...rest,
    image: imageIdOf(container.image ?? ''),
    env: [
      ...(container.env ?? []),
      ...(isServing ? [{ name: 'PORT', value: String(port) }] : []),
      ...identity(revision),
    ],
    lifecycle: { preStop: { httpGet: { path: '/wait-for-drain', port: 8022, scheme: 'HTTP' } } },
    terminationMessagePolicy: 'FallbackToLogsOnError',
    ...(isServing && { ports: [{ containerPort: port, name: 'user-port', protocol: 'TCP' }] }),
    ...(livenessProbe && { livenessProbe: isServing ? atPort(livenessProbe, port) : livenessProbe }),
    ...(!isServing && readinessProbe && { readinessProbe }),
  };
}

function atPort(probe: RevisionProbe, port: number): RevisionProbe {
  if (probe.httpGet) return { ...probe, httpGet: { ...probe.httpGet, port } };
  return probe.tcpSocket ? { ...probe, tcpSocket: { ...probe.tcpSocket, port } } : probe;
}

const identity = ({ metadata }: Revision): JsonObject[] => [
  { name: 'K_REVISION', value: metadata.name },
  { name: 'K_CONFIGURATION', value: metadata.labels?.[label.configuration] ?? '' },
  { name: 'K_SERVICE', value: metadata.labels?.[label.service] ?? '' },
];

const field = (name: string, fieldPath: string): JsonObject => ({
  name,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
});

function queueProxy(revision: Revision, serving: RevisionContainer): JsonObject {
  const { metadata, spec = {} } = revision;
  const port = queuePort(revision);
  const { periodSeconds = 10 } = serving.readinessProbe ?? {};
  const values: Record<string, string> = {
    SERVING_NAMESPACE: metadata.namespace ?? '',
    SERVING_SERVICE: metadata.labels?.[label.service] ?? '',
    SERVING_CONFIGURATION: metadata.labels?.[label.configuration] ?? '',
    SERVING_REVISION: metadata.name,
    QUEUE_SERVING_PORT: String(port),
    QUEUE_SERVING_TLS_PORT: '8112',
    CONTAINER_CONCURRENCY: String(spec.containerConcurrency ?? 0),
    REVISION_TIMEOUT_SECONDS: String(spec.timeoutSeconds ?? 300),
    USER_PORT: String(userPort(serving)),
    SYSTEM_NAMESPACE: systemNamespace,
    SERVING_READINESS_PROBE: JSON.stringify(probeAtHome(serving)),
  };
  return {
    name: 'queue-proxy',
    image: 'embedded.fairlead.dev/queue',
    env: [
      ...Object.entries(values).map(([name, value]) => ({ name, value })),
      field('SERVING_POD', 'metadata.name'),
      field('SERVING_POD_IP', 'status.podIP'),
      field('HOST_IP', 'status.hostIP'),
    ],
    ports: [
      { containerPort: 9090, name: 'http-autometric', protocol: 'TCP' },
      { containerPort: 9091, name: 'http-usermetric', protocol: 'TCP' },
      { containerPort: port, name: 'queue-port', protocol: 'TCP' },
      { containerPort: 8112, name: 'https-port', protocol: 'TCP' },
    ],
    readinessProbe: {
      httpGet: {
        path: '/',
        port,
        scheme: 'HTTP',
        httpHeaders: [{ name: 'K-Network-Probe', value: 'queue' }],
      },
      periodSeconds,
      timeoutSeconds: 1,
      successThreshold: 1,
      failureThreshold: 3,
    },
    resources: { requests: { cpu: '25m' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    },
  };
}

/** The user's readiness probe as the queue-proxy runs it, from inside the pod. */
function probeAtHome(serving: RevisionContainer): JsonObject {
  const { httpGet, tcpSocket, ...rest } = serving.readinessProbe ?? {};
  const here = { port: userPort(serving), host: '127.0.0.1' };
  if (httpGet) return { httpGet: { ...httpGet, ...here, scheme: 'HTTP' }, ...rest };
  return { tcpSocket: { ...tcpSocket, ...here }, ...rest };
}
