import { parseDuration } from '#base/model';
import { FairleadError } from '#base/std';
import { compileRegex } from '#lang/regex';
import type { AnalysisMetric } from './analysis.ts';

const numberOf = (value: number | string | undefined, fallback: number): number =>
  value === undefined || value === '' ? fallback : Number(value);

/** The limits of a metric with their defaults, as numbers. */
export const limitsOfMetric = (metric: AnalysisMetric) => ({
  /** compat rollouts §10: once without an interval; undefined: without end. */
  count: countOf(metric),
  failure: numberOf(metric.failureLimit, 0),
  inconclusive: numberOf(metric.inconclusiveLimit, 0),
  consecutiveError: numberOf(metric.consecutiveErrorLimit, 4),
  consecutiveSuccess: numberOf(metric.consecutiveSuccessLimit, 0),
});

function countOf({ count, interval }: AnalysisMetric): number | undefined {
  const number = numberOf(count, 0);
  if (number > 0) return number;
  return interval ? undefined : 1;
}

/** compat rollouts RA-7: what is wrong with the metrics; undefined: nothing is. */
export function metricsProblem(metrics: readonly AnalysisMetric[]): string | undefined {
  if (metrics.length === 0) return 'no metrics specified';
  const names = new Set<string>();
  for (const [index, metric] of metrics.entries()) {
    if (names.has(metric.name)) return `metrics[${index}]: duplicate name '${metric.name}'`;
    names.add(metric.name);
    const problem = metricProblem(metric);
    if (problem !== undefined) return `metrics[${index}]: ${problem}`;
  }
  return undefined;
}

function metricProblem(metric: AnalysisMetric): string | undefined {
  return limitProblem(metric) ?? countProblem(metric) ?? providerProblem(metric) ?? durationProblem(metric);
}

function limitProblem(metric: AnalysisMetric): string | undefined {
  const { count = 1, failure, inconclusive, consecutiveError, consecutiveSuccess } = limitsOfMetric(metric);
  if (failure < -1 || (failure === -1 && consecutiveSuccess === 0))
    return 'failureLimit must be >= 0, or -1 with a consecutiveSuccessLimit';
  const others = [inconclusive, consecutiveError, consecutiveSuccess, count];
  return others.some((one) => one < 0 || Number.isNaN(one)) || Number.isNaN(failure)
    ? 'limits and counts must be numbers that are not negative'
    : undefined;
}

function countProblem(metric: AnalysisMetric): string | undefined {
  const { count, failure, inconclusive, consecutiveSuccess } = limitsOfMetric(metric);
  if (count === undefined) return undefined;
  if (!metric.interval && count > 1) return 'interval must be specified when count > 1';
  if (count < inconclusive) return 'count must be >= inconclusiveLimit';
  const needed = failure > 0 ? failure + consecutiveSuccess : consecutiveSuccess;
  return count < needed ? 'count must be >= failureLimit + consecutiveSuccessLimit' : undefined;
}

function providerProblem({ provider = {} }: AnalysisMetric): string | undefined {
  const names = Object.keys(provider).filter(
    (name) => provider[name] !== undefined && provider[name] !== null,
  );
  if (names.length === 0) return 'no provider specified';
  return names.length > 1 ? `multiple providers specified: ${names.join(', ')}` : undefined;
}

function durationProblem({ interval, initialDelay }: AnalysisMetric): string | undefined {
  for (const [name, text] of Object.entries({ interval, initialDelay })) {
    try {
      if (text) parseDuration(text);
    } catch {
      return `invalid ${name} '${text}': use a text such as 30s`;
    }
  }
  return undefined;
}

/** compat rollouts RA-11: the names that rules match, with the rule of each; a rule without a match is an error. */
export function matchedMetrics<Rule extends { readonly metricName: string }>(
  rules: readonly Rule[],
  metrics: readonly AnalysisMetric[],
  what: string,
): Map<string, Rule> {
  const matched = new Map<string, Rule>();
  for (const rule of rules) {
    const pattern = compileRegex(rule.metricName);
    const names = metrics.map(({ name }) => name).filter((name) => pattern.test(name));
    if (names.length === 0)
      throw new FairleadError('InvalidSpec', `${what}: no metric matches '${rule.metricName}'`);
    for (const name of names) matched.set(name, rule);
  }
  return matched;
}
