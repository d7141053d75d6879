import { join } from 'node:path';
import { isExcludedKind } from '#engine';
import type { KubeClient } from '#kube';
import { ClusterCache, Clusters, Informer, Repositories, SecretValues, SettingsWatch } from '#live';
import type { World } from '#look';
import { createManifests, type Manifests } from '#manifests';
import {
  type Application,
  type ApplicationSet,
  type AppProject,
  inClusterName,
  inClusterServer,
} from '#model';
import { createSources, type Sources } from '#source';
import type { Ctx, Task } from '#std';
import { openStore } from '#store';
import { createScripts } from '#threads';
import type { UpConfig } from './config.ts';
import { readPlugins } from './read-plugins.ts';

/** What the controllers and the server both know: the objects, the settings, the clusters and the sources. */
export type Knowledge = {
  readonly kube: KubeClient;
  readonly world: World;
  readonly settings: SettingsWatch;
  readonly secrets: SecretValues;
  readonly repositories: Repositories;
  readonly sources: Sources;
  readonly manifests: Manifests;
  readonly clusters: Clusters;
  readonly apps: Informer<Application>;
  readonly sets: Informer<ApplicationSet>;
  readonly projects: Informer<AppProject>;
  /** What keeps it current. */
  readonly tasks: readonly Task[];
  /** Resolves when it may be acted upon. */
  whenSynced(ctx: Ctx): Promise<void>;
  close(): Promise<void>;
};

/** Wired by hand, top to bottom. */
export async function openKnowledge(kube: KubeClient, config: UpConfig, git: string): Promise<Knowledge> {
  const { dataDir, namespace } = config;
  const caches = await openStore(join(dataDir, 'cache/manifests'));
  const settings = new SettingsWatch({ kube, namespace });
  const secrets = new SecretValues({ kube, namespace });
  const repositories = new Repositories({ kube, namespace });
  const sources = sourcesFor(config, git, settings);
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
    repositoryOf: (url, project) => repositories.find(url, project),
    chartRepositoriesOf: (project) => repositories.charts(project),
    keyring: keyringFor(config, settings),
    namespace,
  };
  const watches = [settings, secrets, repositories, projects];
  return {
    ...{ kube, world, settings, secrets, repositories, sources, manifests, clusters, apps, sets, projects },
    tasks: [
      ...watches.map((one) => (ctx: Ctx) => one.run(ctx)),
      (ctx) => sources.run(ctx),
      (ctx) => apps.run(ctx),
      (ctx) => runCache(ctx, cache, settings),
    ],
    whenSynced: async (ctx) => {
      await Promise.all(watches.map((one) => one.whenSynced(ctx)));
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
