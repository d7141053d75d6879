import type { Draft } from '../pass.ts';
import type { WriteRef } from '../plan-draft.ts';
import type { Rollout } from '../rollout.ts';
import type { RouterTarget } from '../traffic.ts';

/** One way to split traffic. */
export type Router = {
  /** The objects that it reads and writes. */
  references(rollout: Rollout): readonly WriteRef[];
  /** What is wrong with the configuration or the objects that it names; undefined: nothing is. */
  problem(draft: Draft): string | undefined;
  /** Writes the weights, unless the objects have them already; true: they had them. */
  setWeight(draft: Draft, target: RouterTarget): boolean;
};
