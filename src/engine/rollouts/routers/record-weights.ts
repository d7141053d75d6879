import { equal } from '#base/std';
import type { Draft } from '../pass.ts';
import type { TrafficWeights, WeightDestination } from '../rollout.ts';
import { stableWeightOf } from '../traffic.ts';

type Side = { readonly serviceName?: string | undefined; readonly podTemplateHash: string };
export type WrittenWeights = {
  readonly weight: number;
  readonly additional?: readonly WeightDestination[];
  readonly canary: Side;
  readonly stable: Side;
  /** Whether the objects had the weights already. */
  readonly isVerified: boolean;
};

/** compat rollouts RT-6: records what was written, and tries weights that are not verified again. */
export function recordWeights(draft: Draft, written: WrittenWeights): void {
  const { weight, additional = [], canary, stable, isVerified } = written;
  const { rollout, status } = draft;
  const before = rollout.status?.canary?.weights;
  const weights: TrafficWeights = {
    canary: sideOf(canary, weight),
    stable: sideOf(stable, stableWeightOf(rollout, { weight, additional })),
    ...(additional.length > 0 && { additional: [...additional] }),
    verified: isVerified,
  };
  if (!isVerified) draft.wake(draft.pass.now.getTime() + 10_000);
  status.canary = { ...status.canary, weights };
  if (before && equal(plain(before), plain(weights))) return;
  const from = before ? `from ${before.canary.weight} to` : 'to';
  if (!before || before.canary.weight !== weight)
    draft.event('TrafficWeightUpdated', `Traffic weight updated ${from} ${weight}`);
  else if (!equal(before.additional ?? [], additional))
    draft.event('TrafficWeightUpdated', `Traffic weight updated, for experiments to ${printed(additional)}`);
}

const sideOf = ({ serviceName, podTemplateHash }: Side, weight: number) => ({
  weight,
  ...(serviceName && { serviceName }),
  podTemplateHash,
});

const printed = (additional: readonly WeightDestination[]): string =>
  additional.map(({ serviceName, weight }) => `${serviceName} ${weight}`).join(', ') || 'none';

const plain = ({ verified: _verified, ...rest }: TrafficWeights) => rest;
