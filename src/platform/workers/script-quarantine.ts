import { Lru } from '#base/std';

type Overruns = { readonly count: number; readonly last: number; readonly reason: string };

const maxFailures = 3;
const restMs = 60_000;
/** Overruns further apart than this are unrelated. */
const memoryMs = 2 * restMs;

/**
 * Scripts that exceeded a limit several times in short order, on any objects. One is not run for a minute, and then
 * quarantined again by its first overrun. So a script that never ends costs a second a minute, however many objects it is
 * for.
 */
export class ScriptQuarantine {
  readonly #scripts = new Lru<Overruns>({ capacity: 1_000 });

  /** Why a script is not run now; undefined: it may be. */
  reason(script: string, now: number): string | undefined {
    const overruns = this.#scripts.get(script);
    if (!overruns || overruns.count < maxFailures || now >= overruns.last + restMs) return undefined;
    return `${overruns.reason}, and not for the first time; it is not run for a minute`;
  }

  overran(script: string, reason: string, now: number): void {
    const before = this.#scripts.get(script);
    const count = before && now < before.last + memoryMs ? before.count + 1 : 1;
    this.#scripts.set(script, { count, last: now, reason });
  }
}
