import type { KubeObject } from '#base/model';
import { parseDuration } from '#base/model';
import { printJson, sha256 } from '#base/std';
import type { JsonObject } from '#kubernetes/schema';
import { deploymentKind } from '../kinds.ts';
import { ownedMeta } from '../write.ts';
import { durationMs, isOn, type KnativeConfig, wholeNumber } from './config.ts';
import { revisionFields } from './go-types.ts';
import { label, note } from './kinds.ts';
import { deploymentName } from './names.ts';
import { queueProxy } from './queue-proxy.ts';
import { initialScaleNote } from './validate/annotations.ts';
import {
  isHttp2,
  type Revision,
  type RevisionContainer,
  type RevisionProbe,
  servingContainer,
  userPort,
} from './view.ts';

/** compat cluster 5.6: annotations about a revision's routing and scale are not copied to its pods. */
const keptBack = new Set<string>([
  note.routes,
  note.routingStateModified,
  'serving.knative.dev/lastPinned',
  note.lastApplied,
]);

/** The labels of every child of a revision. */
export function revisionLabels({ metadata }: Revision): Record<string, string> {
  const { [label.routingState]: _state, ...labels } = metadata.labels ?? {};
  const { name, uid = '' } = metadata;
  return { app: name, ...labels, [label.revision]: name, [label.revisionUid]: uid };
}

export function revisionNotes({ metadata }: Revision, isForScaler: boolean): Record<string, string> {
  const kept = Object.entries(metadata.annotations ?? {}).filter(
    ([name]) => !keptBack.has(name) && (isForScaler || !name.startsWith('autoscaling.knative.dev/')),
  );
  return Object.fromEntries(kept);
}

export const protocolOf = (revision: Revision): 'h2c' | 'http1' =>
  isHttp2(servingContainer(revision.spec ?? {}) ?? {}) ? 'h2c' : 'http1';

/** compat cluster 5.6: a Deployment whose pods run the revision's containers with a queue-proxy beside them. */
export function revisionDeployment(config: KnativeConfig, revision: Revision): KubeObject {
  const { name, uid = '' } = revision.metadata;
  const annotations = revisionNotes(revision, false);
  const labels = revisionLabels(revision);
  const podNotes = {
    ...annotations,
    'kubectl.kubernetes.io/default-container':
      servingContainer(revision.spec ?? {})?.name ?? 'user-container',
    ...imageNote(revision),
  };
  const spec = {
    replicas: firstScaleOf(config, revision),
    revisionHistoryLimit: 0,
    progressDeadlineSeconds: progressDeadlineOf(config, revision),
    selector: { matchLabels: { [label.revisionUid]: uid } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } },
    template: { metadata: { labels, annotations: podNotes }, spec: podSpec(config, revision) },
  };
  const hashed = { ...labels, [label.deploymentHash]: hashOf(printJson({ spec, annotations })) };
  return {
    ...deploymentKind,
    metadata: ownedMeta(revision, { name: deploymentName(name), labels: hashed, annotations }),
    spec,
  };
}

/** Any stable text of the same form: Knative's own depends on how Go prints its structs. */
const hashOf = (text: string): string => BigInt(`0x${sha256(text).slice(0, 8)}`).toString(36);

/** Keeps the image's tag, which may select a simulated outcome and which the digest would hide. */
function imageNote({ spec }: Revision): Record<string, string> {
  const image = servingContainer(spec ?? {})?.image ?? '';
  return /crash-loop|exit-\d|slow-start|job-fail/.test(image) ? { 'simulate.fairlead.io/image': image } : {};
}

/** compat cluster 5.6: how many pods a revision starts with, before the autoscaler decides. */
export function firstScaleOf(config: KnativeConfig, { metadata }: KubeObject): number {
  const requested = initialScaleNote(metadata.annotations)?.value;
  return requested === undefined
    ? wholeNumber(config, 'config-autoscaler', 'initial-scale', 1)
    : Number(requested) || 0;
}

/** Milliseconds are dropped. */
export function progressDeadlineOf(config: KnativeConfig, { metadata }: KubeObject): number {
  const requested = metadata.annotations?.[note.progressDeadline];
  const ms = requested
    ? parseDuration(requested)
    : durationMs(config, 'config-deployment', 'progress-deadline', 600_000);
  return Math.trunc(ms / 1000);
}

function podSpec(config: KnativeConfig, revision: Revision): JsonObject {
  const { spec = {} } = revision;
  const serving = servingContainer(spec);
  const ofPod = Object.entries(spec).filter(([name]) => !revisionFields.includes(name));
  const isSpread = (config('config-deployment')['default-affinity-type'] ?? spreading) === spreading;
  return {
    ...(isSpread && { affinity: spreadOut(revision) }),
    ...Object.fromEntries(ofPod),
    containers: [
      ...(spec.containers ?? []).map((one, index) => userContainer(config, revision, one, index)),
      queueProxy(config, revision, serving ?? {}),
    ],
    terminationGracePeriodSeconds: spec.timeoutSeconds ?? 300,
  };
}

const spreading = 'prefer-spread-revision-over-nodes';

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

/**
 * compat cluster 5.6: the queue-proxy checks readiness, liveness is probed at the user's port, startup stays as
 * given.
 */
function userContainer(
  config: KnativeConfig,
  revision: Revision,
  container: RevisionContainer,
  index: number,
): JsonObject {
  const { readinessProbe, livenessProbe, ports, ...rest } = container;
  const isServing = container === servingContainer(revision.spec ?? {});
  const port = userPort(container);
  const digest = revision.status?.containerStatuses?.[index]?.imageDigest;
  return {
    ...rest,
    image: digest || container.image,
    env: [
      ...(container.env ?? []),
      ...(isServing ? [{ name: 'PORT', value: String(port) }] : []),
      ...identity(revision),
    ],
    lifecycle: { preStop: { httpGet: { path: '/wait-for-drain', port: 8022 } } },
    terminationMessagePolicy: container.terminationMessagePolicy ?? 'FallbackToLogsOnError',
    ...(isServing
      ? { ports: [{ containerPort: port, name: 'user-port', protocol: 'TCP' }] }
      : ports && { ports }),
    ...(livenessProbe && { livenessProbe: isServing ? atPort(config, livenessProbe, port) : livenessProbe }),
    ...(readinessProbe?.exec && { readinessProbe }),
  };
}

/** With multi-container-probing a liveness probe keeps the number of a port that it names. */
function atPort(config: KnativeConfig, probe: RevisionProbe, port: number): RevisionProbe {
  const isFree = isOn(config, 'multi-container-probing');
  const at = <T extends { port?: unknown }>(handler: T): T =>
    isFree && Number(handler.port) > 0 ? handler : { ...handler, port };
  if (probe.httpGet) return { ...probe, httpGet: at(probe.httpGet) };
  return probe.tcpSocket ? { ...probe, tcpSocket: at(probe.tcpSocket) } : probe;
}

const identity = ({ metadata }: Revision): JsonObject[] => [
  { name: 'K_REVISION', value: metadata.name },
  { name: 'K_CONFIGURATION', value: metadata.labels?.[label.configuration] ?? '' },
  { name: 'K_SERVICE', value: metadata.labels?.[label.service] ?? '' },
];
