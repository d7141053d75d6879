import { run } from '#exec';
import type { Ctx } from '#std';

/** Ways to start a program without any network, the plainest first. Which one works, the machine decides. */
const ways: readonly (readonly string[])[] = [
  ['/usr/bin/unshare', '--net'],
  ['/usr/bin/unshare', '--user', '--map-root-user', '--net'],
];

/**
 * The words to put before a command so that the kernel gives it no network; empty where the machine allows none of
 * them, as in most containers. It is the second wall: plans refuse remote places before an engine is started.
 */
export async function networkIsolation(ctx: Ctx, cwd: string): Promise<readonly string[]> {
  for (const [program = '', ...args] of ways) {
    const limits = { ms: 5_000, stdoutBytes: 1_000, stderrBytes: 10_000 };
    const { code } = await run(ctx, {
      program,
      args: [...args, '/bin/sh', '-c', 'exit 0'],
      cwd,
      env: {},
      limits,
    }).catch(() => ({ code: 1 }));
    if (code === 0) return [program, ...args];
  }
  ctx.log.debug('engines run without a network of their own: this machine does not allow it');
  return [];
}
