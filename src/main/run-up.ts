import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ctx, runAll } from '#base/std';
import type { KubeClient } from '#kubernetes/client';
import { bootstrap, ensure } from './bootstrap.ts';
import { demoFolder } from './choose-reach.ts';
import { type Config, shipped } from './config.ts';
import { makeDataDir, tighten } from './data-dir.ts';
import { demoApplication, makeDemo } from './demo.ts';
import { openServer, writePassword } from './open-server.ts';
import { ownPod } from './own-pod.ts';
import { explained } from './preflight.ts';
import { measured, onCluster } from './run-role.ts';

type Say = (line: string) => void;

/** Everything in one process: a cluster (embedded, or the one of a kubeconfig), the controllers and the server. */
export async function runUp(outer: Ctx, config: Config, say: Say): Promise<void> {
  const { dataDir } = config;
  const wish = join(dataDir, 'demo.wanted');
  const isNew = !(await isThere(join(dataDir, 'store'))) || (await isThere(wish));
  const withDemo = !config.cluster && (config.demo ?? isNew);
  await makeDataDir(dataDir);
  // after an interrupted first start the next one creates the demo
  if (withDemo) await writeFile(wish, '');
  await onCluster(outer, config, async (ctx, plane, { kube, server, cluster, git }) => {
    await prepare(ctx, kube, config, withDemo ? git.command : undefined).catch((error: unknown) => {
      throw cluster.server ? explained(error, server) : error;
    });
    await rm(wish, { force: true });
    const leavePassword = (inner: Ctx) => writePassword(inner, kube, config);
    const { url, run } = await openServer(ctx, config, { ...plane, failure: cluster.failure }, (inner) =>
      leavePassword(inner).catch((error: unknown) =>
        inner.log.warn('the file admin-password cannot be written: it may be out of date', { error }),
      ),
    );
    await leavePassword(ctx);
    await runAll(ctx, [
      ...cluster.tasks,
      ...(await measured(ctx, config, { ...plane, failure: cluster.failure })),
      plane.control,
      run,
      () => announce(config, url, say),
    ]);
  });
}

/** Creates the objects that must be in the cluster before a controller acts on it; with a git program also the demo. */
async function prepare(
  ctx: Ctx,
  kube: KubeClient,
  { dataDir, namespace, cluster, rollouts: { isOn } }: Config,
  git: string | undefined,
): Promise<void> {
  const cm: Record<string, string> = git ? { 'fairlead.application.childHealth': 'strict' } : {};
  const { definitions, knownHosts } = shipped;
  const rollouts = isOn ? shipped.rollouts : undefined;
  await bootstrap(ctx, kube, { namespace, definitions, rollouts, knownHosts, cm });
  if (!cluster) await ensure(ctx, kube, ownPod(namespace));
  if (!git) return;
  const more = { knative: shipped.knative };
  const demo = await makeDemo(ctx, { from: shipped.demo, more, to: demoFolder(dataDir), git });
  await tighten(dataDir); // its files are copies, with the permissions of those that we ship
  await ensure(ctx, kube, demoApplication(demo, namespace));
}

async function announce({ dataDir, cluster }: Config, url: string, say: Say): Promise<void> {
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
