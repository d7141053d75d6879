import { type KubeObject, parseDuration } from '#base/model';
import { knativeOf, type Rollout } from '#engine/rollouts';
import type { Check, Flaw, Inventory } from '../../check.ts';
import { isTemplated, knativeService, rollout, textAt, valueAt } from '../../kinds.ts';

/** Both spellings that Knative reads, the newer first. */
const annotations = ['serving.knative.dev/rollout-duration', 'serving.knative.dev/rolloutDuration'] as const;

/** Point 5 of the users' Knative checklist. */
export const knativeRolloutDuration: Check = {
  id: 'knative-rollout-duration',
  title: 'the duration of a rollout is copied into a service',
  severity: 'warning',
  why: 'every deployment of the service then takes at least that long and is reported as RolloutInProgress, which looks stuck; copies drift apart.',
  fix: 'remove the annotation and set rollout-duration once, in the ConfigMap config-network of Knative; keep it only on a service that really needs a slower rollout, with an ignore comment that says why',
  reads: [knativeService],
  onApplication: 'knative',
  *find(object, inventory) {
    for (const annotation of annotations) {
      const at = ['metadata', 'annotations', annotation];
      const value = textAt(object, at);
      if (value === undefined || isTemplated(value)) continue;
      const flaw = flawOf(object, value, inventory);
      if (flaw) yield { at, ...flaw };
    }
  },
};

function flawOf(object: KubeObject, value: string, inventory: Inventory): Omit<Flaw, 'at'> | undefined {
  const { name } = object.metadata;
  const problem = problemOf(value);
  if (problem !== undefined)
    return {
      severity: 'error',
      message: `the rollout-duration of ${name} is ${JSON.stringify(value.slice(0, 40))}, which Knative refuses: ${problem}`,
    };
  if (parseDuration(value) === 0) return undefined;
  const mover = moverOf(object, inventory);
  if (mover === undefined) return { message: `${name} spreads every rollout over ${value}` };
  return {
    message: `${name} has a rollout-duration of ${value} without effect: the Rollout ${mover} names the Revisions that get its traffic`,
    fix: 'remove the annotation: the steps of the Rollout decide how fast traffic moves',
  };
}

/** Why the webhook of Knative refuses the value; undefined: it does not. */
function problemOf(value: string): string | undefined {
  try {
    const ms = parseDuration(value);
    if (ms < 0) return 'it is below zero';
    return ms % 1000 === 0 ? undefined : 'it has a fraction of a second';
  } catch {
    return /^\d+$/.test(value) ? `it has no unit, as in ${value}s` : 'it is no duration, such as 90s or 5m';
  }
}

/** compat rollouts RK-1, RK-4: the Rollout that moves the traffic of a Service whose manifest leaves it to that. */
function moverOf(service: KubeObject, inventory: Inventory): string | undefined {
  if (valueAt(service, ['spec', 'traffic']) !== undefined) return undefined;
  const { name, namespace } = service.metadata;
  return inventory
    .all(rollout)
    .find((one) => one.metadata.namespace === namespace && knativeOf(one as Rollout)?.service === name)
    ?.metadata.name;
}
