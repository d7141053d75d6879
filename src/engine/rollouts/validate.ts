import { matches, selectorOf } from '#base/model';
import { isEndless } from './analysis/merge.ts';
import { knativeProblem, knativeSpecProblem } from './knative/problem.ts';
import { knativeOf, serviceUnderTest } from './knative/settings.ts';
import type { Draft } from './pass.ts';
import {
  blueGreenOf,
  type CanaryStrategy,
  canaryOf,
  type Rollout,
  type RolloutAnalysis,
  type RolloutSpec,
  rolloutKey,
} from './rollout.ts';
import { routersOf } from './routers/reconcile-traffic.ts';
import { specOfRun } from './runs.ts';
import { stepProblem } from './step-problem.ts';

/** compat rollouts RV-2, RV-3: the first thing that is wrong, as `path: what`; undefined: the Rollout may be acted upon. */
export function problemOf(draft: Draft): string | undefined {
  const { rollout } = draft;
  const problem = staticProblem(rollout);
  if (problem !== undefined) return problem;
  const around = knativeOf(rollout) ? knativeProblem(draft) : (serviceProblem(draft) ?? routerProblem(draft));
  return around ?? analysisProblem(draft);
}

/**
 * The first thing that is wrong in the Rollout itself, whatever is around it. Where the workload that it refers to was not read,
 * nothing is said about its template.
 */
export function staticProblem(rollout: Rollout, isWorkloadRead = true): string | undefined {
  const canary = canaryOf(rollout);
  if (canary && knativeOf(rollout)) return knativeSpecProblem(rollout) ?? stepsProblem(canary, rollout);
  if (canary?.pingPong) return 'spec.strategy.canary.pingPong: is not supported by this controller yet';
  const pods = specProblem(rollout, isWorkloadRead);
  return pods ?? (canary ? canaryProblem(canary, rollout) : blueGreenProblem(rollout));
}

function specProblem({ spec = {} }: Rollout, isWorkloadRead: boolean): string | undefined {
  const { strategy = {}, progressDeadlineSeconds = 600, minReadySeconds = 0 } = spec;
  const isPartial = spec.workloadRef !== undefined && !isWorkloadRead;
  const workload = workloadProblem(spec, isPartial) ?? (isPartial ? undefined : templateProblem(spec));
  if (workload !== undefined) return workload;
  if (progressDeadlineSeconds <= minReadySeconds)
    return `spec.progressDeadlineSeconds: ${progressDeadlineSeconds} must be greater than minReadySeconds`;
  if (strategy.canary && strategy.blueGreen)
    return 'spec.strategy: Multiple Strategies can not be listed: keep canary or blueGreen';
  if (!strategy.canary && !strategy.blueGreen)
    return 'spec.strategy.strategy: Rollout has missing field: add canary or blueGreen';
  return undefined;
}

const workloads: ReadonlySet<string> = new Set(['apps/Deployment', 'apps/ReplicaSet', '/PodTemplate']);

function workloadProblem({ workloadRef, template }: RolloutSpec, isPartial: boolean): string | undefined {
  if (!workloadRef) return undefined;
  const { apiVersion = '', kind = '', name = '' } = workloadRef;
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  if (!workloads.has(`${group}/${kind}`))
    return `spec.workloadRef: ${apiVersion} ${kind} can not be referred to: use a Deployment, a ReplicaSet or a PodTemplate`;
  if (!template && !isPartial) return `spec.workloadRef.name: ${kind} '${name}' not found`;
  return undefined;
}

function templateProblem({ selector, template }: RolloutSpec): string | undefined {
  if (!selector) return "spec.selector: Rollout has missing field '.spec.selector'";
  const isEmpty =
    Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
  if (isEmpty) return 'spec.selector: This rollout is selecting all pods. A non-empty selector is required.';
  if (!template?.spec) return "spec.template: Rollout has missing field '.spec.template'";
  if (!matches(selectorOf(selector), template.metadata?.labels ?? {}))
    return 'spec.template.metadata.labels: `selector` does not match template `labels`';
  const { containers } = template.spec;
  if (!Array.isArray(containers) || containers.length === 0)
    return 'spec.template.spec.containers: Required value: a pod has at least one container';
  return undefined;
}

const isZero = (value: unknown): boolean => value === 0 || value === '0' || value === '0%';

function canaryProblem(canary: CanaryStrategy, rollout: Rollout): string | undefined {
  const at = 'spec.strategy.canary';
  const { canaryService, stableService, trafficRouting } = canary;
  if (isZero(canary.maxSurge) && isZero(canary.maxUnavailable))
    return `${at}.maxSurge: maxSurge and maxUnavailable both can not be zero`;
  if (canaryService && canaryService === stableService)
    return `${at}.stableService: This rollout uses the same service for the stable and canary services, but two different services are required.`;
  const unrouted = trafficRouting ? undefined : routedOnly.find((name) => canary[name] !== undefined);
  if (unrouted) return `${at}.${unrouted}: can only be used with traffic routing`;
  if (canary.dynamicStableScale && canary.scaleDownDelaySeconds !== undefined)
    return `${at}.dynamicStableScale: Canary dynamicStableScale can not be used with scaleDownDelaySeconds`;
  return stepsProblem(canary, rollout);
}

function stepsProblem({ steps = [] }: CanaryStrategy, rollout: Rollout): string | undefined {
  const problems = steps.map((step) => stepProblem(step, rollout));
  const index = problems.findIndex((problem) => problem !== undefined);
  return index < 0 ? undefined : `spec.strategy.canary.steps[${index}].${problems[index]}`;
}

const routedOnly = ['scaleDownDelaySeconds', 'dynamicStableScale', 'minPodsPerReplicaSet'] as const;

function blueGreenProblem(rollout: Rollout): string | undefined {
  const at = 'spec.strategy.blueGreen';
  const { activeService, previewService, scaleDownDelayRevisionLimit } = blueGreenOf(rollout) ?? {};
  if (!activeService) return `${at}.activeService: Required value: name the Service of the live version`;
  if (activeService === previewService)
    return `${at}.activeService: This rollout uses the same service for the active and preview services, but two different services are required.`;
  const { revisionHistoryLimit = 10 } = rollout.spec ?? {};
  if ((scaleDownDelayRevisionLimit ?? 0) > revisionHistoryLimit)
    return `${at}.scaleDownDelayRevisionLimit: must not be greater than revisionHistoryLimit (${revisionHistoryLimit})`;
  return undefined;
}

/** compat rollouts RV-3: every named Service exists, is no other Rollout's, and selects these pods. */
function serviceProblem(draft: Draft): string | undefined {
  const { rollout } = draft;
  const { canaryService, stableService } = canaryOf(rollout) ?? {};
  const { activeService, previewService } = blueGreenOf(rollout) ?? {};
  const at = canaryOf(rollout) ? 'spec.strategy.canary' : 'spec.strategy.blueGreen';
  for (const [field, name] of Object.entries({
    canaryService,
    stableService,
    activeService,
    previewService,
  })) {
    const problem = name ? oneServiceProblem(draft, name) : undefined;
    if (problem !== undefined) return `${at}.${field}: Invalid value: "${name}": ${problem}`;
  }
  return undefined;
}

function oneServiceProblem({ rollout, pass }: Draft, name: string): string | undefined {
  const service = pass.service(name);
  if (!service) return `service "${name}" not found`;
  const owner = service.metadata.annotations?.[rolloutKey.managedBy];
  if (owner !== undefined && owner !== rollout.metadata.name)
    return `Service "${name}" is managed by another Rollout (${owner})`;
  const labels = rollout.spec?.template?.metadata?.labels ?? {};
  const foreign = Object.entries(service.spec?.selector ?? {}).find(
    ([key, value]) => key !== rolloutKey.hash && labels[key] !== value,
  );
  return (
    foreign &&
    `Service "${name}" selects pods by "${foreign[0]}: ${foreign[1]}", which the template does not have`
  );
}

function routerProblem(draft: Draft): string | undefined {
  const routing = canaryOf(draft.rollout)?.trafficRouting;
  if (!routing) return undefined;
  const found = routersOf(draft.rollout);
  if (found.length === 0) return 'spec.strategy.canary.trafficRouting: names no router';
  for (const { name, router } of found) {
    if (!router)
      return `spec.strategy.canary.trafficRouting.${name}: this router is not supported by this controller: use nginx, istio or a plugin argoproj-labs/gatewayAPI`;
    const problem = router.problem(draft);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** An analysis of a Rollout, and the Service that is under test in it. */
export type AnalysisPlace = {
  readonly path: string;
  readonly type: 'Step' | 'Background' | 'PrePromotion' | 'PostPromotion';
  readonly analysis: RolloutAnalysis;
  readonly service: string | undefined;
};

/** The analyses that a Rollout names, in the order of its fields. */
export function analysesOf(rollout: Rollout): AnalysisPlace[] {
  const { steps = [], analysis: background } = canaryOf(rollout) ?? {};
  const { prePromotionAnalysis, postPromotionAnalysis, previewService, activeService } =
    blueGreenOf(rollout) ?? {};
  const service = serviceUnderTest(rollout);
  const [canary, blueGreen] = ['spec.strategy.canary', 'spec.strategy.blueGreen'];
  const all = [
    ...steps.map(
      ({ analysis }, index) =>
        ({ path: `${canary}.steps[${index}].analysis`, type: 'Step', analysis, service }) as const,
    ),
    { path: `${canary}.analysis`, type: 'Background', analysis: background, service } as const,
    {
      path: `${blueGreen}.prePromotionAnalysis`,
      type: 'PrePromotion',
      analysis: prePromotionAnalysis,
      service: previewService,
    } as const,
    {
      path: `${blueGreen}.postPromotionAnalysis`,
      type: 'PostPromotion',
      analysis: postPromotionAnalysis,
      service: activeService,
    } as const,
  ];
  return all.flatMap(({ analysis, ...place }) => (analysis ? [{ ...place, analysis }] : []));
}

/** compat rollouts RV-3, RV-4: every analysis has its templates and its arguments. */
function analysisProblem(draft: Draft): string | undefined {
  for (const { path, type, analysis, service } of analysesOf(draft.rollout)) {
    try {
      const { spec } = specOfRun(draft, { type, analysis, service, isTrial: true });
      const endless = type === 'Background' ? undefined : spec.metrics?.find(isEndless);
      if (endless) return `${path}: metric '${endless.name}' runs indefinitely: give it a count`;
    } catch (error) {
      return `${path}: ${(error as Error).message}`;
    }
  }
  return undefined;
}
