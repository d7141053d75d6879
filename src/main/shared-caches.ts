import { join } from 'node:path';
import {
  type Application,
  type ApplicationSet,
  type AppProject,
  inClusterServer,
  type KubeObject,
  type RegisteredCluster,
  readApplication,
  readApplicationSet,
  readProject,
  type Settings,
} from '#base/model';
import { type Ctx, equal, type Records, type Task } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import { type ComparisonRecord, NotificationConfigs } from '#control/controllers';
import { type GeneratorDeps, SetEvaluator } from '#control/generators';
import {
  ClusterCache,
  Clusters,
  Informer,
  type OnBatch,
  Repositories,
  SecretValues,
  SettingsWatch,
} from '#control/live';
import { createScripts } from '#control/scripts';
import { healthScriptFor, isApplicationNamespace, isExcludedKind, onForbidden } from '#engine';
import {
  type ApiResource,
  createKubeClient,
  type KubeClient,
  networkTransport,
  registeredAccess,
} from '#kubernetes/client';
import { openCache, type Store } from '#platform/store';
import { createManifests, type Manifests } from '#sources/manifests';
import type { Sources, Trust } from '#sources/repositories';
import type { Config } from './config.ts';
import { addressesFor } from './connect-cluster.ts';
import { eventLabelsBy } from './event-labels.ts';
import type { Observers } from './observers.ts';
import { openGenerators } from './open-generators.ts';
import { type GitTool, openSources } from './open-sources.ts';
import { readPlugins } from './read-plugins.ts';
import { RestartRecords } from './restart-records.ts';

/** The caches that the controllers and the server share: the objects, the settings, the clusters and the sources. */
export type SharedCaches = {
  readonly kube: KubeClient;
  readonly context: ComparisonDeps;
  readonly settings: SettingsWatch;
  readonly secrets: SecretValues;
  readonly repositories: Repositories;
  readonly sources: Sources;
  readonly manifests: Manifests;
  readonly clusters: Clusters;
  readonly apps: Informer<Application>;
  readonly sets: Informer<ApplicationSet>;
  readonly projects: Informer<AppProject>;
  readonly generators: GeneratorDeps;
  readonly evaluator: SetEvaluator;
  readonly notifications: NotificationConfigs;
  /** The last successful comparisons, of this process and the ones before it. */
  readonly comparisons: Records<ComparisonRecord>;
  /** The last keys of the identity provider. */
  readonly providers: Records<string>;
  /** The labels of Events about an object. */
  readonly eventLabels: (subject: KubeObject) => Readonly<Record<string, string>>;
  /** The names of the config management plugins. */
  readonly plugins: readonly string[];
  /** The tasks that keep it current. */
  readonly tasks: readonly Task[];
  /** Resolves when it may be acted upon. */
  whenSynced(ctx: Ctx): Promise<void>;
  close(): Promise<void>;
};

/** Wired by hand, top to bottom. */
export async function openSharedCaches(
  kube: KubeClient,
  config: Config,
  git: GitTool,
  observers?: Omit<Observers, 'page'>,
): Promise<SharedCaches> {
  const { dataDir, namespace } = config;
  const { store: caches, isNew } = await openCache(join(dataDir, 'cache/manifests'));
  const settings = new SettingsWatch({ kube, namespace });
  const secrets = new SecretValues({ kube, namespace });
  const repositories = new Repositories({ kube, namespace });
  const { accepted, comparisons, providers } = recordsIn(caches, secrets);
  const trust = trustIn(config, settings);
  const sources = sourcesFor(config, git, settings, { trust, accepted, observe: observers?.sources });
  const rendering = await renderingWith(config);
  const onAcquire = observers?.sources.waited;
  const manifests = createManifests({
    ...{ ...rendering, sources, store: caches },
    ...(onAcquire && { onAcquire }),
  });
  const open = opener(kube, config, settings, observers?.conversations);
  const clusters = new Clusters({ kube, namespace, open });
  const { apps, sets, projects } = informersOf(kube, namespace);
  const scripts = createScripts({ size: 2 });
  const context: ComparisonDeps = {
    manifests,
    clusters,
    projects,
    scripts,
    settings: () => settings.current,
    isApplication: knownAmong(apps, namespace),
    repositoryOf: (url, project) => repositories.find(url, project),
    repositoriesScopedTo: (project) => repositories.scopedTo(project),
    chartRepositoriesOf: (project) => repositories.charts(project),
    keyring: keyringFor(config, settings),
    namespace,
  };
  const generators = openGenerators(config, {
    ...{ kube, sources, clusters, projects, namespace, trust, github: observers?.github },
    settings: () => settings.current,
    repositoryOf: (url, project) => repositories.find(url, project),
    keyring: keyringFor(config, settings),
  });
  const evaluator = new SetEvaluator(generators);
  const notifications = new NotificationConfigs({ kube, namespace, settings });
  const watches = [settings, secrets, repositories, projects, clusters];
  return {
    ...{ kube, context, settings, secrets, repositories, sources, manifests, clusters, apps, sets, projects },
    ...{ generators, evaluator, notifications, comparisons, providers },
    plugins: rendering.tools.plugins.map(({ name }) => name),
    eventLabels: eventLabelsBy({ settings, projects, namespace }),
    tasks: [
      async ({ log }) => {
        if (isNew) log.warn('cache of rendered manifests damaged, recreated empty');
      },
      ...[accepted, comparisons, providers].map((one) => (ctx: Ctx) => one.sweep(ctx)),
      ...[settings, secrets, repositories, projects, notifications].map((one) => (ctx: Ctx) => one.run(ctx)),
      (ctx) => sources.run(ctx),
      (ctx) => runInNamespaces(ctx, inNamespaces.apps(apps), settings, namespace),
      (ctx) => runInNamespaces(ctx, inNamespaces.sets(sets), settings, namespace),
      (ctx) => runClusters(ctx, clusters, settings),
    ],
    whenSynced: async (ctx) => {
      await Promise.all(watches.map((one) => one.whenSynced(ctx)));
    },
    close: async () => {
      generators.hosts.close();
      await scripts.close();
      await manifests.close();
      await sources.close();
      await caches.close();
    },
  };
}

/** Clients that wait for a deletion begin to watch a moment after it. */
const mostDeleted = 500;

function informersOf(kube: KubeClient, namespace: string) {
  const argo = { apiVersion: 'argoproj.io/v1alpha1', namespace };
  const apps = new Informer<Application>(kube, { ...argo, kind: 'Application' }, readApplication);
  const sets = new Informer<ApplicationSet>(kube, { ...argo, kind: 'ApplicationSet' }, readApplicationSet);
  apps.keepDeleted(mostDeleted);
  sets.keepDeleted(mostDeleted);
  return {
    ...{ apps, sets },
    projects: new Informer<AppProject>(kube, { ...argo, kind: 'AppProject' }, readProject),
  };
}

const inNamespaces = {
  apps: (informer: Informer<Application>) => ({
    informer,
    kind: 'Application',
    others: ({ applicationNamespaces }: Settings) => applicationNamespaces,
  }),
  sets: (informer: Informer<ApplicationSet>) => ({
    informer,
    kind: 'ApplicationSet',
    others: ({ applicationSet }: Settings) => applicationSet.namespaces,
  }),
};

/** The part of a cluster's objects that the settings choose. */
type Moving<T extends KubeObject> = {
  readonly informer: Informer<T>;
  readonly kind: string;
  /** The namespaces, beside ours, that may have such objects. */
  others(settings: Settings): readonly string[];
};

/**
 * compat engine A-3, sources ASN-1: objects in other namespaces are reconciled where the settings name these; otherwise only
 * ours is watched.
 */
async function runInNamespaces<T extends KubeObject>(
  ctx: Ctx,
  { informer, kind, others }: Moving<T>,
  settings: SettingsWatch,
  home: string,
): Promise<void> {
  const collection = { apiVersion: 'argoproj.io/v1alpha1', kind };
  const place = (): void => {
    const named = others(settings.current);
    const isOurs = ({ metadata: { namespace = '' } }: KubeObject): boolean =>
      isApplicationNamespace(namespace, home, named);
    if (named.length > 0) informer.move(collection, isOurs);
    else informer.move({ ...collection, namespace: home }, isOurs);
  };
  const follow = async (): Promise<void> => {
    for await (const { before, after } of settings.changes(ctx))
      if (!equal(others(before), others(after))) place();
  };
  const following = follow();
  await settings.whenSynced(ctx);
  place();
  await Promise.all([informer.run(ctx), following]);
}

/** The cluster we run in is reached through the existing client; any other as its Secret says. */
function opener(
  home: KubeClient,
  config: Config,
  settings: SettingsWatch,
  observe: Observers['conversations'] | undefined,
) {
  const environment = config.cluster?.environment ?? {};
  return (record: RegisteredCluster) => {
    const { server } = record;
    const onBatch: OnBatch = (changes, ms) => observe?.processed(server, changes, ms);
    if (server === inClusterServer) {
      return { kube: home, cache: cacheFor(home, record, settings, onBatch), close: () => {} };
    }
    const policy = addressesFor(config, record);
    const transport = networkTransport(registeredAccess(record), { environment, policy });
    const kube = createKubeClient({ transport: observe?.counted(transport, server) ?? transport });
    const close = (): void => {
      transport.close();
      observe?.gone(server);
    };
    return { kube, cache: cacheFor(kube, record, settings, onBatch), close };
  };
}

function cacheFor(
  kube: KubeClient,
  { server, ...scope }: RegisteredCluster,
  settings: SettingsWatch,
  onBatch: OnBatch,
): ClusterCache {
  return new ClusterCache({
    kube,
    onBatch,
    tracking: settings.current.tracking,
    isExcluded: (group, kind) => isExcludedKind({ group, kind }, server, settings.current.resources),
    scope,
    keepsWhole: (group, kind) => isScripted(group, kind, settings.current),
    onForbidden: async (ctx, resource, namespace) => {
      const { respectRbac } = settings.current.resources;
      const verdict = onForbidden(respectRbac);
      if (verdict !== 'review') return verdict;
      const isAllowed = await mayList(ctx, kube, resource, namespace);
      return onForbidden(respectRbac, isAllowed) === 'skip' ? 'skip' : 'fail';
    },
  });
}

/** Objects that a user's script assesses are cached with all fields. */
const isScripted = (group: string, kind: string, { resources }: Settings): boolean =>
  healthScriptFor(
    { apiVersion: group ? `${group}/v1` : 'v1', kind, metadata: { name: '' } },
    resources.overrides,
  ) !== undefined;

/** compat engine T-20: queries the cluster whether we may list a kind. */
async function mayList(
  ctx: Ctx,
  kube: KubeClient,
  { group, plural }: ApiResource,
  namespace?: string,
): Promise<boolean> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: { name: '' },
    spec: { resourceAttributes: { group, resource: plural, verb: 'list', ...(namespace && { namespace }) } },
  };
  const answer = (await kube.create(ctx, review)) as { status?: { allowed?: boolean } };
  return answer.status?.allowed === true;
}

/** The watched kinds and the tracking method are settings: they are read first. */
async function runClusters(ctx: Ctx, clusters: Clusters, settings: SettingsWatch): Promise<void> {
  await settings.whenSynced(ctx);
  for (const { cache } of clusters.all()) cache.retrack(settings.current.tracking);
  await clusters.run(ctx);
}

/** compat engine §0: a bare name is in the control plane's namespace, `<namespace>_<name>` in another one. */
const knownAmong = (apps: Informer<Application>, home: string) => (instance: string) => {
  const [name = '', namespace = home] = instance.split('_').reverse();
  return apps.get(namespace, name) !== undefined;
};

const keyringFor =
  ({ verifiesSignatures }: Config, settings: SettingsWatch) =>
  () =>
    verifiesSignatures ? Object.values(settings.dataOf('argocd-gpg-keys-cm')) : undefined;

/** The folder and the programs for rendering. */
async function renderingWith({ dataDir, searchPath, toolsDir, pluginsDir }: Config) {
  const plugins = await readPlugins(pluginsDir);
  return { cacheDir: join(dataDir, 'cache'), tools: { searchPath, cacheDir: toolsDir, plugins } };
}

/** Trusted certificates and hosts are read at each use. */
export const trustIn =
  ({ machine }: Pick<Config, 'machine'>, settings: SettingsWatch) =>
  (): Trust => ({
    certificates: settings.dataOf('argocd-tls-certs-cm'),
    knownHosts: settings.dataOf('argocd-ssh-known-hosts-cm').ssh_known_hosts ?? '',
    machine,
  });

type Connecting = {
  readonly trust: () => Trust;
  readonly accepted: Records<true>;
  readonly observe: Observers['sources'] | undefined;
};

/** What this process leaves for the next one (docs/decisions/0037). */
function recordsIn(store: Store, secrets: SecretValues) {
  const secret = (): string | undefined => secrets.get('server.secretkey');
  return {
    accepted: new RestartRecords<true>({ store, table: 'accepted-credentials', secret }),
    comparisons: new RestartRecords<ComparisonRecord>({ store, table: 'comparisons', secret }),
    providers: new RestartRecords<string>({ store, table: 'identity-providers', secret }),
  };
}

/** Limits of settings are read at each use. */
function sourcesFor(
  config: Config,
  git: GitTool,
  settings: SettingsWatch,
  { trust, accepted, observe }: Connecting,
): Sources {
  return openSources(config, git, {
    trust,
    rules: () => {
      const { render } = settings.current;
      return {
        chartBytes: render.maxChartExtractedSize,
        artifactBytes: render.maxArtifactExtractedSize,
        mediaTypes: render.ociMediaTypes,
      };
    },
    requestMs: () => settings.current.render.gitRequestTimeoutMs,
    accepted,
    ...(observe && { observe }),
  });
}
