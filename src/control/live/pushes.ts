import type { Ctx } from '#base/std';
import type { Push } from '#engine';

/** Waiting for somebody to look; more distinct branches than this are not taken in. */
const most = 50_000;

/**
 * What Git hosts told and nobody has looked at yet. The same branch told again while it waits is one push: its files are
 * those of both, and when one of them does not say which files, neither does the sum.
 */
export class Pushes {
  readonly #waiting = new Map<string, Push>();
  #wake: (() => void) | undefined;

  /** False when there is no room; nothing is kept then. */
  add(push: Push): boolean {
    const key = `${push.webUrl} ${push.revision}`;
    const before = this.#waiting.get(key);
    if (!before && this.#waiting.size >= most) return false;
    this.#waiting.set(key, before ? both(before, push) : push);
    this.#wake?.();
    return true;
  }

  /** Everything that was added and not taken yet, in order, until `ctx` stops. For one reader. */
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
