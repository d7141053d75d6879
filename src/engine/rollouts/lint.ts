import type { AnalysisTemplate } from './analysis/analysis.ts';
import { limitsOfMetric } from './analysis/checks.ts';
import { isEndless, mergeAnalysis } from './analysis/merge.ts';
import type { Experiment } from './experiment/experiment.ts';
import { experimentProblem } from './experiment/problem.ts';
import { canaryOf, type Rollout } from './rollout.ts';
import { type AnalysisPlace, analysesOf, staticProblem } from './validate.ts';

/** What lint says about an object of a file: what is wrong, and what Argo Rollouts would refuse or ignore. */
export type LintFinding = { readonly severity: 'error' | 'warning'; readonly message: string };

/**
 * compat rollouts §16: without a cluster, so that nothing is said about Services, Ingresses, and templates other than those that are
 * given.
 */
export function lintRollout(
  rollout: Rollout,
  templates: readonly AnalysisTemplate[] = [],
): readonly LintFinding[] {
  const problem = staticProblem(rollout, false);
  const findings: LintFinding[] = problem === undefined ? [] : [{ severity: 'error', message: problem }];
  if (canaryOf(rollout)?.autoPromotionEnabled !== undefined)
    findings.push({
      severity: 'warning',
      message:
        'spec.strategy.canary.autoPromotionEnabled: Argo Rollouts would refuse this; here false waits after the last step',
    });
  return [...findings, ...analysesOf(rollout).flatMap((one) => lintAnalysis(one, templates))];
}

/** compat rollouts RM-2: an argument that stands for the Service under test. */
function lintAnalysis(
  { path, analysis, service }: AnalysisPlace,
  templates: readonly AnalysisTemplate[],
): LintFinding[] {
  const find = (name: string, isClusterWide: boolean) =>
    templates.find(
      ({ kind, metadata }) =>
        metadata.name === name && (kind === 'ClusterAnalysisTemplate') === isClusterWide,
    );
  try {
    const args = analysis.args ?? [];
    const { remarks } = mergeAnalysis(analysis, { find, args, resolve: (arg) => arg, service });
    return remarks.map((remark) => ({ severity: 'warning', message: `${path}: ${remark}` }));
  } catch {
    return []; // what does not fit together is reported where all templates are known
  }
}

/** compat rollouts RX-1: without a cluster, so that nothing is said about its templates of analyses. */
export function lintExperiment(experiment: Experiment): readonly LintFinding[] {
  const problem = experimentProblem(experiment);
  if (problem !== undefined) return [{ severity: 'error', message: problem }];
  const { duration, analyses = [] } = experiment.spec ?? {};
  const hasEnd = Boolean(duration) || analyses.some(({ requiredForCompletion }) => requiredForCompletion);
  return hasEnd
    ? []
    : [
        {
          severity: 'warning',
          message:
            'spec.duration: without it, and without a required analysis, the Experiment runs until it is terminated',
        },
      ];
}

const statusOfText = /\bresult\s*\??\.\s*status\b/;
const rangeInAggregate = /\b(avg|sum|min|max|count)\s*\(\s*[\w:]+\s*(?:\{[^}]*\})?\s*\[[^\]]+\]\s*\)/;

/** compat rollouts RM-3, RM-4, RM-6, RM-7, RQ-11: what often goes wrong in metrics. */
export function lintTemplate({ spec }: AnalysisTemplate): readonly LintFinding[] {
  return (spec?.metrics ?? []).flatMap((metric): LintFinding[] => {
    const { query = '' } = metric.provider?.prometheus ?? {};
    const [, aggregate] = rangeInAggregate.exec(query) ?? [];
    const { successCondition = '', failureCondition = '' } = metric;
    const { count, failure, consecutiveSuccess } = limitsOfMetric(metric);
    const indexes = /result\[\d+\]/.test(successCondition) && !/len\(|default\(/.test(successCondition);
    const found: readonly (readonly [boolean, LintFinding['severity'], string])[] = [
      [
        aggregate !== undefined,
        'error',
        `${aggregate}() of a range is refused by Prometheus: use ${aggregate}_over_time()`,
      ],
      [
        isEndless(metric),
        'warning',
        'interval without count: Argo Rollouts would refuse it in a step; here it is measured once',
      ],
      [
        Boolean(metric.provider?.prometheus) && indexes,
        'warning',
        'an empty result is an error: guard the condition with len(result) > 0',
      ],
      [
        Boolean(metric.provider?.web) && statusOfText.test(`${successCondition} ${failureCondition}`),
        'warning',
        'result.status is a field of a JSON body, and the status of the response for a text body, which Argo Rollouts would not judge',
      ],
      [
        count !== undefined && failure >= count && consecutiveSuccess === 0,
        'warning',
        `failureLimit ${failure} is not below count ${count}: the metric cannot fail`,
      ],
    ];
    return found.flatMap(([applies, severity, message]) =>
      applies ? [{ severity, message: `spec.metrics ${metric.name}: ${message}` }] : [],
    );
  });
}
