import { type Ctx, FairleadError, Semaphore } from '#base/std';
import { luaLimits } from '#lang/lua';
import { createPool, type Pool } from './pool.ts';
import { batchMs, type ScriptBatch, type ScriptOutcome } from './script-batch.ts';
import { ScriptQuarantine } from './script-quarantine.ts';
import type { functions } from './script-worker.ts';
import { besideThis } from './worker-process.ts';

/** A script and the global variables it sees. */
export type ScriptJob = {
  readonly script: string;
  readonly globals: Readonly<Record<string, unknown>>;
  /** compat engine H-25: whether it may use `string`, `math` and `coroutine`. */
  readonly openLibs: boolean;
};

/** Jobs per batch: enough to make the transfer cheap, few enough to be repeated one by one. */
const batchSize = 64;
/** For a script that cannot stop itself: the time beyond its second before its worker is killed. */
const graceMs = 500;
/** A batch may begin its last script shortly before it ends. */
const limits = {
  one: { ms: luaLimits.ms + graceMs, memoryMb: luaLimits.memoryMb },
  batch: { ms: batchMs + luaLimits.ms + graceMs, memoryMb: luaLimits.memoryMb },
};

/** Runs many scripts in few batches. Whatever one does, the others get their result. */
export class ScriptRunner {
  readonly #pool: Pool<typeof functions>;
  /** A queue of our own before the pool's: a job that has waited sees which scripts were quarantined meanwhile. */
  readonly #slots: Semaphore;
  readonly #quarantine = new ScriptQuarantine();

  /** `module` exports the functions of script-worker.ts. */
  constructor(size: number, module: URL = besideThis('script-worker')) {
    this.#pool = createPool({ module, size });
    this.#slots = new Semaphore(size);
  }

  /** The results in the order of the jobs. Rejects only when `ctx` stops, on closing, or when no worker can be started. */
  async runAll(ctx: Ctx, jobs: readonly ScriptJob[]): Promise<ScriptOutcome[]> {
    const parts: (readonly ScriptJob[])[] = [];
    for (let at = 0; at < jobs.length; at += batchSize) parts.push(jobs.slice(at, at + batchSize));
    const outcomes = await Promise.all(parts.map((part) => this.#runPart(ctx, part)));
    return outcomes.flat();
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #runPart(ctx: Ctx, jobs: readonly ScriptJob[]): Promise<ScriptOutcome[]> {
    const outcomes: ScriptOutcome[] = [];
    let most = batchSize;
    while (outcomes.length < jobs.length) {
      const rest = jobs.slice(outcomes.length, outcomes.length + most);
      const done = await this.#runSome(ctx, rest);
      outcomes.push(...done);
      // killed, and it is unknown for which script: run them one by one
      if (done.length === 0) most = 1;
    }
    return outcomes;
  }

  /** The results of the first jobs; of none, if their worker was killed over one of several. */
  #runSome(ctx: Ctx, jobs: readonly ScriptJob[]): Promise<readonly ScriptOutcome[]> {
    return this.#slots.run(ctx.signal, async () => {
      const now = ctx.clock.now().getTime();
      const reasons = jobs.map(({ script }) => this.#quarantine.reason(script, now));
      const [first] = reasons;
      if (first !== undefined) return [{ code: 'LimitExceeded', message: first }];
      const firstHeld = reasons.findIndex((reason) => reason !== undefined);
      const ready = firstHeld < 0 ? jobs : jobs.slice(0, firstHeld);
      const outcomes = await this.#send(ctx, ready, now);
      for (const [i, outcome] of outcomes.entries()) {
        const isOver = 'code' in outcome && outcome.code === 'LimitExceeded';
        if (isOver) this.#quarantine.overran(ready[i]?.script ?? '', outcome.message, now);
      }
      return outcomes;
    });
  }

  async #send(ctx: Ctx, jobs: readonly ScriptJob[], now: number): Promise<readonly ScriptOutcome[]> {
    try {
      const budget = jobs.length === 1 ? limits.one : limits.batch;
      return await this.#pool.run(ctx, 'script', [batchOf(jobs, now)], budget);
    } catch (thrown) {
      const { code, message } = FairleadError.from(thrown);
      const isItsDoing = code === 'LimitExceeded' || message.startsWith('the worker died');
      if (ctx.signal.aborted || !isItsDoing) throw thrown;
      return jobs.length === 1 ? [{ code: 'LimitExceeded', message: killed(message) }] : [];
    }
  }
}

/** The pool's message about a killed worker, in the words of a script that stopped itself. */
function killed(message: string): string {
  const reported = message.startsWith('script') ? `the ${message}` : message;
  return reported.replace(/\d+ ms$/, `${luaLimits.ms} ms`);
}

function batchOf(jobs: readonly ScriptJob[], now: number): ScriptBatch {
  const places = new Map<string, number>();
  const scripts: { script: string; openLibs: boolean }[] = [];
  const numbered = jobs.map(({ script, openLibs, globals }) => {
    const id = `${openLibs}\n${script}`;
    const place = places.get(id) ?? scripts.push({ script, openLibs }) - 1;
    places.set(id, place);
    return { script: place, globals };
  });
  return { scripts, jobs: numbered, now };
}
