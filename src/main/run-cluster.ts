import { type Ctx, runAll } from '#base/std';
import type { Config } from './config.ts';
import { makeDataDir } from './data-dir.ts';

/** `up --cluster-only`: the embedded cluster with its simulation, without the control plane. */
export async function runCluster(ctx: Ctx, config: Config, say: (line: string) => void): Promise<void> {
  await makeDataDir(config.dataDir);
  const { openEmbedded } = await import('#embedded');
  const { listener, tasks, close } = await openEmbedded(ctx, config);
  try {
    const announce = async () => {
      say(`cluster ready at ${listener.url}`);
      say(`kubectl: export KUBECONFIG='${listener.kubeconfigPath}'`);
    };
    await runAll(ctx, [...tasks, announce]);
  } finally {
    await close();
  }
}
