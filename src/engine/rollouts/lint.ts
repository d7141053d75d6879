import type { AnalysisTemplate } from './analysis/analysis.ts';
import { isEndless } from './analysis/merge.ts';
import type { Experiment } from './experiment/experiment.ts';
import { experimentProblem } from './experiment/problem.ts';
import { canaryOf, type Rollout } from './rollout.ts';
import { staticProblem } from './validate.ts';

/** What lint says about an object of a file: what is wrong, and what Argo Rollouts would refuse or ignore. */
export type LintFinding = { readonly severity: 'error' | 'warning'; readonly message: string };

/** compat rollouts §16: without a cluster, so that nothing is said about Services, Ingresses and templates. */
export function lintRollout(rollout: Rollout): readonly LintFinding[] {
  const problem = staticProblem(rollout);
  const findings: LintFinding[] = problem === undefined ? [] : [{ severity: 'error', message: problem }];
  if (canaryOf(rollout)?.autoPromotionEnabled !== undefined)
    findings.push({
      severity: 'warning',
      message:
        'spec.strategy.canary.autoPromotionEnabled: Argo Rollouts would refuse this; here false waits after the last step',
    });
  return findings;
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

const rangeInAggregate = /\b(avg|sum|min|max|count)\s*\(\s*[\w:]+\s*(?:\{[^}]*\})?\s*\[[^\]]+\]\s*\)/;

/** compat rollouts RM-3, RM-6, RM-7: what often goes wrong in metrics. */
export function lintTemplate({ spec }: AnalysisTemplate): readonly LintFinding[] {
  return (spec?.metrics ?? []).flatMap((metric): LintFinding[] => {
    const { query = '' } = metric.provider?.prometheus ?? {};
    const [, aggregate] = rangeInAggregate.exec(query) ?? [];
    const at = `spec.metrics ${metric.name}`;
    const indexes =
      /result\[\d+\]/.test(metric.successCondition ?? '') &&
      !/len\(|default\(/.test(metric.successCondition ?? '');
    return [
      ...(aggregate
        ? [
            {
              severity: 'error' as const,
              message: `${at}: ${aggregate}() of a range is refused by Prometheus: use ${aggregate}_over_time()`,
            },
          ]
        : []),
      ...(isEndless(metric)
        ? [
            {
              severity: 'warning' as const,
              message: `${at}: interval without count: Argo Rollouts would refuse it in a step; here it is measured once`,
            },
          ]
        : []),
      ...(metric.provider?.prometheus && indexes
        ? [
            {
              severity: 'warning' as const,
              message: `${at}: an empty result is an error: guard the condition with len(result) > 0`,
            },
          ]
        : []),
    ];
  });
}
