import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { type Ctx, FairleadError } from '#base/std';
import type { Command } from './command.ts';
import { type Exit, ProcessGroup } from './process-group.ts';

/** A running program that the caller communicates with through its pipes. */
export type Child = {
  /** The program's stdout, for one reader; the program blocks while it is not read. */
  readonly stdout: AsyncIterable<Uint8Array>;
  /** Resolves when the program can take more. Throws Unavailable when it has exited. */
  write(data: string | Uint8Array): Promise<void>;
  /** Closes its stdin and waits for it to exit by itself. */
  close(): Promise<Exit>;
  /** Stops it and all its descendants; resolves when they have exited. Safe to repeat. */
  kill(): Promise<void>;
  /** The end of its stderr. */
  stderr(): string;
  readonly exited: Promise<Exit>;
};

const stderrBytes = 16 * 1024;

/** Starts a program that is killed, with all its descendants, when `ctx` ends. Throws NotFound when there is none. */
export async function open(ctx: Ctx, command: Command): Promise<Child> {
  const group = await ProcessGroup.start(ctx, command, 'pipe');
  group.stdin?.on('error', () => {}); // write() reports it to its caller
  group.stdout.on('error', () => {});
  let isKilled = false;
  return {
    stdout: outputOf(group, () => isKilled),
    write: (data) => write(ctx, group, data),
    close: () => {
      group.stdin?.end();
      return group.exited;
    },
    kill: async () => {
      group.stop(new FairleadError('Unavailable', `${group.name} was stopped`));
      await group.exited;
      isKilled = true;
      group.stdout.destroy();
      await group.finished(); // so that its last output is included
    },
    stderr: tail(group.stderr),
    exited: group.exited,
  };
}

/** Output that we cut off ourselves ends normally; if it is cut off for any other reason, that is an error. */
async function* outputOf({ stdout }: ProcessGroup, isCut: () => boolean): AsyncGenerator<Uint8Array> {
  try {
    yield* stdout as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (!isCut()) throw error;
  }
}

async function write(ctx: Ctx, group: ProcessGroup, data: string | Uint8Array): Promise<void> {
  ctx.signal.throwIfAborted();
  const { stdin } = group;
  if (!stdin?.writable) throw left(group);
  if (stdin.write(data)) return;
  const settled = new AbortController();
  await Promise.race([once(stdin, 'drain', { signal: settled.signal }).catch(() => {}), group.exited]);
  settled.abort();
  if (!stdin.writable) throw left(group);
}

function left({ name }: ProcessGroup): FairleadError {
  return new FairleadError('Unavailable', `${name} has ended and takes no more input`);
}

function tail(stream: Readable): () => string {
  let kept = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    const all = Buffer.concat([kept, chunk]);
    kept = all.subarray(Math.max(0, all.length - stderrBytes));
  });
  stream.on('error', () => {});
  return () => kept.toString();
}
