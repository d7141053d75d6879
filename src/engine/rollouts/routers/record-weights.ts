import { equal } from '#base/std';
import type { Draft } from '../pass.ts';
import { maxWeightOf, type TrafficWeights } from '../rollout.ts';

type Side = { readonly serviceName?: string | undefined; readonly podTemplateHash: string };
export type WrittenWeights = {
  readonly weight: number;
  readonly canary: Side;
  readonly stable: Side;
  /** Whether the objects had the weights already. */
  readonly isVerified: boolean;
};

/** compat rollouts RT-6: records what was written, and tries weights that are not verified again. */
export function recordWeights(draft: Draft, { weight, canary, stable, isVerified }: WrittenWeights): void {
  const { rollout, status } = draft;
  const before = rollout.status?.canary?.weights;
  const weights: TrafficWeights = {
    canary: sideOf(canary, weight),
    stable: sideOf(stable, maxWeightOf(rollout) - weight),
    verified: isVerified,
  };
  if (!isVerified) draft.wake(draft.pass.now.getTime() + 10_000);
  status.canary = { ...status.canary, weights };
  if (before && equal(plain(before), plain(weights))) return;
  const from = before ? `from ${before.canary.weight} to` : 'to';
  if (!before || before.canary.weight !== weight)
    draft.event('TrafficWeightUpdated', `Traffic weight updated ${from} ${weight}`);
}

const sideOf = ({ serviceName, podTemplateHash }: Side, weight: number) => ({
  weight,
  ...(serviceName && { serviceName }),
  podTemplateHash,
});

const plain = ({ verified: _verified, ...rest }: TrafficWeights) => rest;
