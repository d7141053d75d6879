import type { Draft } from '../pass.ts';
import { type CanaryStep, canaryOf, type Rollout, type RolloutSpec } from '../rollout.ts';
import { knativeOf, knativePlugin } from './settings.ts';
import { declaringManifest, type KnativeFacts } from './view.ts';

const at = `spec.strategy.canary.trafficRouting.plugins["${knativePlugin}"]`;
const noPods = 'a Rollout of a Knative Service has no pods of its own, Knative scales them: remove it';

const podFields = [
  'replicas',
  'selector',
  'template',
  'workloadRef',
  'minReadySeconds',
  'restartAt',
] as const satisfies readonly (keyof RolloutSpec)[];
const canaryFields = [
  'canaryService',
  'stableService',
  'maxSurge',
  'maxUnavailable',
  'scaleDownDelaySeconds',
  'scaleDownDelayRevisionLimit',
  'dynamicStableScale',
  'minPodsPerReplicaSet',
  'replicaProgressThreshold',
  'canaryMetadata',
  'stableMetadata',
  'antiAffinity',
  'pingPong',
] as const;

/** compat rollouts RK-10: what is wrong in the Rollout itself; undefined: nothing is. */
export function knativeSpecProblem(rollout: Rollout): string | undefined {
  const { spec = {} } = rollout;
  const { service = '', tag = '' } = knativeOf(rollout) ?? {};
  const canary = canaryOf(rollout) ?? {};
  const { plugins = {}, ...routers } = canary.trafficRouting ?? {};
  const field = podFields.find((name) => spec[name] !== undefined);
  if (field) return `spec.${field}: ${noPods}`;
  const podField = canaryFields.find((name) => canary[name] !== undefined);
  if (podField) return `spec.strategy.canary.${podField}: ${noPods}`;
  if (spec.strategy?.blueGreen)
    return 'spec.strategy.blueGreen: use the steps setWeight: 0, analysis and pause: {} with a Knative Service';
  if (canary.autoPromotionEnabled !== undefined)
    return 'spec.strategy.canary.autoPromotionEnabled: use pause: {} as the last step with a Knative Service';
  const [other] = [...Object.keys(routers), ...Object.keys(plugins).filter((name) => name !== knativePlugin)];
  if (other) return `spec.strategy.canary.trafficRouting.${other}: cannot be combined with ${knativePlugin}`;
  if (service === '') return `${at}.service: Required value: name the Knative Service`;
  if (!/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(tag))
    return `${at}.tag: ${JSON.stringify(tag)} is no tag: use lower-case letters, digits and dashes`;
  return stepsProblem(canary.steps ?? []);
}

const allowed: readonly (keyof CanaryStep)[] = ['setWeight', 'pause', 'analysis'];

function stepsProblem(steps: readonly CanaryStep[]): string | undefined {
  for (const [index, step] of steps.entries()) {
    const name = Object.keys(step).find((key) => !allowed.includes(key as keyof CanaryStep));
    if (name)
      return `spec.strategy.canary.steps[${index}].${name}: a Knative Service has the steps setWeight, pause and analysis only`;
  }
  return undefined;
}

/** compat rollouts RK-1, RK-2: what forbids the Rollout to write the traffic; undefined: nothing does. */
export function knativeProblem({ rollout, pass }: Draft): string | undefined {
  const { service: name = '' } = knativeOf(rollout) ?? {};
  const { service, rival } = pass.knative ?? ({} as Partial<KnativeFacts>);
  if (!service) return `${at}.service: Invalid value: "${name}": Knative Service "${name}" not found`;
  if (rival !== undefined)
    return `${at}.service: the older Rollout "${rival}" moves the traffic of the Knative Service "${name}": delete one of the two`;
  const manifest = declaringManifest(service);
  if (manifest === undefined) return undefined;
  return `${at}.service: ${manifest} declares spec.traffic of the Knative Service "${name}": remove spec.traffic from it, or delete this Rollout`;
}
