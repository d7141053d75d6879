import type { GroupKind } from '#base/model';
import type { Ctx } from '#base/std';
import { type ApiResource, hasReason } from '#kubernetes/client';
import type { ReadyGate } from './ready-gate.ts';

/** Whether somebody cannot do without knowing what there is of a kind. */
export type NeedsKind = (kind: GroupKind) => boolean;

/** How a kind is served, and whether what there is of it is known, for each place where it is looked for. */
export type WatchedKind = {
  readonly resource: ApiResource;
  readonly synced: readonly ReadyGate[];
  /** Scripts of users read it, so everything of it is held whole. */
  readonly isWhole: boolean;
  /** Nobody may see it, as far as was known when it was tried. */
  isSkipped: boolean;
};

/** Where a kind is looked for, undefined being everywhere, and whether what there is of it is known. */
export type WatchScope = {
  readonly namespace: string | undefined;
  readonly synced: ReadyGate;
  /** What is held is to be held with more of its fields, or fewer. */
  readonly refits: boolean;
};

/**
 * Resolves when everything of these kinds is known. Throws what keeps one from being known; where that is a matter of the
 * kind alone, only to those whom it concerns: a webhook that does not answer takes no cluster away from everybody.
 */
export async function whenKnown(
  ctx: Ctx,
  kinds: Iterable<WatchedKind>,
  concerns: NeedsKind = () => true,
): Promise<void> {
  for (const { resource, synced } of kinds) {
    const isOpen = synced.every((gate) => gate.isOpen);
    if (isOpen) continue;
    const passed = Promise.all(synced.map((gate) => gate.pass(ctx)));
    await passed.catch((error: unknown) => {
      if (ctx.signal.aborted || concerns(resource) || !isItsOwn(error)) throw error;
    });
  }
}

/** The server answers, but cannot tell of this: nobody converts it, say. */
const isItsOwn = (error: unknown): boolean =>
  hasReason(error, 'InternalError', 'Timeout', 'ServiceUnavailable');
