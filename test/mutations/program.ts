import { spawn } from 'node:child_process';

export type Ended = { readonly code: number | null; readonly output: string; readonly isLate: boolean };

export type Program = {
  /** Rejects when the program cannot be started. */
  readonly ended: Promise<Ended>;
  kill(): void;
};

/** Runs Node with what it starts in a group of their own: all of them end at the limit, which the result says, or by `kill`. */
export function startProgram(
  args: readonly string[],
  { cwd, limitMs }: { readonly cwd: string; readonly limitMs: number },
): Program {
  const child = spawn(process.execPath, args, { cwd, detached: true });
  let [output, isLate, isOver] = ['', false, false];
  const kill = (): void => {
    if (!child.pid || isOver) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {} // it ended just now
  };
  const limit = AbortSignal.timeout(limitMs);
  const onLimit = (): void => {
    isLate = true;
    kill();
  };
  limit.addEventListener('abort', onLimit);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => {
      isOver = true;
      limit.removeEventListener('abort', onLimit);
      resolve({ code, output, isLate });
    });
  });
  return { ended, kill };
}
