import { type Condition, type KubeObject, type LabelSelector, parseDuration } from '#base/model';
import { isFinished } from '../analysis/analysis.ts';
import type {
  AnalysisPhase,
  DryRunRule,
  ExperimentAnalysis,
  PodMetadata,
  RetentionRule,
  RolloutTemplate,
} from '../rollout.ts';

/** One version that an Experiment runs. */
export type ExperimentTemplate = {
  name: string;
  replicas?: number;
  minReadySeconds?: number;
  selector?: LabelSelector;
  template?: RolloutTemplate;
  service?: { name?: string };
};

export type ExperimentSpec = {
  templates?: ExperimentTemplate[];
  duration?: string;
  progressDeadlineSeconds?: number;
  scaleDownDelaySeconds?: number;
  analyses?: ExperimentAnalysis[];
  dryRun?: DryRunRule[];
  measurementRetention?: RetentionRule[];
  analysisRunMetadata?: PodMetadata;
  terminate?: boolean;
};

export type TemplatePhase = 'Progressing' | 'Running' | 'Successful' | 'Failed' | 'Error';
export type TemplateStatus = {
  name: string;
  replicas: number;
  updatedReplicas: number;
  readyReplicas: number;
  availableReplicas: number;
  status?: TemplatePhase;
  message?: string;
  lastTransitionTime?: string;
  serviceName?: string;
  podTemplateHash?: string;
};
/** The run of one analysis; without a name and a phase it has not begun. */
export type ExperimentRunStatus = {
  name: string;
  analysisRun: string;
  phase: AnalysisPhase | '';
  message?: string;
};

export type ExperimentStatus = {
  phase?: AnalysisPhase;
  message?: string;
  availableAt?: string;
  templateStatuses?: TemplateStatus[];
  analysisRuns?: ExperimentRunStatus[];
  conditions?: Condition[];
};

export type Experiment = KubeObject<ExperimentSpec, ExperimentStatus>;

export const templatesOf = ({ spec }: Experiment): readonly ExperimentTemplate[] => spec?.templates ?? [];
export const analysesOf = ({ spec }: Experiment): readonly ExperimentAnalysis[] => spec?.analyses ?? [];
export const progressSeconds = ({ spec }: Experiment): number => spec?.progressDeadlineSeconds ?? 600;

export const templateStatus = (
  status: ExperimentStatus | undefined,
  name: string,
): TemplateStatus | undefined => status?.templateStatuses?.find((one) => one.name === name);
export const runStatus = (
  status: ExperimentStatus | undefined,
  name: string,
): ExperimentRunStatus | undefined => status?.analysisRuns?.find((one) => one.name === name);

export const isTemplateDone = ({ status }: Partial<Pick<TemplateStatus, 'status'>>): boolean =>
  status === 'Successful' || status === 'Failed' || status === 'Error';

/** Whether an analysis, or an Experiment, has ended without a good verdict. */
export const isBad = (phase: AnalysisPhase | '' | undefined): boolean =>
  phase === 'Failed' || phase === 'Error' || phase === 'Inconclusive';

/** compat rollouts RX-2: whether there are required analyses and all of them have succeeded. */
export function areRequiredSuccessful(
  experiment: Experiment,
  status: ExperimentStatus | undefined = experiment.status,
): boolean {
  const required = analysesOf(experiment).filter(({ requiredForCompletion }) => requiredForCompletion);
  return required.length > 0 && required.every(({ name }) => runStatus(status, name)?.phase === 'Successful');
}

/** compat rollouts RX-2: whether it ends: nothing is started any more, pods are removed and runs are terminated. */
export function isEnding(experiment: Experiment): boolean {
  const { spec, status } = experiment;
  if (spec?.terminate || isFinished(status?.phase)) return true;
  const hasFailed = (status?.templateStatuses ?? []).some(
    ({ status: phase }) => phase === 'Failed' || phase === 'Error',
  );
  const hasBadRun = (status?.analysisRuns ?? []).some(({ phase }) => isBad(phase));
  return hasFailed || hasBadRun || areRequiredSuccessful(experiment);
}

/** When the Experiment has run for its duration; undefined: it is not available yet, or has none. */
export function endOf({ spec, status }: Experiment): number | undefined {
  if (!spec?.duration || !status?.availableAt) return undefined;
  return Date.parse(status.availableAt) + parseDuration(spec.duration);
}

/** The Service of a template, if it has one: named after its ReplicaSet unless it has a name of its own. */
export const serviceNameOf = ({ metadata }: Experiment, { name, service }: ExperimentTemplate): string =>
  service?.name || `${metadata.name}-${name}`;

export const experimentOwner = ({ metadata }: Experiment) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Experiment',
  name: metadata.name,
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});
