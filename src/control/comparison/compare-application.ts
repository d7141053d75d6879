import {
  type Application,
  type GroupKind,
  isKind,
  type KubeObject,
  keyOf,
  printTime,
  type ResourceKey,
  type Source,
} from '#base/model';
import { atOnce, type Ctx, FairleadError } from '#base/std';
import {
  atDeclaredVersions,
  definedOnly,
  findUnwatched,
  isSlim,
  type LiveCluster,
  type NeedsKind,
  type Outage,
} from '#control/live';
import {
  type ApplicationTarget,
  type CompareOptions,
  type Comparison,
  canReuse,
  comparing,
  denySource,
  diffCacheOf,
  doubtsOf,
  dryRunsFor,
  excludedBy,
  ownerOf,
  prepareTarget,
  reachProblem,
  serverSideDiffWanted,
  sourcesOf,
} from '#engine';
import { inSteps } from '#platform/workers';
import type { GeneratedManifests } from '#sources/manifests';
import type { ComparisonDeps } from './comparison-deps.ts';
import { customTypesIn } from './custom-types.ts';
import type { AppDestination } from './destination.ts';
import { clusterDiffCache } from './diff-cache.ts';
import { runDryRuns } from './dry-runs.ts';
import { ClusterUnreachable, withoutManifests } from './failures.ts';
import { type HealthJudgement, runHealthScripts } from './health.ts';
import { type ComparisonOptions, requestFor } from './request.ts';
import { trackedLiveObjects } from './tracked-live-objects.ts';

/** One application's desired manifests, its live objects, and how the two compare. */
export type ApplicationComparison = {
  readonly generated: GeneratedManifests;
  readonly target: ApplicationTarget;
  readonly live: readonly KubeObject[];
  readonly comparison: Comparison;
  /** How the live objects' health is assessed, scripts included; for callers that assess them further. */
  readonly health: HealthJudgement;
};

/** Reads, renders and compares; changes nothing. Throws the error that prevents the comparison. */
export async function compareApplication(
  ctx: Ctx,
  context: ComparisonDeps,
  { app, destination }: { app: Application; destination: AppDestination },
  options: ComparisonOptions,
): Promise<ApplicationComparison> {
  const { cluster } = destination;
  const sources = options.sources ?? sourcesOf(app);
  const owner = ownerOf(app, context.namespace);
  const { generated, target } = await generateManifests(
    ctx,
    context,
    { app, destination },
    { ...options, sources },
  );
  const held = await wholly(
    ctx,
    cluster,
    trackedLiveObjects(context, cluster, owner.instance, target.objects),
  );
  const live = [
    ...(await atDeclaredVersions(ctx, cluster, held, target.objects)),
    ...(await findUnwatched(ctx, cluster, target.objects)),
  ];
  const health = await runHealthScripts(ctx, context, live, cluster.cache);
  const seen = { app, destination, generated, target, live, health };
  const comparison = await compared(ctx, context, seen, { ...options, sources });
  return { generated, target, live, comparison, health };
}

/** The target manifests of an application, rendered and marked as its own. Throws why there are none. */
export async function generateManifests(
  ctx: Ctx,
  context: ComparisonDeps,
  { app, destination }: { app: Application; destination: AppDestination },
  options: ComparisonOptions,
): Promise<Pick<ApplicationComparison, 'generated' | 'target'>> {
  const { cluster } = destination;
  requirePermitted(destination, options.sources ?? sourcesOf(app));
  await readable(ctx, cluster, requiredKinds(app));
  const generating = context.manifests.generate(ctx, requestFor(context, { app, destination }, options));
  const generated = await generating.catch((error: unknown) => {
    throw ctx.signal.aborted ? error : withoutManifests(error);
  });
  await readable(ctx, cluster, requiredKinds(app, generated.objects)); // once more: settings that changed meanwhile may have changed what is watched
  const settings = context.settings();
  const target = prepareTarget(generated.objects, {
    owner: ownerOf(app, context.namespace),
    tracking: settings.tracking,
    isNamespaced: scopeIn(cluster),
    excludedBy: (kind) => excludedBy(kind, cluster.server, settings.resources),
  });
  const unreachable = reachProblem(target.objects, cluster.record, scopeIn(cluster));
  if (unreachable) throw new FairleadError('InvalidSpec', unreachable);
  return { generated, target };
}

/** compat engine P-8, where sources are read: the check of the spec leaves out an application that is being deleted (engine A-34). */
function requirePermitted({ project }: AppDestination, sources: readonly Source[]): void {
  const denied = new Set(sources.flatMap(({ repoURL }) => denySource(project, repoURL) ?? []));
  if (denied.size > 0) throw new FairleadError('InvalidSpec', [...denied].join('; '));
}

/** Concurrent requests for objects that are cached slim: adopting a thousand objects must not flood a cluster. */
const width = 10;

/**
 * compat engine T-12: objects are compared with all their fields; an object that is deleted by the time it is fetched is left
 * out.
 */
async function wholly(
  ctx: Ctx,
  { cache }: LiveCluster,
  live: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  if (!live.some(isSlim)) return live;
  const whole = (object: KubeObject) => cache.whole(ctx, keyOf(object), true);
  const slim = live.filter(isSlim);
  const found = await atOnce(width, slim, whole);
  const wholeOf = new Map(slim.map((object, index) => [object, found[index]]));
  return live.flatMap((object) => (wholeOf.has(object) ? (wholeOf.get(object) ?? []) : object));
}

type Seen = Omit<ApplicationComparison, 'comparison'> & {
  readonly app: Application;
  readonly destination: AppDestination;
};

/** compat engine D-23, D-31: reuses known results, and runs server-side dry runs for the rest if they are enabled. */
async function compared(
  ctx: Ctx,
  context: ComparisonDeps,
  { app, destination, generated, target, live, health }: Seen,
  { hard, sources, isRehearsal = false }: ComparisonOptions & { readonly sources: readonly Source[] },
): Promise<Comparison> {
  const { tracking, resources, controller } = context.settings();
  const { cluster } = destination;
  const findings = clusterDiffCache(cluster);
  const instance = ownerOf(app, context.namespace).instance;
  const serverSideDiff = isRehearsal || serverSideDiffWanted(app, controller);
  const known = canReuse(app, { hard, serverSideDiff, sources, revisions: generated.revisions })
    ? findings.get(instance)
    : undefined;
  const sides = { target, live };
  const options: CompareOptions = {
    controlPlaneNamespace: context.namespace,
    tracking,
    resources,
    isNamespaced: scopeIn(cluster),
    denies: destination.denies,
    typeOf: customTypesIn(cluster),
    jqTimeoutMs: controller.jqTimeoutMs,
    health,
    ...(known && { cache: known }),
  };
  // compat engine P-27: a dry run of a write needs the same identity as the write
  const dryRuns =
    serverSideDiff &&
    (await runDryRuns(ctx, { kube: destination.writer() }, dryRunsFor(app, sides, options)));
  const requested = dryRuns ? { ...options, dryRuns } : options;
  const predicted = await inSteps(comparing(app, sides, requested));
  const comparison = await confirmed(ctx, destination, { app, sides, predicted }, requested);
  if (!isRehearsal) findings.set(instance, diffCacheOf(app, comparison, requested));
  return comparison;
}

type Predicted = {
  readonly app: Application;
  readonly sides: Pick<ApplicationComparison, 'target' | 'live'>;
  readonly predicted: Comparison;
};

/**
 * The comparison without differences that the server would revert itself. Throws Unavailable when the server is unreachable.
 */
async function confirmed(
  ctx: Ctx,
  destination: AppDestination,
  { app, sides, predicted }: Predicted,
  options: CompareOptions,
): Promise<Comparison> {
  const doubts = doubtsOf(app, predicted, options);
  if (doubts.length === 0) return predicted;
  const answers = await runDryRuns(ctx, { kube: destination.writer() }, doubts);
  const confirmations = new Map<ResourceKey, KubeObject>();
  for (const [key, answer] of answers) {
    // an object that the server rejects stays as predicted: the sync will report the rejection
    if (!(answer instanceof FairleadError)) confirmations.set(key, answer);
    else if (answer.code === 'Unavailable') throw answer;
  }
  const cache = diffCacheOf(app, predicted, options);
  return inSteps(comparing(app, sides, { ...options, cache, confirmations }));
}

/** dev: an application requires the kinds it has, or is to have; other kinds that a cluster fails to list do not matter. */
export function requiredKinds({ status }: Application, targets: readonly KubeObject[] = []): NeedsKind {
  return ({ group, kind }) =>
    targets.some((target) => isKind(target, group, kind)) ||
    (status?.resources ?? []).some((one) => one.kind === kind && (one.group ?? '') === group);
}

/** Resolves when the required kinds of the cluster are listed. Throws which cluster cannot be read, and why. */
async function readable(ctx: Ctx, cluster: LiveCluster, concerns: NeedsKind): Promise<void> {
  const { cache, name, server } = cluster;
  const outage = cache.outage(ctx);
  if (outage) throw new ClusterUnreachable(outageText(cluster, outage));
  try {
    await cache.whenSynced(ctx, concerns);
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    const { code, message } = FairleadError.from(error);
    const reported = `diff failure: cluster ${name || server} cannot be read: ${message}`;
    const fix = fixes[code];
    throw new FairleadError(code, fix ? `${reported}; ${fix}` : reported, error);
  }
}

/** compat engine R-19: resources that cannot be loaded are Unknown. The text is the same for the whole outage. */
export function outageText({ name, server }: Pick<LiveCluster, 'name' | 'server'>, outage: Outage): string {
  const { since, error } = outage;
  const why = error ? `: ${error.message}` : '';
  return `cluster ${name || server} is unreachable since ${printTime(since)}${why}`;
}

const fixes: Partial<Record<FairleadError['code'], string>> = {
  Auth: 'check the credentials in its Secret',
  PermissionDenied:
    'let us list it, or set resource.respectRBAC in argocd-cm to normal, and what we may not list is left out',
};

/** Whether a kind is namespaced, as far as the cluster knows it. */
export function scopeIn({ cache }: LiveCluster): (kind: GroupKind) => boolean | undefined {
  return (kind) => (cache.resource(kind.group, kind.kind) ?? definedOnly(cache, kind))?.namespaced;
}
