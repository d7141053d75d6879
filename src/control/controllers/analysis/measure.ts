import { printTime, secretText } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import {
  type AnalysisMetric,
  type AnalysisRun,
  isFinished,
  type Measurement,
  type MetricTask,
  substitute,
} from '#engine/rollouts';
import type { KubeClient } from '#kubernetes/client';
import { job } from './providers/job.ts';
import { prometheus } from './providers/prometheus.ts';
import type { MetricProviderDeps, Provider, Taken } from './providers/provider.ts';
import { web } from './providers/web.ts';

const providers: Readonly<Record<string, Provider>> = { prometheus, web, job };

/** The provider of a metric that this controller does not have; undefined: it has it. */
export function unknownProvider({ provider = {} }: AnalysisMetric): string | undefined {
  return Object.keys(provider).find((name) => provider[name] && !Object.hasOwn(providers, name));
}

const providerOf = ({ provider = {} }: AnalysisMetric): Provider | undefined =>
  Object.entries(providers).find(([name]) => provider[name])?.[1];

/** The arguments of a run; those of Secrets are read at each measurement. */
export type ArgumentValues = {
  readonly values: ReadonlyMap<string, string>;
  readonly secrets: readonly string[];
};

/** compat rollouts RA-2. Throws InvalidSpec or NotFound with the name of the argument. */
export async function readArguments(
  ctx: Ctx,
  kube: Pick<KubeClient, 'find'>,
  { metadata, spec }: AnalysisRun,
): Promise<ArgumentValues> {
  const values = new Map<string, string>();
  const secrets: string[] = [];
  for (const { name, value, valueFrom } of spec?.args ?? []) {
    const { secretKeyRef } = valueFrom ?? {};
    if (value !== undefined) values.set(name, value);
    else if (secretKeyRef) {
      const text = await secretValue(ctx, kube, { ...secretKeyRef, namespace: metadata.namespace });
      if (text === undefined)
        throw new FairleadError(
          'NotFound',
          `args.${name}: Secret ${secretKeyRef.name} has no key ${secretKeyRef.key}`,
        );
      secrets.push(text);
      values.set(name, text);
    }
  }
  return { values, secrets };
}

async function secretValue(
  ctx: Ctx,
  kube: Pick<KubeClient, 'find'>,
  { namespace, name = '', key = '' }: { namespace?: string | undefined; name?: string; key?: string },
): Promise<string | undefined> {
  const secret = await kube.find(ctx, { apiVersion: 'v1', kind: 'Secret', namespace, name });
  return secret && secretText(secret)[key];
}

/** The metrics with their arguments, and a word in place of secrets: for everything that is shown. */
export function shownMetrics(run: AnalysisRun): AnalysisMetric[] {
  const values = new Map(
    (run.spec?.args ?? [])
      .map(({ name, value, valueFrom }) => [name, value ?? (valueFrom ? '*****' : undefined)] as const)
      .filter((pair): pair is readonly [string, string] => pair[1] !== undefined),
  );
  return (run.spec?.metrics ?? []).map((metric) => substitute(metric, values));
}

export type Measuring = { readonly run: AnalysisRun; readonly args: ArgumentValues; readonly ends: boolean };

/** Takes one measurement. An error becomes a measurement; nothing in it shows a secret (compat rollouts RA-20). */
export async function takeMeasurement(
  ctx: Ctx,
  deps: MetricProviderDeps,
  task: MetricTask,
  { run, args, ends }: Measuring,
): Promise<Measurement> {
  const startedAt = task.resumed?.startedAt ?? printTime(ctx.clock.now());
  const taken = await attempt(ctx, deps, task, { run, args, ends }).catch((error: unknown): Taken => {
    if (ctx.signal.aborted) throw error;
    const { metadata } = task.resumed ?? {};
    return { phase: 'Error', message: FairleadError.from(error).message, ...(metadata && { metadata }) };
  });
  const finished = isFinished(taken.phase) ? { finishedAt: printTime(ctx.clock.now()) } : {};
  return redacted({ ...taken, startedAt, ...finished }, args.secrets);
}

async function attempt(
  ctx: Ctx,
  deps: MetricProviderDeps,
  { metric, resumed }: MetricTask,
  { run, args, ends }: Measuring,
): Promise<Taken> {
  const whole = run.spec?.metrics?.find(({ name }) => name === metric.name) ?? metric;
  const subject = { run, metric: substitute(whole, args.values) };
  const provider = providerOf(metric);
  if (!provider) throw new FairleadError('InvalidSpec', 'no provider specified');
  if (!resumed) return provider.measure(ctx, deps, subject);
  if (ends)
    return provider.end
      ? provider.end(ctx, deps, subject, resumed)
      : { phase: 'Successful', message: 'Metric Terminated' };
  return provider.resume
    ? provider.resume(ctx, deps, subject, resumed)
    : provider.measure(ctx, deps, subject);
}

/** What the result of a metric shows: made of the metric without secrets (compat rollouts RQ-6). */
export const metadataOf = (run: AnalysisRun, metric: AnalysisMetric): Record<string, string> | undefined =>
  providerOf(metric)?.metadata?.({ run, metric });

function redacted(measurement: Measurement, secrets: readonly string[]): Measurement {
  const hide = (text: string): string =>
    secrets
      .filter((secret) => secret !== '')
      .reduce((shown, secret) => shown.replaceAll(secret, '*****'), text);
  const { message, value, metadata } = measurement;
  return {
    ...measurement,
    ...(message !== undefined && { message: hide(message) }),
    ...(value !== undefined && { value: hide(value) }),
    ...(metadata && {
      metadata: Object.fromEntries(Object.entries(metadata).map(([key, text]) => [key, hide(text)])),
    }),
  };
}
