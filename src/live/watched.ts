import type { Resource } from '#kube';
import type { Gate } from './gate.ts';

/** How a kind is served, and whether what there is of it is known, for each place where it is looked for. */
export type WatchedKind = {
  readonly resource: Resource;
  readonly synced: readonly Gate[];
  /** Scripts of users read it, so everything of it is held whole. */
  readonly isWhole: boolean;
  /** Nobody may see it, as far as was known when it was tried. */
  isSkipped: boolean;
};

/** Where a kind is looked for, undefined being everywhere, and whether what there is of it is known. */
export type WatchedPlace = {
  readonly namespace: string | undefined;
  readonly synced: Gate;
  /** What is held is to be held with more of its fields, or fewer. */
  readonly refits: boolean;
};
