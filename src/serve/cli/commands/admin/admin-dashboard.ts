import type { Command } from 'commander';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { ExitError } from '../../io.ts';
import { type ClusterFlags, reaching } from './admin-flags.ts';

/** compat server §8.6: the page on this machine, for a cluster that has none of its own. */
export function addDashboard(admin: Command, { io, signal, openCore }: CliDeps): void {
  const command = reaching(admin.command('dashboard'))
    .description(
      'serve the page and the API on this machine, for the cluster of a kubeconfig, until you stop it',
    )
    .option('--port <number>', 'the port', '8080')
    .option('--address <host>', 'the address to listen on', '127.0.0.1')
    .action(async (flags: ClusterFlags & { port: string; address: string }) => {
      if (!openCore) throw new ExitError(20, 'this program cannot serve the page');
      const { namespace, context, kubeconfig, port, address } = flags;
      const core = await openCore({ namespace, context, kubeconfig, port, host: address });
      try {
        io.out(`fairlead page at ${core.url}: sign in with an account of the control plane\n`);
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      } finally {
        await core.close();
      }
    });
  examples(command, 'fairlead admin dashboard', 'fairlead admin dashboard --context staging --port 9090');
}
