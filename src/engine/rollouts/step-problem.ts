import { durationProblem } from './experiment/problem.ts';
import {
  type CanaryStep,
  canaryOf,
  type ExperimentStep,
  type ExperimentStepTemplate,
  type Rollout,
  type StringMatch,
} from './rollout.ts';
import { gatewayPlugin } from './routers/gateway-api.ts';
import { managedNames } from './routers/managed-routes.ts';
import { pauseSeconds } from './steps.ts';

const actions = [
  'setWeight',
  'pause',
  'experiment',
  'analysis',
  'setCanaryScale',
  'setHeaderRoute',
  'setMirrorRoute',
  'plugin',
] as const;

/** compat rollouts RV-2: the first thing that is wrong in one step, as `field: what`; undefined: nothing is. */
export function stepProblem(step: CanaryStep, rollout: Rollout): string | undefined {
  const set = actions.filter((name) => step[name] !== undefined && step[name] !== null);
  if (set.length !== 1)
    return `${set[0] ?? 'experiment'}: Step must have one of the following set: experiment, setWeight, setCanaryScale or pause, not ${set.length}`;
  const { setWeight, pause, setCanaryScale, plugin, experiment } = step;
  if (setWeight !== undefined) return weightProblem(setWeight, rollout);
  if (pause) return pauseProblem(pause.duration);
  if (setCanaryScale) return scaleProblem(setCanaryScale, rollout);
  if (plugin) return 'plugin: step plugins are not supported by this controller';
  return experiment ? experimentStepProblem(experiment, rollout) : routeProblem(step, rollout);
}

function weightProblem(weight: number, rollout: Rollout): string | undefined {
  const max = canaryOf(rollout)?.trafficRouting?.maxTrafficWeight ?? 100;
  if (Number.isInteger(weight) && weight >= 0 && weight <= max) return undefined;
  return `setWeight: SetWeight needs to be between 0 and ${max}, not ${weight}`;
}

function pauseProblem(duration: NonNullable<CanaryStep['pause']>['duration']): string | undefined {
  if (duration === undefined) return undefined;
  try {
    if (pauseSeconds(duration) >= 0) return undefined;
  } catch {
    return `pause.duration: ${duration} is no duration: use seconds, or a text such as 5m`;
  }
  return `pause.duration: ${duration} is negative`;
}

function scaleProblem(
  { weight, replicas, matchTrafficWeight }: NonNullable<CanaryStep['setCanaryScale']>,
  rollout: Rollout,
): string | undefined {
  if (!canaryOf(rollout)?.trafficRouting)
    return 'setCanaryScale: SetCanaryScale requires TrafficRouting to be set';
  const count = [weight, replicas, matchTrafficWeight || undefined].filter((one) => one !== undefined).length;
  return count === 1
    ? undefined
    : 'setCanaryScale: set exactly one of weight, replicas and matchTrafficWeight';
}

/** Whether a router of the Rollout can send traffic to more than the two versions, and by headers. */
function hasSplitter(rollout: Rollout): boolean {
  const { istio, plugins = {} } = canaryOf(rollout)?.trafficRouting ?? {};
  return istio !== undefined || plugins[gatewayPlugin] !== undefined;
}

function routeProblem({ setHeaderRoute, setMirrorRoute }: CanaryStep, rollout: Rollout): string | undefined {
  if (setHeaderRoute) {
    if (!hasSplitter(rollout))
      return `setHeaderRoute: needs trafficRouting by istio or by the plugin ${gatewayPlugin}`;
    const problem = headerProblem(setHeaderRoute);
    return problem ? `setHeaderRoute.${problem}` : nameProblem('setHeaderRoute', setHeaderRoute, rollout);
  }
  if (!setMirrorRoute) return undefined;
  if (!canaryOf(rollout)?.trafficRouting?.istio) return 'setMirrorRoute: needs trafficRouting by istio';
  const problem = mirrorProblem(setMirrorRoute);
  return problem ? `setMirrorRoute.${problem}` : nameProblem('setMirrorRoute', setMirrorRoute, rollout);
}

const nameProblem = (
  field: string,
  { name = '' }: { name?: string },
  rollout: Rollout,
): string | undefined =>
  managedNames(rollout).includes(name)
    ? undefined
    : `${field}: Steps define a route that does not exist in spec.strategy.canary.trafficRouting.managedRoutes: '${name}'`;

function headerProblem({ match = [] }: NonNullable<CanaryStep['setHeaderRoute']>): string | undefined {
  for (const [index, { headerName, headerValue }] of match.entries()) {
    if (!headerName) return `match[${index}].headerName: Required value: name the header`;
    if (!isSingle(headerValue)) return `match[${index}].headerValue: ${oneMatch}`;
  }
  return undefined;
}

function mirrorProblem({
  match = [],
  percentage = 100,
}: NonNullable<CanaryStep['setMirrorRoute']>): string | undefined {
  if (!Number.isInteger(percentage) || percentage < 0 || percentage > 100)
    return `percentage: must be between 0 and 100, not ${percentage}`;
  const index = match.findIndex(({ method, path, headers = {} }) =>
    [method, path, ...Object.values(headers)].some((one) => one !== undefined && !isSingle(one)),
  );
  return index < 0 ? undefined : `match[${index}]: ${oneMatch}`;
}

const oneMatch = 'set exactly one of exact, prefix and regex';
const isSingle = ({ exact, prefix, regex }: StringMatch = {}): boolean =>
  [exact, prefix, regex].filter(Boolean).length === 1;

/** compat rollouts RX-3: what is wrong with the Experiment of a step. */
function experimentStepProblem(step: ExperimentStep, rollout: Rollout): string | undefined {
  const { templates = [], analyses = [] } = step;
  if (templates.length === 0)
    return 'experiment.templates: Required value: an Experiment runs at least one template';
  for (const [index, template] of templates.entries()) {
    const problem = templateProblem(template, rollout);
    if (problem !== undefined) return `experiment.templates[${index}].${problem}`;
  }
  for (const [field, list] of Object.entries({ templates, analyses })) {
    const twice = list.findIndex(({ name }, at) => list.findIndex((one) => one.name === name) !== at);
    if (twice >= 0) return `experiment.${field}[${twice}].name: another one has this name: rename one`;
  }
  const over = durationProblem(step.duration);
  return over?.replace(/^spec\./, 'experiment.');
}

function templateProblem(
  { name, specRef, weight }: ExperimentStepTemplate,
  rollout: Rollout,
): string | undefined {
  if (!name) return 'name: Required value: name the template';
  if (specRef !== 'stable' && specRef !== 'canary')
    return `specRef: must be canary or stable, not '${specRef ?? ''}'`;
  if (weight === undefined || weight === null) return undefined;
  if (!canaryOf(rollout)?.trafficRouting)
    return 'weight: Experiment template weight cannot be set unless TrafficRouting is enabled';
  if (!hasSplitter(rollout)) return `weight: needs trafficRouting by istio or by the plugin ${gatewayPlugin}`;
  return weightProblem(weight, rollout)?.replace('setWeight: SetWeight', 'weight: it');
}
