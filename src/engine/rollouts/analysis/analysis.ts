import type { KubeObject } from '#base/model';
import type {
  AnalysisArgument,
  AnalysisPhase,
  DryRunRule,
  IntOrText,
  RetentionRule,
  TemplateRef,
} from '../rollout.ts';

type KeyValue = { key: string; value: string };
type PrometheusMetric = {
  address?: string;
  query?: string;
  timeout?: number;
  insecure?: boolean;
  headers?: KeyValue[];
  authentication?: Record<string, unknown>;
  rangeQuery?: { start?: string; end?: string; step?: string };
};
type WebMetric = {
  url?: string;
  method?: string;
  headers?: KeyValue[];
  body?: string;
  jsonBody?: unknown;
  timeoutSeconds?: number;
  jsonPath?: string;
  insecure?: boolean;
  authentication?: Record<string, unknown>;
};
type JobMetric = {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: Record<string, unknown>;
};
type MetricProvider = {
  prometheus?: PrometheusMetric;
  web?: WebMetric;
  job?: JobMetric;
  [provider: string]: unknown;
};

/** One metric of an analysis. Limits and counts may be texts, because arguments may stand in them. */
export type AnalysisMetric = {
  name: string;
  interval?: string;
  initialDelay?: string;
  count?: IntOrText;
  successCondition?: string;
  failureCondition?: string;
  failureLimit?: IntOrText;
  inconclusiveLimit?: IntOrText;
  consecutiveErrorLimit?: IntOrText;
  consecutiveSuccessLimit?: IntOrText;
  provider?: MetricProvider;
};

type AnalysisTemplateSpec = {
  metrics?: AnalysisMetric[];
  args?: AnalysisArgument[];
  dryRun?: DryRunRule[];
  measurementRetention?: RetentionRule[];
  templates?: TemplateRef[];
};
/** An AnalysisTemplate or a ClusterAnalysisTemplate. */
export type AnalysisTemplate = KubeObject<AnalysisTemplateSpec>;

export type Measurement = {
  phase: AnalysisPhase;
  message?: string;
  startedAt?: string;
  finishedAt?: string;
  resumeAt?: string;
  value?: string;
  metadata?: Record<string, string>;
};
export type MetricResult = {
  name: string;
  phase: AnalysisPhase;
  message?: string;
  count?: number;
  successful?: number;
  failed?: number;
  inconclusive?: number;
  error?: number;
  consecutiveError?: number;
  consecutiveSuccess?: number;
  dryRun?: boolean;
  metadata?: Record<string, string>;
  measurements?: Measurement[];
};
export type RunSummary = {
  count?: number;
  successful?: number;
  failed?: number;
  inconclusive?: number;
  error?: number;
};
export type AnalysisRunStatus = {
  phase?: AnalysisPhase;
  message?: string;
  startedAt?: string;
  completedAt?: string;
  runSummary?: RunSummary;
  dryRunSummary?: RunSummary;
  metricResults?: MetricResult[];
};
export type AnalysisRunSpec = Omit<AnalysisTemplateSpec, 'templates'> & {
  terminate?: boolean;
  ttlStrategy?: {
    secondsAfterCompletion?: number;
    secondsAfterSuccess?: number;
    secondsAfterFailure?: number;
  };
};
export type AnalysisRun = KubeObject<AnalysisRunSpec, AnalysisRunStatus>;

export const isFinished = (phase: AnalysisPhase | '' | undefined): boolean =>
  phase === 'Successful' || phase === 'Failed' || phase === 'Error' || phase === 'Inconclusive';
