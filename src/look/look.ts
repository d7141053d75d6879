import {
  type Comparison,
  compare,
  type HealthOptions,
  isExcludedKind,
  ownerOf,
  prepareTarget,
  sourcesOf,
  type Target,
} from '#engine';
import { type LiveCluster, managedBy } from '#live';
import type { GeneratedManifests } from '#manifests';
import {
  type Application,
  type GroupKind,
  hasMultipleSources,
  type KubeObject,
  keyOf,
  projectName,
  type Source,
} from '#model';
import type { Ctx } from '#std';
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
  const comparison = compare(
    app,
    { target, live },
    {
      controlPlaneNamespace: world.namespace,
      tracking: settings.tracking,
      resources: settings.resources,
      isNamespaced: scopeIn(cluster),
      denies: place.denies,
      health: healthOptions(world),
    },
  );
  return { generated, target, live, comparison };
}

/** How the settings want health judged. */
export function healthOptions(world: Pick<World, 'settings'>): HealthOptions {
  return { child: { mode: world.settings().application.childHealth } };
}

/** Whether a kind lives in namespaces, as far as the cluster knows it. */
export function scopeIn({ cache }: LiveCluster): (kind: GroupKind) => boolean | undefined {
  return ({ group, kind }) => cache.resource(group, kind)?.namespaced;
}
