import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findTool } from '#exec';
import { createKubeClient } from '#kube';
import { type Ctx, runAll } from '#std';
import { bootstrap, ensure } from './bootstrap.ts';
import { shipped, type UpConfig } from './config.ts';
import { openControlPlane } from './control-plane.ts';
import { demoApplication, makeDemo } from './demo.ts';
import { openCluster } from './open-cluster.ts';

type Say = (line: string) => void;

/** Everything in one process: a cluster (embedded, or the one of a kubeconfig), the controllers and the server. */
export async function runUp(ctx: Ctx, config: UpConfig, say: Say): Promise<void> {
  const { dataDir, namespace } = config;
  const wish = join(dataDir, 'demo.wanted');
  const isNew = !(await isThere(join(dataDir, 'store'))) || (await isThere(wish));
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const withDemo = !config.cluster && (config.demo ?? isNew);
  // a first start that is interrupted owes the demo to the next one
  if (withDemo) await writeFile(wish, '');
  const git = await findTool(ctx, 'git', { searchPath: config.searchPath, cacheDir: config.toolsDir });
  const cluster = await openCluster(ctx, config);
  try {
    const kube = createKubeClient({ transport: cluster.transport });
    const cm: Record<string, string> = withDemo ? { 'fairlead.application.childHealth': 'strict' } : {};
    await bootstrap(ctx, kube, { namespace, crdsDir: shipped.crds, knownHosts: shipped.knownHosts, cm });
    const demo = withDemo
      ? await makeDemo(ctx, { from: shipped.demo, to: join(dataDir, 'demo'), git: git.command })
      : undefined;
    if (demo) await ensure(ctx, kube, demoApplication(demo, namespace));
    await rm(wish, { force: true });
    const parts = await openControlPlane(kube, config, git.command);
    try {
      const server = await parts.serve(ctx);
      await runAll(ctx, [
        ...cluster.tasks,
        ...parts.tasks,
        server.run,
        () => announce(config, server.url, say),
      ]);
    } finally {
      await parts.close();
    }
  } finally {
    await cluster.close();
  }
}

async function announce({ dataDir, cluster }: UpConfig, url: string, say: Say): Promise<void> {
  say(`fairlead ready at ${url} (user admin, password in ${join(dataDir, 'admin-password')})`);
  if (!cluster) say(`kubectl: export KUBECONFIG='${join(dataDir, 'kubeconfig')}'`);
  const file = join(dataDir, 'demo/guestbook/web.yaml');
  if (await isThere(file)) say(`try it: change replicas in ${file}, commit, and watch it roll out`);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
