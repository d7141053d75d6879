import { isObject } from '#base/std';
import { templateHash } from './hash.ts';
import { isOurTerm } from './replica-sets.ts';
import { blueGreenOf, canaryOf, type Rollout, type RolloutTemplate, rolloutKey } from './rollout.ts';

/**
 * compat rollouts RH-10: the template of a new ReplicaSet; while an update is under way its pods avoid the nodes of the
 * stable ones, if the strategy says so.
 */
export function templateWithRule(rollout: Rollout, stableHash: string): RolloutTemplate {
  const template = rollout.spec?.template ?? {};
  const rule = (canaryOf(rollout) ?? blueGreenOf(rollout))?.antiAffinity;
  if (!rule || stableHash === '') return template;
  // the status still names the hash of the template before
  if (templateHash(template, rollout.status?.collisionCount) === stableHash) return template;
  const term = {
    labelSelector: { matchExpressions: [{ key: rolloutKey.hash, operator: 'In', values: [stableHash] }] },
    namespaces: [rollout.metadata.namespace ?? ''],
    topologyKey: 'kubernetes.io/hostname',
  };
  const { weight } = rule.preferredDuringSchedulingIgnoredDuringExecution ?? {};
  const [field, item] =
    weight === undefined
      ? ['requiredDuringSchedulingIgnoredDuringExecution', term]
      : ['preferredDuringSchedulingIgnoredDuringExecution', { weight, podAffinityTerm: term }];
  const affinity = mapAt(template.spec, 'affinity');
  const against = mapAt(affinity, 'podAntiAffinity');
  const others = Array.isArray(against[field])
    ? (against[field] as unknown[]).filter((one) => !isOurTerm(one))
    : [];
  return {
    ...template,
    spec: {
      ...template.spec,
      affinity: { ...affinity, podAntiAffinity: { ...against, [field]: [...others, item] } },
    },
  };
}

const mapAt = (value: unknown, field: string): Record<string, unknown> =>
  isObject(value) && isObject(value[field]) ? value[field] : {};
