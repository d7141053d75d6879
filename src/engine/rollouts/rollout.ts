import type { Condition, KubeObject, LabelSelector } from '#base/model';

type Strings = Record<string, string>;
/** A number, or a text that holds one or a percentage. */
export type IntOrText = number | string;

export type RolloutTemplate = {
  metadata?: { labels?: Strings; annotations?: Strings };
  spec?: Record<string, unknown>;
};
export type PodMetadata = { labels?: Strings; annotations?: Strings };

type ArgumentSource = {
  podTemplateHashValue?: 'Latest' | 'Stable';
  fieldRef?: { fieldPath?: string };
  secretKeyRef?: { name?: string; key?: string };
};
export type AnalysisArgument = { name: string; value?: string; valueFrom?: ArgumentSource };
export type TemplateRef = { templateName?: string; clusterScope?: boolean };
export type DryRunRule = { metricName: string };
export type RetentionRule = { metricName: string; limit: number };
/** An analysis that a Rollout requests. */
export type RolloutAnalysis = {
  templates?: TemplateRef[];
  args?: AnalysisArgument[];
  dryRun?: DryRunRule[];
  measurementRetention?: RetentionRule[];
  analysisRunMetadata?: PodMetadata;
  startingStep?: number;
};

export type StringMatch = { exact?: string; prefix?: string; regex?: string };
export type HeaderMatch = { headerName: string; headerValue?: StringMatch };
export type MirrorMatch = { method?: StringMatch; path?: StringMatch; headers?: Record<string, StringMatch> };
export type ExperimentStepTemplate = {
  name: string;
  specRef: 'stable' | 'canary';
  replicas?: number;
  metadata?: PodMetadata;
  selector?: LabelSelector;
  weight?: number;
  service?: { name?: string };
};
export type ExperimentAnalysis = {
  name: string;
  templateName: string;
  clusterScope?: boolean;
  args?: AnalysisArgument[];
  requiredForCompletion?: boolean;
};
export type ExperimentStep = {
  templates?: ExperimentStepTemplate[];
  duration?: string;
  analyses?: ExperimentAnalysis[];
  dryRun?: DryRunRule[];
  analysisRunMetadata?: PodMetadata;
  scaleDownDelaySeconds?: number;
};

/** One action of a canary; exactly one of the fields is set. */
export type CanaryStep = {
  setWeight?: number;
  pause?: { duration?: IntOrText };
  experiment?: ExperimentStep;
  analysis?: RolloutAnalysis;
  setCanaryScale?: { weight?: number; replicas?: number; matchTrafficWeight?: boolean };
  setHeaderRoute?: { name?: string; match?: HeaderMatch[] };
  setMirrorRoute?: { name?: string; match?: MirrorMatch[]; percentage?: number };
  plugin?: { name?: string; config?: unknown };
};

export type NginxRouting = {
  stableIngress?: string;
  stableIngresses?: string[];
  annotationPrefix?: string;
  additionalIngressAnnotations?: Strings;
  canaryIngressAnnotations?: Strings;
};
export type VirtualServiceRef = { name: string; routes?: string[] };
export type IstioRouting = {
  virtualService?: VirtualServiceRef;
  virtualServices?: VirtualServiceRef[];
  destinationRule?: { name: string; canarySubsetName?: string; stableSubsetName?: string };
};
type TrafficRouting = {
  nginx?: NginxRouting;
  istio?: IstioRouting;
  plugins?: Record<string, unknown>;
  managedRoutes?: { name: string }[];
  maxTrafficWeight?: number;
  [router: string]: unknown;
};

export type CanaryStrategy = {
  steps?: CanaryStep[];
  maxSurge?: IntOrText;
  maxUnavailable?: IntOrText;
  canaryService?: string;
  stableService?: string;
  trafficRouting?: TrafficRouting;
  analysis?: RolloutAnalysis;
  scaleDownDelaySeconds?: number;
  scaleDownDelayRevisionLimit?: number;
  abortScaleDownDelaySeconds?: number;
  dynamicStableScale?: boolean;
  minPodsPerReplicaSet?: number;
  replicaProgressThreshold?: { type?: 'Percent' | 'Pods'; value?: number };
  canaryMetadata?: PodMetadata;
  stableMetadata?: PodMetadata;
  antiAffinity?: AntiAffinity;
  pingPong?: { pingService?: string; pongService?: string };
  /** compat rollouts RM-1: an addition of ours. */
  autoPromotionEnabled?: boolean;
};

type AntiAffinity = {
  preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number };
  requiredDuringSchedulingIgnoredDuringExecution?: object;
};

export type BlueGreenStrategy = {
  activeService?: string;
  previewService?: string;
  autoPromotionEnabled?: boolean;
  autoPromotionSeconds?: number;
  previewReplicaCount?: number;
  prePromotionAnalysis?: RolloutAnalysis;
  postPromotionAnalysis?: RolloutAnalysis;
  scaleDownDelaySeconds?: number;
  scaleDownDelayRevisionLimit?: number;
  abortScaleDownDelaySeconds?: number;
  maxUnavailable?: IntOrText;
  previewMetadata?: PodMetadata;
  activeMetadata?: PodMetadata;
  antiAffinity?: AntiAffinity;
};

type WorkloadRef = {
  apiVersion?: string;
  kind?: string;
  name?: string;
  scaleDown?: 'never' | 'onsuccess' | 'progressively';
};

export type RolloutSpec = {
  replicas?: number;
  selector?: LabelSelector;
  template?: RolloutTemplate;
  workloadRef?: WorkloadRef;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  progressDeadlineSeconds?: number;
  progressDeadlineAbort?: boolean;
  paused?: boolean;
  restartAt?: string;
  rollbackWindow?: { revisions?: number };
  analysis?: { successfulRunHistoryLimit?: number; unsuccessfulRunHistoryLimit?: number };
  strategy?: { canary?: CanaryStrategy; blueGreen?: BlueGreenStrategy };
};

export type PauseReason =
  | 'CanaryPauseStep'
  | 'BlueGreenPause'
  | 'InconclusiveAnalysisRun'
  | 'InconclusiveExperiment';
export type PauseCondition = { reason: PauseReason; startTime: string };
export type RunStatus = { name: string; status: AnalysisPhase; message?: string };
export type WeightDestination = { weight: number; serviceName?: string; podTemplateHash?: string };
export type TrafficWeights = {
  canary: WeightDestination;
  stable: WeightDestination;
  additional?: WeightDestination[];
  verified?: boolean;
};
export type RolloutPhase = 'Healthy' | 'Degraded' | 'Progressing' | 'Paused';

export type RolloutStatus = {
  observedGeneration?: string;
  phase?: RolloutPhase;
  message?: string;
  currentPodHash?: string;
  stableRS?: string;
  currentStepIndex?: number;
  currentStepHash?: string;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  HPAReplicas?: number;
  selector?: string;
  pauseConditions?: PauseCondition[];
  controllerPause?: boolean;
  abort?: boolean;
  abortedAt?: string;
  promoteFull?: boolean;
  restartedAt?: string;
  collisionCount?: number;
  workloadObservedGeneration?: string;
  conditions?: Condition[];
  canary?: {
    currentStepAnalysisRunStatus?: RunStatus;
    currentBackgroundAnalysisRunStatus?: RunStatus;
    currentExperiment?: string;
    weights?: TrafficWeights;
    stablePingPong?: string;
    stepPluginStatuses?: unknown[];
  };
  blueGreen?: {
    previewSelector?: string;
    activeSelector?: string;
    scaleUpPreviewCheckPoint?: boolean;
    prePromotionAnalysisRunStatus?: RunStatus;
    postPromotionAnalysisRunStatus?: RunStatus;
  };
};

export type Rollout = KubeObject<RolloutSpec, RolloutStatus>;

export type RolloutReplicaSet = KubeObject<
  { replicas?: number; minReadySeconds?: number; selector?: LabelSelector; template?: RolloutTemplate },
  {
    replicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    observedGeneration?: number;
    conditions?: Condition[];
  }
>;

export type AnalysisPhase = 'Pending' | 'Running' | 'Successful' | 'Failed' | 'Error' | 'Inconclusive';

/** The labels and annotations on the wire. */
export const rolloutKey = {
  hash: 'rollouts-pod-template-hash',
  revision: 'rollout.argoproj.io/revision',
  revisionHistory: 'rollout.argoproj.io/revision-history',
  desiredReplicas: 'rollout.argoproj.io/desired-replicas',
  ephemeralMetadata: 'rollout.argoproj.io/ephemeral-metadata',
  workloadGeneration: 'rollout.argoproj.io/workload-generation',
  scaleDownDeadline: 'scale-down-deadline',
  managedBy: 'argo-rollouts.argoproj.io/managed-by-rollouts',
  instanceId: 'argo-rollouts.argoproj.io/controller-instance-id',
  rolloutType: 'rollout-type',
  stepIndex: 'step-index',
  experimentName: 'experiment.argoproj.io/name',
  experimentTemplate: 'experiment.argoproj.io/template-name',
  stepHash: 'fairlead.io/step-hash',
  candidateUrl: 'fairlead.io/candidate-url',
  trafficCorrected: 'fairlead.io/traffic-corrected-at',
} as const;

/** compat rollouts §2: the size when the spec names none. */
export const replicasOf = ({ spec }: Rollout): number => spec?.replicas ?? 1;
export const canaryOf = ({ spec }: Rollout): CanaryStrategy | undefined => spec?.strategy?.canary;
export const blueGreenOf = ({ spec }: Rollout): BlueGreenStrategy | undefined => spec?.strategy?.blueGreen;
export const stepsOf = (rollout: Rollout): readonly CanaryStep[] => canaryOf(rollout)?.steps ?? [];

/** The weight that stands for all traffic. */
export const maxWeightOf = (rollout: Rollout): number =>
  canaryOf(rollout)?.trafficRouting?.maxTrafficWeight ?? 100;

/** Whether the current template is the stable one. */
export const isPromoted = ({ status }: Rollout): boolean =>
  status?.stableRS !== undefined && status.stableRS !== '' && status.stableRS === status.currentPodHash;
