import {
  type CompareOptions,
  type Comparison,
  canReuse,
  compare,
  denySource,
  diffCacheOf,
  dryRunsFor,
  integrityOf,
  isExcludedKind,
  ownerOf,
  prepareTarget,
  serverSideDiffWanted,
  sourcesOf,
  type Target,
} from '#engine';
import { type LiveCluster, managedBy } from '#live';
import type { GeneratedManifests, ManifestRequest } from '#manifests';
import {
  type Application,
  type GroupKind,
  hasMultipleSources,
  type KubeObject,
  keyOf,
  parseTime,
  projectName,
  type Source,
} from '#model';
import type { Ctx } from '#std';
import { describedIn } from './described.ts';
import { askServer } from './dry-runs.ts';
import { findingsOf } from './findings.ts';
import { type Health, judge } from './health.ts';
import type { Place } from './place.ts';
import type { World } from './world.ts';

export type LookOptions = {
  /** Other sources than the spec's, as an operation may pin them. */
  readonly sources?: readonly Source[];
  /** Concrete revisions, one per source; without them each source's target revision is resolved. */
  readonly revisions?: readonly string[];
  /** Ask the repository where its branches stand, even if we asked a moment ago. */
  readonly resolve: 'cached' | 'fresh';
  /** compat R-9: render anew, whatever the cache holds. */
  readonly hard: boolean;
};

/** One application seen whole: what Git says, what the cluster has, and how the two compare. */
export type Look = {
  readonly generated: GeneratedManifests;
  readonly target: Target;
  readonly live: readonly KubeObject[];
  readonly comparison: Comparison;
  /** How the live objects are judged, their scripts included; for whoever looks at them further. */
  readonly health: Health;
};

/** Reads, renders and compares; changes nothing. Throws what keeps it from seeing. */
export async function look(
  ctx: Ctx,
  world: World,
  { app, place }: { app: Application; place: Place },
  options: LookOptions,
): Promise<Look> {
  const settings = world.settings();
  const { cluster } = place;
  await cluster.cache.whenSynced(ctx);
  const sources = options.sources ?? sourcesOf(app);
  const owner = ownerOf(app, world.namespace);
  const generated = await world.manifests.generate(ctx, {
    app: { name: app.metadata.name, instance: owner.instance, project: projectName(app) },
    sources,
    multiSource: hasMultipleSources(app.spec),
    ...(options.revisions && { revisions: options.revisions }),
    destinationNamespace: owner.destinationNamespace,
    kube: cluster.cache.capabilities,
    settings: settings.render,
    ...(world.repositoryOf && { repositoryOf: (url) => world.repositoryOf?.(url, projectName(app)) }),
    ...chartRepositories(world, app, place),
    ...demands(world, place),
    refs: options.resolve === 'fresh' ? { fresh: true } : {},
    refresh: options.hard ? 'hard' : 'normal',
  });
  const target = prepareTarget(generated.objects, {
    owner,
    tracking: settings.tracking,
    isNamespaced: scopeIn(cluster),
    isExcluded: (kind) => isExcludedKind(kind, cluster.server, settings.resources),
  });
  const live = managedBy(cluster.cache, owner.instance, target.objects.map(keyOf));
  const health = await judge(ctx, world, live);
  const seen = { app, place, generated, target, live, health };
  const comparison = await compared(ctx, world, seen, { ...options, sources });
  return { generated, target, live, comparison, health };
}

type Seen = Omit<Look, 'comparison'> & { readonly app: Application; readonly place: Place };

/** compat D-23, D-31: what is known already is used again, and the server is asked about the rest if it is to be asked. */
async function compared(
  ctx: Ctx,
  world: World,
  { app, place, generated, target, live, health }: Seen,
  { hard, sources }: LookOptions & { readonly sources: readonly Source[] },
): Promise<Comparison> {
  const { tracking, resources, controller, refresh } = world.settings();
  const { cluster } = place;
  const findings = findingsOf(cluster);
  const instance = ownerOf(app, world.namespace).instance;
  const serverSideDiff = serverSideDiffWanted(app, controller);
  const age = ctx.clock.now().getTime() - (parseTime(app.status?.reconciledAt) ?? 0);
  const isDue = refresh.intervalMs > 0 && age >= refresh.intervalMs;
  const known = canReuse(app, { hard, isDue, serverSideDiff, sources, revisions: generated.revisions })
    ? findings.get(instance)
    : undefined;
  const sides = { target, live };
  const options: CompareOptions = {
    controlPlaneNamespace: world.namespace,
    tracking,
    resources,
    isNamespaced: scopeIn(cluster),
    denies: place.denies,
    typeOf: describedIn(cluster),
    jqTimeoutMs: controller.jqTimeoutMs,
    health,
    ...(known && { cache: known }),
  };
  // compat P-27: a rehearsed write is a write
  const dryRuns =
    serverSideDiff && (await askServer(ctx, { kube: place.writer() }, dryRunsFor(app, sides, options)));
  const asked = dryRuns ? { ...options, dryRuns } : options;
  const comparison = compare(app, sides, asked);
  findings.set(instance, diffCacheOf(app, comparison, asked));
  return comparison;
}

/** compat CRED-10, HDP-2: records of repositories are lent to a chart's dependencies only if the project permits them. */
function chartRepositories(
  { chartRepositoriesOf }: World,
  app: Application,
  { project }: Place,
): Pick<ManifestRequest, 'chartRepositories'> {
  if (!chartRepositoriesOf) return {};
  const permits = (url: string): boolean => denySource(project, url) === undefined;
  const list = () => chartRepositoriesOf(projectName(app)).filter(({ url }) => permits(url));
  return { chartRepositories: { list, permits } };
}

/** compat INT-7: what a project demands of a source before anything of it is rendered. */
function demands(world: World, { project }: Place): Pick<ManifestRequest, 'integrityOf'> {
  const keyring = world.keyring?.();
  if (!keyring) return {};
  return {
    integrityOf: (source) => {
      const rule = integrityOf(project, source);
      return rule && { ...rule, keyring };
    },
  };
}

/** Whether a kind lives in namespaces, as far as the cluster knows it. */
export function scopeIn({ cache }: LiveCluster): (kind: GroupKind) => boolean | undefined {
  return ({ group, kind }) => cache.resource(group, kind)?.namespaced;
}
