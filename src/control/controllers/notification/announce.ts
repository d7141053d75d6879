import type { KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import type { RolloutEventSubject } from '#control/notify';

type AnnouncedEvent = { readonly type: string; readonly reason: string; readonly message: string };

/** What happened to an object of progressive delivery, or will have when a pass has made its writes. */
export type RolloutEventFacts = Omit<RolloutEventSubject, 'now' | 'event'> & {
  readonly event: AnnouncedEvent;
};

/** The messages of a pass that is about to make its writes. They are recorded, and not sent yet. */
export type PlannedMessages = {
  /** The writes were made. */
  made(): void;
  /** They failed. What the cluster refused has not happened; without an answer the next pass over the object decides. */
  failed(error: unknown): void;
};

/**
 * Records what the subscribers of `object` are to get, before the writes that cause it: the end of the process at any moment
 * loses no message. Never fails, and waits at most for one write to the cluster.
 */
export type Announce = (
  ctx: Ctx,
  object: KubeObject,
  facts: readonly RolloutEventFacts[],
) => Promise<PlannedMessages>;

/** Makes the writes that cause the events; false: they were not made, because the object changed meanwhile. */
export async function announcing(
  ctx: Ctx,
  announce: Announce | undefined,
  { object, facts }: { readonly object: KubeObject; readonly facts: readonly RolloutEventFacts[] },
  write: () => Promise<boolean>,
): Promise<boolean> {
  const messages = await announce?.(ctx, object, facts);
  try {
    const isMade = await write();
    if (isMade) messages?.made();
    else messages?.failed(undefined);
    return isMade;
  } catch (error) {
    messages?.failed(error);
    throw error;
  }
}
