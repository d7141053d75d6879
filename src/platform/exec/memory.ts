import { access, constants } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from './command.ts';

/** What a program may have that nobody thought about. */
const defaultMemoryMb = 5120;

/**
 * The words that start a program with a limit to its memory, which all that it starts inherits. A shell sets the limit
 * and becomes the program; what the program is given is never read by the shell. Where the machine's own limit is
 * lower, that one stays.
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

/** The shell's word for a file that somebody still holds open for writing. */
export const isBusy = (code: number, stderr: string): boolean =>
  code === 126 && /text file busy/i.test(stderr);
