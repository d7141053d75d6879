import { atOnce, FairleadError } from '#base/std';

type Deed<Item> = {
  act(item: Item): Promise<unknown>;
  /** Called after each one, with how many have ended. */
  onProgress(done: number): void;
  /** Aborted: what runs ends, and nothing more starts. */
  readonly signal: AbortSignal;
};

const width = 8; // a browser sends six to one host at a time

/** Does the same to many, some at the same time. Never rejects: returns how many were done, and why each failure failed. */
export async function runMany<Item>(
  items: readonly Item[],
  { act, onProgress, signal }: Deed<Item>,
): Promise<{ done: number; failed: ReadonlyMap<Item, string> }> {
  const failed = new Map<Item, string>();
  let done = 0;
  await atOnce(width, items, async (item) => {
    if (signal.aborted) return;
    await act(item).catch((thrown) => failed.set(item, FairleadError.from(thrown).message));
    done += 1;
    onProgress(done);
  });
  return { done, failed };
}
