import type { Readable, Writable } from 'node:stream';
import { type Ctx, FairleadError, realClock } from '#base/std';
import type { Command } from './command.ts';
import { isBusy } from './memory.ts';
import { type Exit, ProcessGroup } from './process-group.ts';

/** A program to run to its end. Every limit is required: a program without one can block the whole process. */
export type RunCommand = Command & {
  readonly stdin?: string | Uint8Array;
  readonly limits: { readonly ms: number; readonly stdoutBytes: number; readonly stderrBytes: number };
};

/** A non-zero code is a result, not an error: only the caller knows what it means. */
export type ProgramResult = Exit & { readonly stdout: Uint8Array; readonly stderr: string };

/**
 * Runs a program to its end. Throws LimitExceeded naming the limit it exceeded, NotFound when there is no such program, and
 * the abort reason when `ctx` ends first; in each case the program and all its descendants have exited on return.
 */
export async function run(ctx: Ctx, command: RunCommand): Promise<ProgramResult> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await once(ctx, command);
    // A file written a moment ago may still be open for writing in a child forked meanwhile, until that child execs.
    if (attempt === 10 || !isBusy(outcome.code, outcome.stderr)) return outcome;
    await realClock.sleep(10, ctx.signal);
  }
}

async function once(ctx: Ctx, command: RunCommand): Promise<ProgramResult> {
  const { limits, stdin } = command;
  const group = await ProcessGroup.start(ctx, command, stdin === undefined ? 'ignore' : 'pipe');
  const deadline = AbortSignal.timeout(limits.ms);
  const onDeadline = (): void => group.stop(exceeded(group.name, `ran longer than ${limits.ms} ms`));
  deadline.addEventListener('abort', onDeadline);
  try {
    const stdout = collect(group.stdout, limits.stdoutBytes, () =>
      group.stop(exceeded(group.name, `wrote more than ${limits.stdoutBytes} bytes to stdout`)),
    );
    const stderr = collect(group.stderr, limits.stderrBytes, () =>
      group.stop(exceeded(group.name, `wrote more than ${limits.stderrBytes} bytes to stderr`)),
    );
    if (stdin !== undefined) feed(group.stdin, stdin);
    const { code } = await group.finished();
    group.throwIfStopped();
    return { code, stdout: stdout(), stderr: new TextDecoder().decode(stderr()) };
  } finally {
    deadline.removeEventListener('abort', onDeadline);
  }
}

function exceeded(name: string, what: string): FairleadError {
  return new FairleadError('LimitExceeded', `${name} was stopped: it ${what}`);
}

/** Keeps at most `limit` bytes; reads on after that, so that the program never blocks on a full pipe. */
function collect(stream: Readable, limit: number, onOverflow: () => void): () => Uint8Array {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else onOverflow();
  });
  stream.on('error', () => {});
  return () => Buffer.concat(chunks);
}

function feed(stream: Writable | null, data: string | Uint8Array): void {
  // a program may exit without reading its input; its exit code shows what that means
  stream?.on('error', () => {});
  stream?.end(data);
}
