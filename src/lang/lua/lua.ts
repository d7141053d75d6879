import type { Glue } from 'lua-wasm-bindings/dist/glue/glue-lua-5.2.4.js';
import { FairleadError, parseJson } from '#base/std';
import { integersIn, restoreIntegers } from './integers.ts';
import { literal } from './literal.ts';
import { type Answer, LuaMachine } from './machine.ts';
import { sandbox } from './sandbox.ts';

/** A script and what it may see. */
export type LuaJob = {
  readonly script: string;
  /** Global variables, as JSON: `obj`, for example. */
  readonly globals: Readonly<Record<string, unknown>>;
  /** compat engine H-25: whether there are `string`, `math` and `coroutine`. */
  readonly openLibs: boolean;
  /** The time of `os.time` and `os.date`, in milliseconds since 1970. */
  readonly now: number;
};

/** The limits of one run. The runtime itself measures `ms`; `memoryMb` is the limit for its objects. */
export type LuaLimits = {
  readonly ms: number;
  readonly steps: number;
  readonly memoryMb: number;
  readonly outputBytes: number;
};

/** compat engine H-24: one second. The others are so wide that an honest script meets none of them. */
export const luaLimits: LuaLimits = {
  ms: 1_000,
  steps: 1_000_000_000,
  memoryMb: 64,
  outputBytes: 4 * 2 ** 20,
};

export type Lua = {
  /**
   * The last value the script returns, as JSON; undefined: it returned nothing, or nil. Throws InvalidSpec for what is
   * wrong with the script, LimitExceeded when it was stopped. Nothing of one run can be seen in another.
   */
  run(job: LuaJob, limits?: LuaLimits): unknown;
};

/** Loads the runtime, which sets process-wide handlers of its own: only for processes that exist to run scripts. */
export async function loadLua(): Promise<Lua> {
  const { default: glue } = await import('lua-wasm-bindings/dist/glue/glue-lua-5.2.4.js');
  return new Sandbox(() => glue({ print: () => {}, printErr: () => {} }));
}

const mb = 2 ** 20;
/** For what the runtime allocates beside the script's objects, and for the holes between them. */
const slackMb = 48;

class Sandbox implements Lua {
  readonly #instantiate: () => Glue;
  #machine: LuaMachine | undefined;
  #wasStopped = false;

  constructor(instantiate: () => Glue) {
    this.#instantiate = instantiate;
  }

  run(job: LuaJob, limits: LuaLimits = luaLimits): unknown {
    const { script, globals, openLibs, now } = job;
    const text = literal({
      script,
      globals,
      open: openLibs,
      now: Math.floor(now / 1000),
      seconds: limits.ms / 1000,
      steps: limits.steps,
      kb: limits.memoryMb * 1024,
      output: limits.outputBytes,
    });
    const [word, answer] = this.#run(text, limits.memoryMb);
    switch (word) {
      case 'value':
        return readAnswer(answer, globals);
      case 'nothing':
        return undefined;
      case 'limit':
        this.#wasStopped = true;
        throw new FairleadError('LimitExceeded', limitMessage(answer, limits));
      default:
        throw new FairleadError('InvalidSpec', errorMessage(answer));
    }
  }

  /** A runtime that crashed is discarded whole. No script is known to cause that. */
  #run(text: string, memoryMb: number): Answer {
    this.#machine ??= new LuaMachine(this.#instantiate(), sandbox);
    try {
      // not before the next run: cleaning up after a large script takes its time, and its author waits for the reason
      if (this.#wasStopped) this.#machine.restart();
      this.#wasStopped = false;
      return this.#machine.run(text, (memoryMb + slackMb) * mb);
    } catch (error) {
      if (error instanceof FairleadError) throw error;
      this.#machine = undefined;
      throw new FairleadError('LimitExceeded', 'the script brought down the Lua runtime', error);
    }
  }
}

const manyDigits = /\d{16}/;

/** Searching for large integers costs a walk through the whole input; most results have none. */
function readAnswer(answer: string, globals: LuaJob['globals']): unknown {
  const value = parseJson(answer);
  return manyDigits.test(answer) ? restoreIntegers(value, integersIn(globals)) : value;
}

function limitMessage(reason: string, limits: LuaLimits): string {
  switch (reason) {
    case 'steps':
      return `the script ran more than ${limits.steps} instructions`;
    case 'memory':
      return `the script needed more than ${limits.memoryMb} MB of memory`;
    case 'output':
      return `the script returned more than ${limits.outputBytes} bytes`;
    default:
      return `the script took longer than ${limits.ms} ms`;
  }
}

const longest = 500;

/** The position in the script, and the message. The names of our own chunks mean nothing to its author. */
function errorMessage(text: string): string {
  const message = text
    .replaceAll(/\[string "-- fairlead[^\]]*\]:\d+: /g, '')
    .replaceAll(/\bscript:(\d+):/g, 'line $1:')
    .trim();
  const reported = message.length > longest ? `${message.slice(0, longest)}…` : message;
  return `the script failed: ${reported}`;
}
