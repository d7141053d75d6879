import type { Condition, KubeObject, ObjectMeta } from '#base/model';
import type { JsonObject } from '#kubernetes/schema';

/** The parts of a pod that the controllers read. Any of them may be missing. */
export type Pod = KubeObject<PodSpec, PodStatus>;

export type PodSpec = {
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly hostNetwork?: boolean;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: {
        readonly nodeSelectorTerms?: readonly {
          readonly matchFields?: readonly { readonly key?: string; readonly values?: readonly string[] }[];
        }[];
      };
    };
  };
  readonly schedulingGates?: readonly { readonly name?: string }[];
  readonly readinessGates?: readonly { readonly conditionType?: string }[];
};

export type Container = {
  readonly name?: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly restartPolicy?: string;
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort?: number;
    readonly protocol?: string;
  }[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[];
  readonly resources?: { readonly requests?: JsonObject; readonly limits?: JsonObject };
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
};

type Probe = { readonly initialDelaySeconds?: number; readonly periodSeconds?: number };

export type Reference = { readonly name?: string; readonly key?: string; readonly optional?: boolean };
type EnvVar = {
  readonly name?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: Reference;
    readonly secretKeyRef?: Reference;
    readonly fieldRef?: { readonly fieldPath?: string };
  };
};
type EnvFrom = { readonly configMapRef?: Reference; readonly secretRef?: Reference };

export type Volume = {
  readonly name?: string;
  readonly configMap?: Reference;
  readonly secret?: { readonly secretName?: string; readonly optional?: boolean };
  readonly persistentVolumeClaim?: { readonly claimName?: string };
};

export type PodStatus = {
  readonly phase?: string;
  readonly startTime?: string;
  readonly podIP?: string;
  readonly qosClass?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly PodCondition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
};

export type PodCondition = Condition & { lastProbeTime?: string | null };

export type ContainerStatus = {
  readonly name: string;
  readonly image?: string;
  readonly imageID?: string;
  readonly containerID?: string;
  readonly ready: boolean;
  readonly started?: boolean;
  readonly restartCount: number;
  readonly state: ContainerState;
  readonly lastState: ContainerState;
};

type ContainerState = {
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly running?: { readonly startedAt: string };
  readonly terminated?: Terminated;
};

export type Terminated = {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly containerID: string;
};

/** The template that pods are created from. */
export type PodTemplate = { readonly metadata?: Partial<ObjectMeta>; readonly spec?: PodSpec };

export const isReady = (pod: KubeObject): boolean =>
  (pod as Pod).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

export const phaseOf = (pod: KubeObject): string => (pod as Pod).status?.phase ?? 'Pending';

/** Neither finished nor terminating. */
export const isActive = (pod: KubeObject): boolean =>
  pod.metadata.deletionTimestamp === undefined && phaseOf(pod) !== 'Succeeded' && phaseOf(pod) !== 'Failed';

/** The node of a pod, or the one node that its affinity requires. */
export function targetNode(pod: KubeObject): string | undefined {
  const { nodeName, affinity } = (pod as Pod).spec ?? {};
  if (nodeName) return nodeName;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const names = terms?.[0]?.matchFields?.find(({ key }) => key === 'metadata.name')?.values ?? [];
  return names.length === 1 ? names[0] : undefined;
}
