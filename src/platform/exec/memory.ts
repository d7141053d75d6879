import { access, constants } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from './command.ts';

/** The memory limit of a program whose caller sets none. */
const defaultMemoryMb = 5120;

/**
 * The command line that starts a program with a memory limit, which all its descendants inherit. A shell sets the limit and
 * execs the program; it never interprets the program's arguments. A lower limit of the machine stays in place.
 */
export function boundedWords({
  program,
  args,
  memoryMb = defaultMemoryMb,
}: Command): Pick<Command, 'program' | 'args'> {
  const kilobytes = Math.ceil(memoryMb * 1024);
  const script = `ulimit -v ${kilobytes} 2>/dev/null; exec "$0" "$@"`;
  return { program: '/bin/sh', args: ['-c', script, program, ...args] };
}

/** Throws what starting the program would throw: behind a shell, the shell would only print it. */
export async function refuseMissing({ program, cwd, env }: Command): Promise<void> {
  if (program.includes('/')) return access(resolve(cwd, program), constants.X_OK);
  const places = (env.PATH ?? '').split(':').filter((dir) => dir !== '');
  await Promise.any(places.map((dir) => access(join(dir, program), constants.X_OK))).catch(() => {
    throw Object.assign(new Error(`no ${program} on PATH`), { code: 'ENOENT' });
  });
}

/** The shell's message for a file that another process still has open for writing. */
export const isBusy = (code: number, stderr: string): boolean =>
  code === 126 && /text file busy/i.test(stderr);
