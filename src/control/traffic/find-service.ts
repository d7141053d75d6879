import { type KubeObject, keyFrom, projectName } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { generateManifests } from '#control/comparison';
import { ownerOf, trackedBy } from '#engine';
import {
  knativeServicesIn,
  type ManualTraffic,
  manualTrafficOf,
  type ServiceFacts,
  serviceFacts,
} from '#engine/traffic';
import { rolloutOwning } from './rollout-owner.ts';
import type { AppAtDestination, TrafficDeps } from './traffic-deps.ts';

/** A Knative Service of an application: as Git declares it, and as it is. */
export type FoundService = {
  readonly target: KubeObject;
  readonly live: KubeObject;
  readonly facts: ServiceFacts;
  readonly revisions: readonly KubeObject[];
  /** The Rollout that owns the split; undefined: none does. */
  readonly rollout: string | undefined;
  /** The Revision that this Rollout protects. */
  readonly stable: string | undefined;
  /** The Revision that a person has pinned on it. */
  readonly manual: ManualTraffic | undefined;
};

type Wanted = { readonly service?: string | undefined; readonly namespace?: string | undefined };

/** More Revisions than a person chooses from; Knative collects old ones itself. */
const mostRevisions = 500;

/** The Knative Services that an application declares; `fresh`: of the newest commit. Throws why they cannot be rendered. */
export async function declaredServices(
  ctx: Ctx,
  { context }: TrafficDeps,
  placed: AppAtDestination,
  resolve: 'cached' | 'fresh',
): Promise<readonly KubeObject[]> {
  const { target } = await generateManifests(ctx, context, placed, { resolve, hard: false, given: [] });
  return knativeServicesIn(target.objects);
}

/** The one that is meant. Throws NotFound, or InvalidSpec when several could be. */
export function chooseService(
  { app }: AppAtDestination,
  declared: readonly KubeObject[],
  { service, namespace }: Wanted,
): KubeObject {
  const fitting = declared.filter(
    ({ metadata }) =>
      (!service || metadata.name === service) && (!namespace || metadata.namespace === namespace),
  );
  const names = declared.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).slice(0, 10);
  const [one, other] = fitting;
  if (!one) {
    const known = names.length > 0 ? `it declares ${names.join(', ')}` : 'it declares none';
    const what = service ? `Knative Service ${JSON.stringify(service.slice(0, 80))}` : 'Knative Service';
    throw new FairleadError('NotFound', `application ${app.metadata.name} has no ${what}: ${known}`);
  }
  if (other)
    throw new FairleadError(
      'InvalidSpec',
      `application ${app.metadata.name} has several Knative Services (${names.join(', ')}): name one, and its namespace`,
    );
  return one;
}

/** A declared Service with its live object and Revisions; undefined: it is not in the cluster. */
export async function liveService(
  ctx: Ctx,
  { context }: TrafficDeps,
  { app, destination }: AppAtDestination,
  target: KubeObject,
): Promise<FoundService | undefined> {
  const { name, namespace = '' } = target.metadata;
  const { cluster } = destination;
  const key = keyFrom({ group: 'serving.knative.dev', kind: 'Service', namespace, name });
  const live = await cluster.cache.whole(ctx, key);
  if (!live) return undefined;
  const manager = trackedBy(live, context.settings().tracking);
  if (manager !== undefined && manager !== ownerOf(app, context.namespace).instance)
    throw new FairleadError(
      'InvalidSpec',
      `Service ${name} belongs to the application ${manager}: change its traffic there`,
    );
  const denied = destination.denies(live, true);
  if (denied) throw new FairleadError('PermissionDenied', `project ${projectName(app)}: ${denied}`);
  const { items } = await cluster.kube.list(
    ctx,
    { apiVersion: 'serving.knative.dev/v1', kind: 'Revision', namespace },
    { labelSelector: `serving.knative.dev/service=${name}` },
  );
  const revisions = items.slice(0, mostRevisions);
  const facts = serviceFacts(live, revisions);
  const rollout = await rolloutOwning(ctx, cluster.kube, target);
  const manual = rollout && manualTrafficOf(rollout).record;
  const owner = { rollout: rollout?.metadata.name, stable: rollout?.status?.stableRS, manual };
  return { target, live, facts, revisions, ...owner };
}

/** The same. Throws NotFound for a Service that is not in the cluster. */
export async function requireLive(
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  target: KubeObject,
): Promise<FoundService> {
  const found = await liveService(ctx, deps, placed, target);
  if (found) return found;
  const { name, namespace } = target.metadata;
  throw new FairleadError(
    'NotFound',
    `Service ${namespace}/${name} is not in the cluster yet: sync the application first`,
  );
}
