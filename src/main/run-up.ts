import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applicationController, applicationSetController, createEvents } from '#controllers';
import { isExcludedKind } from '#engine';
import { findTool } from '#exec';
import { createKubeClient, type KubeClient } from '#kube';
import { ClusterCache, Clusters, Informer, Repositories, SettingsWatch } from '#live';
import type { World } from '#look';
import { createManifests } from '#manifests';
import {
  type Application,
  type ApplicationSet,
  type AppProject,
  inClusterName,
  inClusterServer,
} from '#model';
import { listenServer, loadCredentials } from '#server';
import { createSources, type Sources } from '#source';
import { type Ctx, runAll, type Task } from '#std';
import { openStore } from '#store';
import { createScripts } from '#threads';
import { bootstrap, ensure } from './bootstrap.ts';
import { shipped, type UpConfig } from './config.ts';
import { demoApplication, makeDemo } from './demo.ts';
import { describeRevision } from './describe-revision.ts';
import { openCluster } from './open-cluster.ts';
import { readPlugins } from './read-plugins.ts';

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
    const parts = await assemble(ctx, kube, config, git.command);
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

type Parts = {
  readonly tasks: readonly Task[];
  serve(ctx: Ctx): Promise<{ url: string; run: Task }>;
  close(): Promise<void>;
};

/** The control plane on one cluster, wired by hand, top to bottom. */
async function assemble(ctx: Ctx, kube: KubeClient, config: UpConfig, git: string): Promise<Parts> {
  const { dataDir, namespace } = config;
  const caches = await openStore(join(dataDir, 'cache/manifests'));
  const settings = new SettingsWatch({ kube, namespace });
  const repositories = new Repositories({ kube, namespace });
  const sources = sourcesFor(config, git, settings);
  const repositoryOf = (url: string, project: string) => repositories.find(url, project);
  const manifests = createManifests({ ...(await renderingWith(config)), sources, store: caches });
  const cache = cacheFor(kube, settings);
  const clusters = new Clusters({ home: { server: inClusterServer, name: inClusterName, kube, cache } });
  const { apps, sets, projects } = informersOf(kube, namespace);
  const scripts = createScripts({ size: 2 });
  const world: World = {
    manifests,
    clusters,
    projects,
    scripts,
    settings: () => settings.current,
    isApplication: knownAmong(apps, namespace),
    repositoryOf,
    chartRepositoriesOf: (project) => repositories.charts(project),
    keyring: keyringFor(config, settings),
    namespace,
  };
  const controller = applicationController(
    {
      kube,
      informer: apps,
      clusters,
      world,
      watchRepository: (c, url) => sources.watchLocal(c, { url }),
      settingsChanges: (c) => settings.changes(c),
      events: createEvents({ kube, component: 'argocd-application-controller' }),
    },
    { statusWorkers: 20, operationWorkers: 10 },
  );
  const credentials = await loadCredentials(ctx, kube, namespace);
  await writePassword(ctx, kube, config);
  const version = await versionOf();
  return {
    tasks: [
      (c) => settings.run(c),
      (c) => repositories.run(c),
      (c) => sources.run(c),
      (c) => projects.run(c),
      (c) => apps.run(c),
      (c) => runCache(c, cache, settings),
      applicationSetController({ kube, informer: sets }),
      async (c) => {
        await Promise.all([settings.whenSynced(c), repositories.whenSynced(c), projects.whenSynced(c)]);
        await controller(c);
      },
    ],
    serve: (c) => {
      const { write: raise } = createEvents({ kube, component: 'argocd-server' });
      const describe = describeRevision(sources, repositoryOf);
      const deps = { kube, apps, world, credentials, describe, raise };
      const { host, port } = config;
      return listenServer(c, deps, { host, port, uiDir: shipped.ui, version, sessionMs: 24 * 3600_000 });
    },
    close: async () => {
      await scripts.close();
      await manifests.close();
      await sources.close();
      await caches.close();
    },
  };
}

function informersOf(kube: KubeClient, namespace: string) {
  const argo = { apiVersion: 'argoproj.io/v1alpha1', namespace };
  return {
    apps: new Informer<Application>(kube, { ...argo, kind: 'Application' }),
    sets: new Informer<ApplicationSet>(kube, { ...argo, kind: 'ApplicationSet' }),
    projects: new Informer<AppProject>(kube, { ...argo, kind: 'AppProject' }),
  };
}

function cacheFor(kube: KubeClient, settings: SettingsWatch): ClusterCache {
  return new ClusterCache({
    kube,
    tracking: settings.current.tracking,
    isExcluded: (group, kind) => isExcludedKind({ group, kind }, inClusterServer, settings.current.resources),
  });
}

/** Which kinds are watched, and which objects are whose, is a setting: it is read first. */
async function runCache(ctx: Ctx, cache: ClusterCache, settings: SettingsWatch): Promise<void> {
  await settings.whenSynced(ctx);
  cache.retrack(settings.current.tracking);
  await cache.run(ctx);
}

/** compat §0: a bare name is at home, `<namespace>_<name>` elsewhere. */
const knownAmong = (apps: Informer<Application>, home: string) => (instance: string) => {
  const [name = '', namespace = home] = instance.split('_').reverse();
  return apps.get(namespace, name) !== undefined;
};

const keyringFor =
  ({ verifiesSignatures }: UpConfig, settings: SettingsWatch) =>
  () =>
    verifiesSignatures ? Object.values(settings.dataOf('argocd-gpg-keys-cm')) : undefined;

/** Where things are rendered, and with which programs. */
async function renderingWith({ dataDir, searchPath, toolsDir, pluginsDir }: UpConfig) {
  const plugins = await readPlugins(pluginsDir);
  return { cacheDir: join(dataDir, 'cache'), tools: { searchPath, cacheDir: toolsDir, plugins } };
}

/** Folders of this machine may be repositories where it is only its owner's; whom to believe is read as it is now. */
function sourcesFor({ dataDir, cluster, proxy }: UpConfig, git: string, settings: SettingsWatch): Sources {
  return createSources({
    cacheDir: join(dataDir, 'cache/git'),
    git: { command: git },
    reach: { local: cluster ? [dataDir] : 'any', loopback: true },
    trust: () => ({
      certificates: settings.dataOf('argocd-tls-certs-cm'),
      knownHosts: settings.dataOf('argocd-ssh-known-hosts-cm').ssh_known_hosts ?? '',
    }),
    proxy,
  });
}

export async function versionOf(): Promise<string> {
  return (JSON.parse(await readFile(shipped.manifest, 'utf8')) as { version: string }).version;
}

type SecretView = { data?: Record<string, string> };

/** For the person at this machine: the first password, in a file only they can read. */
async function writePassword(ctx: Ctx, kube: KubeClient, { namespace, dataDir }: UpConfig): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'argocd-initial-admin-secret' };
  const secret = (await kube.find(ctx, ref)) as SecretView | undefined;
  const password = secret?.data?.password;
  if (!password) return;
  const file = join(dataDir, 'admin-password');
  await writeFile(file, `${Buffer.from(password, 'base64').toString('utf8')}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
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
