import type { Ctx } from '#base/std';
import type { AnalysisMetric, AnalysisRun, Measurement } from '#engine/rollouts';
import type { KubeClient } from '#kubernetes/client';

/** One request to an address that a user wrote. The program that wires it refuses addresses that must not be reached. */
export type MetricRequest = {
  readonly url: URL;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly terms?: { readonly insecure?: boolean };
  /** Size limit of the response in bytes, and the timeout of all of it. */
  readonly most: number;
  readonly ms: number;
};
export type MetricAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
};

export type MetricProviderDeps = {
  readonly kube: KubeClient;
  request(ctx: Ctx, request: MetricRequest): Promise<MetricAnswer>;
  /** The address of Prometheus for metrics that name none. */
  readonly prometheusAddress?: string | undefined;
};

/** What a provider finds out: a finished measurement, or one that is in flight. The `warnings` of its metadata become an event. */
export type Taken = Omit<Measurement, 'startedAt' | 'finishedAt'>;
export type Subject = { readonly run: AnalysisRun; readonly metric: AnalysisMetric };

export type Provider = {
  measure(ctx: Ctx, deps: MetricProviderDeps, subject: Subject): Promise<Taken>;
  /** Reads a measurement that is in flight. */
  resume?(ctx: Ctx, deps: MetricProviderDeps, subject: Subject, flying: Measurement): Promise<Taken>;
  /** Ends a measurement that is in flight. */
  end?(ctx: Ctx, deps: MetricProviderDeps, subject: Subject, flying: Measurement): Promise<Taken>;
  /** What the result of the metric shows beside its measurements. */
  metadata?(subject: Subject): Record<string, string>;
};
