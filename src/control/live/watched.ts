import type { GroupKind } from '#base/model';
import type { Ctx } from '#base/std';
import { type ApiResource, hasReason } from '#kubernetes/client';
import type { ReadyGate } from './ready-gate.ts';

/** Whether the caller requires the objects of a kind. */
export type NeedsKind = (kind: GroupKind) => boolean;

/** How a kind is served, and whether its objects are listed, for each namespace in which it is watched. */
export type WatchedKind = {
  readonly resource: ApiResource;
  readonly synced: readonly ReadyGate[];
  /** Users' scripts read it, so its objects are cached with all fields. */
  readonly isWhole: boolean;
  /** It was forbidden when it was last tried. */
  isSkipped: boolean;
};

/** The namespace in which a kind is watched, undefined being all of them, and whether its objects are listed. */
export type WatchScope = {
  readonly namespace: string | undefined;
  readonly synced: ReadyGate;
  /** The cached objects need more of their fields, or fewer. */
  readonly refits: boolean;
};

/**
 * Resolves when all objects of these kinds are listed. Throws the error that prevents that; an error of a single kind only if
 * the caller requires that kind: an unavailable conversion webhook must not make the whole cluster unavailable.
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

/** The server responds, but cannot list this kind: its conversion webhook is unavailable, say. */
const isItsOwn = (error: unknown): boolean =>
  hasReason(error, 'InternalError', 'Timeout', 'ServiceUnavailable');
