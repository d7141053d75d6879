import { type ChildProcess, spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { access } from 'node:fs/promises';
import { constants } from 'node:os';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Ctx, FairleadError, realClock } from '#base/std';
import type { Command } from './command.ts';
import { boundedWords, refuseMissing } from './memory.ts';

/** How a program ended. A program that a signal ended has the shell's code, 128 + the signal's number. */
export type Exit = { readonly code: number };

/** How long a program may take to exit after SIGTERM. */
const graceMs = 2_000;
/** How long a pipe may stay open after the whole group has exited: only an escaped daemon still holds it. */
const lingerMs = 1_000;

/**
 * A running program and all its descendants. They share a process group, so one signal reaches all of them; a
 * descendant that leaves the group on purpose (setsid) is the one thing that can escape.
 */
export class ProcessGroup {
  readonly name: string;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  #running = true;
  #stopped: { why: unknown } | undefined;

  private constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#signal('SIGKILL'); // whatever processes the leader left behind
        this.#running = false;
        resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0) });
      });
    });
  }

  /** Resolves once the program runs; throws NotFound when there is no such program. */
  static async start(ctx: Ctx, command: Command, stdin: 'pipe' | 'ignore'): Promise<ProcessGroup> {
    ctx.signal.throwIfAborted();
    try {
      await refuseMissing(command);
      return await launch(ctx, command, stdin);
    } catch (error) {
      throw await explain(error, command);
    }
  }

  static adopt(ctx: Ctx, name: string, child: ChildProcess): ProcessGroup {
    const group = new ProcessGroup(name, child);
    const onAbort = (): void => group.stop(abortReason(ctx.signal, name));
    setMaxListeners(0, ctx.signal); // many programs under one signal are no leak
    // it may have been aborted while the program was starting
    if (ctx.signal.aborted) onAbort();
    else ctx.signal.addEventListener('abort', onAbort);
    child.once('exit', () => ctx.signal.removeEventListener('abort', onAbort));
    return group;
  }

  get stdin(): Writable | null {
    return this.#child.stdin;
  }

  get stdout(): Readable {
    return streamOf(this.#child.stdout);
  }

  get stderr(): Readable {
    return streamOf(this.#child.stderr);
  }

  /** Terminates the group, then kills it. The first reason given counts. Safe to repeat. */
  stop(why: unknown): void {
    if (this.#stopped || !this.#running) return;
    this.#stopped = { why };
    this.#signal('SIGTERM');
    AbortSignal.timeout(graceMs).addEventListener('abort', () => this.#signal('SIGKILL'));
  }

  /** Throws the reason given to `stop`, if that ended the program. */
  throwIfStopped(): void {
    if (this.#stopped) throw this.#stopped.why;
  }

  /** Resolves when the program has exited and its pipes are drained. Only for a caller that reads both pipes. */
  async finished(): Promise<Exit> {
    const drained = Promise.all([closed(this.stdout), closed(this.stderr)]);
    const exit = await this.exited;
    const enough = new AbortController();
    const linger = realClock.sleep(lingerMs, enough.signal).then(
      () => {
        this.stdout.destroy();
        this.stderr.destroy();
      },
      () => {},
    );
    await drained;
    enough.abort();
    await linger;
    return exit;
  }

  #signal(signal: NodeJS.Signals): void {
    if (!this.#running || this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch (error) {
      if (codeOf(error) !== 'ESRCH' && codeOf(error) !== 'EPERM') throw error;
    }
  }
}

function launch(ctx: Ctx, command: Command, stdin: 'pipe' | 'ignore'): Promise<ProcessGroup> {
  const { program, args } = boundedWords(command);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: command.cwd,
      env: command.env,
      stdio: [stdin, 'pipe', 'pipe'],
      detached: true, // leads its own process group
    });
    child.once('error', reject);
    child.once('spawn', () => resolve(ProcessGroup.adopt(ctx, basename(command.program), child)));
  });
}

function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once('close', resolve);
  });
}

function streamOf(stream: Readable | null): Readable {
  if (!stream) throw new FairleadError('Internal', 'the program was started without this pipe');
  return stream;
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code;
}

/** A caller's deadline is a limit like any other; any other abort keeps its own reason. */
function abortReason(signal: AbortSignal, name: string): unknown {
  const { reason } = signal;
  return reason instanceof DOMException && reason.name === 'TimeoutError'
    ? new FairleadError('LimitExceeded', `${name} was stopped: it ran past the caller's deadline`, reason)
    : reason;
}

// spawn reports a missing folder and a missing program with the same ENOENT
async function explain(error: unknown, { program, cwd }: Command): Promise<unknown> {
  const name = basename(program);
  if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') {
    const folder = await access(cwd).then(
      () => true,
      () => false,
    );
    return folder
      ? new FairleadError('NotFound', `no program ${name}: install it or configure its path`, error)
      : new FairleadError('NotFound', `the folder to run ${name} in does not exist`, error);
  }
  if (codeOf(error) === 'EACCES') {
    return new FairleadError(
      'PermissionDenied',
      `${name} may not be executed: check its mode and its folder`,
      error,
    );
  }
  if (codeOf(error) === 'E2BIG') {
    return new FairleadError('LimitExceeded', `the arguments of ${name} are too long for this system`, error);
  }
  if (codeOf(error) === 'ERR_INVALID_ARG_VALUE') {
    return new FairleadError('InvalidSpec', `an argument of ${name} holds a NUL byte`, error);
  }
  return error;
}
