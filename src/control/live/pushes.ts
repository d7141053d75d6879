import type { Ctx } from '#base/std';
import type { Push } from '#engine';

/** The limit of distinct branches that wait; further pushes are rejected. */
const most = 50_000;

/**
 * Pushes from Git hosts that wait for the controller. Further pushes to a waiting branch are merged: the files are those of
 * all of them, and unknown if one of them lists none.
 */
export class Pushes {
  readonly #waiting = new Map<string, Push>();
  #wake: (() => void) | undefined;

  /** False when the limit is reached; the push is dropped then. */
  add(push: Push): boolean {
    const key = `${push.webUrl} ${push.revision}`;
    const before = this.#waiting.get(key);
    if (!before && this.#waiting.size >= most) return false;
    this.#waiting.set(key, before ? both(before, push) : push);
    this.#wake?.();
    return true;
  }

  /** Every push added and not taken yet, in order, until `ctx` stops. For one reader. */
  async *take(ctx: Ctx): AsyncGenerator<Push> {
    const wake = () => this.#wake?.();
    ctx.signal.addEventListener('abort', wake);
    try {
      while (!ctx.signal.aborted) {
        for (const [key, push] of this.#waiting) {
          this.#waiting.delete(key);
          yield push;
        }
        if (this.#waiting.size === 0 && !ctx.signal.aborted) await this.#rest();
      }
    } finally {
      ctx.signal.removeEventListener('abort', wake);
    }
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

function both(one: Push, other: Push): Push {
  const known = one.changedFiles.length > 0 && other.changedFiles.length > 0;
  const changedFiles = known ? [...new Set([...one.changedFiles, ...other.changedFiles])] : [];
  return { ...other, touchedHead: one.touchedHead || other.touchedHead, changedFiles };
}
