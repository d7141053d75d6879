import type { Application } from '#base/model';
import type { Ctx } from '#base/std';
import { type AggregateHealth, aggregateHealth, isOwnObject } from '#engine';
import { outageText } from './compare-application.ts';
import type { ComparisonDeps } from './comparison-deps.ts';
import { resolveDestination } from './destination.ts';
import { runHealthScripts } from './health.ts';
import { recordedIn } from './tree.ts';

/**
 * compat engine §2.5 step 13: the current health of the resources that the last comparison recorded, for callers that cannot
 * compare. Undefined where nothing is recorded, or the health cannot be determined.
 */
export async function currentHealth(
  ctx: Ctx,
  context: ComparisonDeps,
  app: Application,
): Promise<AggregateHealth | undefined> {
  const recorded = recordedIn(app);
  const placed = resolveDestination(context, app);
  if (recorded.length === 0 || 'conditions' in placed) return undefined;
  const { cache } = placed.destination.cluster;
  const outage = cache.outage(ctx);
  if (outage) return lost(outageText(placed.destination.cluster, { since: outage.since }));
  const pairs = recorded.map((pair) => {
    const live = cache.get(pair.key);
    return live ? { ...pair, live } : pair;
  });
  const options = await runHealthScripts(
    ctx,
    context,
    pairs.flatMap(({ live }) => live ?? []),
    cache,
  );
  return aggregateHealth(pairs, { ...options, isSelf: (object) => isOwnObject(app, object) });
}

/** The health of resources in an unreachable cluster is unknown. */
const lost = (message: string): AggregateHealth => ({
  health: { status: 'Unknown', message },
  byKey: new Map(),
  errors: [],
});
