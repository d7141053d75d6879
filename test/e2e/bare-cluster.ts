import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A cluster that another program serves, as a real one is. */
export type BareCluster = { readonly kubeconfig: string; stop(): Promise<void> };

export async function startCluster(): Promise<BareCluster> {
  const dir = await mkdtemp(join(tmpdir(), 'fairlead-cluster-'));
  const program = join(import.meta.dirname, '../../dist/main/fairlead.js');
  const child = spawn(process.execPath, [program, 'up', '--cluster-only', '--data-dir', dir, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('kubectl:')) break;
  return {
    kubeconfig: join(dir, 'kubeconfig'),
    stop: async () => {
      child.kill('SIGINT');
      await once(child, 'exit');
      await rm(dir, { recursive: true, force: true });
    },
  };
}
