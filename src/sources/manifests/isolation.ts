import type { Ctx } from '#base/std';
import { run } from '#platform/exec';

type Ways = readonly (readonly string[])[];

/** Ways to start a program without any network, the simplest first. The machine decides which one works. */
const withoutNetwork: Ways = [
  ['/usr/bin/unshare', '--net'],
  ['/usr/bin/unshare', '--user', '--map-root-user', '--net'],
];

/** Ways to start a program so that nothing it starts outlives it, not even a process that leaves its process group. */
const withoutDaemons: Ways = [
  ['/usr/bin/unshare', '--pid', '--fork', '--kill-child'],
  ['/usr/bin/unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child'],
];

/**
 * The words to put before a command so that the kernel gives it no network; empty where the machine allows none of
 * them, as in most containers. This is a second barrier: plans refuse remote URLs before an engine is started.
 */
export function networkIsolation(ctx: Ctx, cwd: string): Promise<readonly string[]> {
  return firstThatWorks(ctx, cwd, withoutNetwork);
}

/**
 * The words to put before a command so that the kernel ends all its children with it; empty where the machine cannot.
 */
export function processIsolation(ctx: Ctx, cwd: string): Promise<readonly string[]> {
  return firstThatWorks(ctx, cwd, withoutDaemons);
}

async function firstThatWorks(ctx: Ctx, cwd: string, ways: Ways): Promise<readonly string[]> {
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
  ctx.log.debug('this machine does not allow a program to be set apart', { how: ways[0]?.join(' ') });
  return [];
}
