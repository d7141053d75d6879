import type { KubeObject, ObjectMeta } from '#base/model';
import type { JsonObject } from '#kubernetes/schema';
import type { Container, Volume } from '../pod/view.ts';
import type { KnativeCondition } from './conditions.ts';

/** The parts of Knative's objects that this folder reads. Any of them may be missing. */
export type RevisionSpec = {
  readonly containerConcurrency?: number;
  readonly timeoutSeconds?: number;
  readonly responseStartTimeoutSeconds?: number;
  readonly idleTimeoutSeconds?: number;
  readonly enableServiceLinks?: boolean;
  readonly automountServiceAccountToken?: boolean;
  readonly serviceAccountName?: string;
  readonly imagePullSecrets?: readonly JsonObject[];
  readonly securityContext?: JsonObject;
  readonly containers?: readonly RevisionContainer[];
  readonly initContainers?: readonly RevisionContainer[];
  readonly volumes?: readonly Volume[];
};

export type RevisionContainer = Container & {
  readonly livenessProbe?: RevisionProbe;
  readonly readinessProbe?: RevisionProbe;
  readonly startupProbe?: RevisionProbe;
  readonly volumeMounts?: readonly JsonObject[];
  readonly securityContext?: JsonObject;
  readonly terminationMessagePolicy?: string;
};

export type RevisionProbe = JsonObject & {
  httpGet?: JsonObject;
  tcpSocket?: JsonObject;
  grpc?: JsonObject;
  exec?: JsonObject;
  periodSeconds?: number;
  timeoutSeconds?: number;
  failureThreshold?: number;
  successThreshold?: number;
};

export type RevisionTemplate = { readonly metadata?: Partial<ObjectMeta>; readonly spec?: RevisionSpec };

export type TrafficTarget = {
  readonly tag?: string;
  readonly revisionName?: string;
  readonly configurationName?: string;
  readonly latestRevision?: boolean;
  readonly percent?: number;
  readonly url?: string;
};

type Common = { readonly observedGeneration?: number; readonly conditions?: readonly KnativeCondition[] };

type RouteFields = {
  readonly url?: string;
  readonly address?: { readonly url?: string };
  readonly traffic?: readonly TrafficTarget[];
};
type ConfigurationFields = {
  readonly latestCreatedRevisionName?: string;
  readonly latestReadyRevisionName?: string;
};

export type ServiceSpec = {
  readonly template?: RevisionTemplate;
  readonly traffic?: readonly TrafficTarget[];
};
export type KnativeService = KubeObject<ServiceSpec, Common & RouteFields & ConfigurationFields>;
export type Configuration = KubeObject<
  { readonly template?: RevisionTemplate },
  Common & ConfigurationFields
>;
export type KnativeRoute = KubeObject<{ readonly traffic?: readonly TrafficTarget[] }, Common & RouteFields>;
export type Revision = KubeObject<
  RevisionSpec,
  Common & {
    readonly actualReplicas?: number;
    readonly desiredReplicas?: number;
    readonly containerStatuses?: readonly { readonly name?: string; readonly imageDigest?: string }[];
  }
>;
export type PodAutoscaler = KubeObject<
  {
    readonly reachability?: string;
    readonly protocolType?: string;
    readonly containerConcurrency?: number;
    readonly scaleTargetRef?: { readonly name?: string };
  },
  Common & {
    readonly actualScale?: number;
    readonly desiredScale?: number;
    readonly serviceName?: string;
    readonly metricsServiceName?: string;
  }
>;
export type ServerlessService = KubeObject<
  {
    readonly mode?: string;
    readonly numActivators?: number;
    readonly protocolType?: string;
    readonly objectRef?: { readonly name?: string };
  },
  Common & { readonly serviceName?: string; readonly privateServiceName?: string }
>;
export type KnativeIngress = KubeObject<JsonObject, Common & JsonObject>;

export const readyOf = (object: KubeObject): KnativeCondition | undefined =>
  (object.status as Common | undefined)?.conditions?.find(({ type }) => type === 'Ready');

/** Whether the object's controller has observed the latest spec. */
export const isCurrent = (object: KubeObject): boolean =>
  (object.status as Common | undefined)?.observedGeneration === object.metadata.generation;

export const isReadyNow = (object: KubeObject): boolean =>
  isCurrent(object) && readyOf(object)?.status === 'True';

/** The serving container: the only one, or the one with a port. */
export function servingContainer({ containers = [] }: RevisionSpec): RevisionContainer | undefined {
  return containers.length === 1 ? containers[0] : containers.find(({ ports = [] }) => ports.length > 0);
}

/** The port of the serving container. */
export const userPort = ({ ports }: RevisionContainer): number => ports?.[0]?.containerPort || 8080;
export const isHttp2 = ({ ports }: RevisionContainer): boolean => ports?.[0]?.name === 'h2c';
