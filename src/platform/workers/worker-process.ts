import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import { FairleadError } from '#base/std';
import { errorOf, type Reply } from './wire.ts';

/** Enough of a dying process's stderr to find out why it died. */
const lastWords = 8 * 1024;
const ranOutOfMemory = /out of memory|invalid (?:size|table size|array length)/i;

type Waiting = { readonly name: string; resolve(value: unknown): void; reject(error: unknown): void };

export type WorkerOptions = { readonly module: URL | string; readonly memoryMb: number };

/** One process that handles one call at a time. Once dead it stays dead. */
export class WorkerProcess {
  readonly memoryMb: number;
  /** Resolves when the process has loaded its module; rejects when it cannot. */
  readonly ready: Promise<unknown>;
  /** Resolves when the process has exited. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcess;
  #waiting: Waiting | undefined;
  #words = '';
  #killedFor: unknown;
  #isKilled = false;
  #isAlive = true;

  constructor({ module, memoryMb }: WorkerOptions) {
    this.memoryMb = memoryMb;
    this.#child = fork(besideThis('worker'), [String(module), String(memoryMb)], {
      serialization: 'advanced', // structured clone: preserves bigint, Map and Uint8Array
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [`--max-old-space-size=${memoryMb}`, ...typeScriptLoader()],
      env: {}, // a function that processes hostile input must not see our environment
    });
    this.gone = this.#listen();
    this.ready = this.#answer('the worker module');
    this.ready.catch(() => {}); // a run that needs the worker awaits it; until then a failure must not end the process
  }

  /** Able to take another call: neither exited nor exiting. */
  get isFit(): boolean {
    return this.#isAlive && !this.#isKilled;
  }

  /** Rejects with what the function threw, or with why the process died. Only one call at a time. */
  async call(name: string, args: readonly unknown[]): Promise<unknown> {
    const answer = this.#answer(name);
    try {
      // a failed send is followed by the end of the process, whose error says more
      this.#child.send({ name, args }, () => {});
    } catch (error) {
      this.#take()?.reject(new FairleadError('Internal', `the arguments of ${name} cannot be copied`, error));
    }
    return answer;
  }

  /** The call in progress rejects with `reason` once the process has exited. */
  kill(reason: unknown): void {
    if (!this.#isAlive) return;
    if (!this.#isKilled) this.#killedFor = reason;
    this.#isKilled = true;
    this.keep(true); // so that callers that wait for `gone` see it resolve
    this.#child.kill('SIGKILL');
  }

  /** While kept, the worker keeps this process alive too. */
  keep(isKept: boolean): void {
    const { channel, stderr } = this.#child;
    const parts = [this.#child, channel, stderr instanceof Socket ? stderr : undefined];
    for (const part of parts) isKept ? part?.ref() : part?.unref();
  }

  #listen(): Promise<void> {
    this.#child.on('message', (reply: Reply) => this.#settle(reply));
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#words = (this.#words + chunk.toString('latin1')).slice(-lastWords);
    });
    return new Promise((resolve) => {
      const end = (why: string) => {
        this.#isAlive = false;
        const waiting = this.#take();
        waiting?.reject(this.#isKilled ? this.#killedFor : this.#causeOfDeath(waiting.name, why));
        resolve();
      };
      this.#child.on('error', (error) => end(`${Reflect.get(error, 'code')}`)); // could not be started
      this.#child.once('close', (code, signal) => end(signal ?? `exit code ${code}`));
    });
  }

  #answer(name: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting = { name, resolve, reject };
    });
  }

  #take(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  #settle(reply: Reply): void {
    const waiting = this.#take();
    if (reply.did === 'throw') waiting?.reject(errorOf(reply));
    else waiting?.resolve(reply.did === 'return' ? reply.value : undefined);
  }

  #causeOfDeath(name: string, why: string): FairleadError {
    if (ranOutOfMemory.test(this.#words)) {
      return new FairleadError('LimitExceeded', `${name} needed more than ${this.memoryMb} MB of memory`);
    }
    return new FairleadError('Internal', `the worker died while running ${name} (${why})`);
  }
}

/** The extension of this file, and so of its neighbours: `.ts` in the repository, `.js` once built. */
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** A module of this folder, for a process of its own to load. */
export function besideThis(name: string): URL {
  return new URL(`./${name}${extension}`, import.meta.url);
}

/** Node 20 cannot read TypeScript; the repository's own loader can. Built code never uses it. */
function typeScriptLoader(): string[] {
  if (extension === '.js' || Reflect.get(process.features, 'typescript')) return [];
  return ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href];
}
