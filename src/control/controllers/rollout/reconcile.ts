import { controllerOf, type KubeObject, matches, printSelector, selectorOf } from '#base/model';
import type { Ctx } from '#base/std';
import {
  type AnalysisRun,
  type Experiment,
  failedPlan,
  type KnativeFacts,
  type KnativeRevision,
  type KnativeServiceView,
  knativeOf,
  needsPods,
  planRollout,
  type Rollout,
  type RolloutPlan,
  type RolloutPod,
  type RolloutReplicaSet,
  referencesOf,
  revisionsOf,
  rolesOf,
  rolesOfRevisions,
  type WorkloadView,
  withWorkload,
} from '#engine/rollouts';
import { hasReason, type ObjectRef } from '#kubernetes/client';
import { type Announce, announcing } from '../notification/announce.ts';
import { claimReplicaSets } from './claim.ts';
import { eventFactsOf } from './event-subject.ts';
import { type ExecutePlanDeps, executePlan } from './execute-plan.ts';

export type RolloutPassDeps = ExecutePlanDeps & {
  /** The ReplicaSets, the runs and the experiments of a Rollout, by `namespace/name` of it. */
  replicaSetsOf(key: string): readonly RolloutReplicaSet[];
  /** The ReplicaSets of a namespace that have no controller. */
  orphansOf(namespace: string): readonly RolloutReplicaSet[];
  runsOf(key: string): readonly AnalysisRun[];
  experimentsOf(key: string): readonly Experiment[];
  /** Left out: nothing subscribes to what happens to Rollouts. */
  readonly announce?: Announce | undefined;
};

/** Reads what a pass over the Rollout needs, plans, and carries the plan out. */
export async function reconcileRollout(
  ctx: Ctx,
  deps: RolloutPassDeps,
  rollout: Rollout,
): Promise<RolloutPlan> {
  const plan = await planned(ctx, deps, rollout);
  const { namespace = '', name } = rollout.metadata;
  const known = { runs: deps.runsOf(`${namespace}/${name}`), now: ctx.clock.now() };
  const facts = eventFactsOf(rollout, plan, known);
  await announcing(ctx, deps.announce, { object: rollout, facts }, () =>
    executePlan(ctx, deps, rollout, plan),
  );
  return plan;
}

async function planned(ctx: Ctx, deps: RolloutPassDeps, rollout: Rollout): Promise<RolloutPlan> {
  const { informers } = deps;
  const { namespace = '', name } = rollout.metadata;
  const key = `${namespace}/${name}`;
  const objects = await readReferenced(ctx, deps, rollout);
  const { workloadRef } = rollout.spec ?? {};
  const workload =
    workloadRef &&
    (objects.get(keyOf(workloadRef.kind ?? '', workloadRef.name ?? '')) as WorkloadView | undefined);
  const whole = withWorkload(rollout, workload);
  const knative = await readKnative(ctx, deps, rollout, objects);
  const owned = deps.replicaSetsOf(key);
  const claimed = await claimReplicaSets(ctx, deps, {
    rollout: whole,
    owned,
    orphans: deps.orphansOf(namespace),
  });
  const sets = claimed.filter(({ metadata }) => !metadata.deletionTimestamp);
  return planRollout({
    rollout: whole,
    roles: knative ? rolesOfRevisions(whole, knative) : rolesOf(whole, sets),
    now: ctx.clock.now(),
    service: (service) => informers.services.get(namespace, service),
    find: (_apiVersion, kind, other) =>
      objects.get(keyOf(kind, other)) ?? findOwnKind(informers, kind, { namespace, name: other }),
    template: (template, isClusterWide) =>
      isClusterWide
        ? informers.clusterTemplates.get('', template)
        : informers.templates.get(namespace, template),
    runs: deps.runsOf(key),
    experiments: deps.experimentsOf(key),
    pods: needsPods(whole, sets) ? await podsOf(ctx, deps, whole, sets) : [],
    workload,
    ...(knative && { knative }),
  });
}

/** compat rollouts RQ-13: an error that lasts is a condition of the Rollout, and its phase. */
export async function reportFailure(
  ctx: Ctx,
  deps: ExecutePlanDeps,
  rollout: Rollout,
  error: Error,
): Promise<void> {
  await executePlan(ctx, deps, rollout, failedPlan(rollout, error.message, ctx.clock.now()));
}

/** An object of a kind that the controllers keep, whatever owns it: its name is taken. */
function findOwnKind(
  { runs, experiments }: ExecutePlanDeps['informers'],
  kind: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): KubeObject | undefined {
  if (kind === 'AnalysisRun') return runs.get(namespace, name);
  return kind === 'Experiment' ? experiments.get(namespace, name) : undefined;
}

const keyOf = (kind: string, name: string): string => `${kind}/${name}`;

/** Routers and workloads are read afresh in each pass, and watched from the first one on. */
async function readReferenced(
  ctx: Ctx,
  deps: RolloutPassDeps,
  rollout: Rollout,
): Promise<Map<string, KubeObject>> {
  const found = new Map<string, KubeObject>();
  for (const { apiVersion, kind, name } of referencesOf(rollout)) {
    deps.informers.watch(apiVersion, kind);
    const ref = { apiVersion, kind, namespace: rollout.metadata.namespace, name };
    const object = await findServed(ctx, deps, ref);
    if (object) found.set(keyOf(kind, name), object);
  }
  return found;
}

/** compat rollouts §14: the Knative Service of a Rollout, with its Revisions; undefined: it has none. */
async function readKnative(
  ctx: Ctx,
  { kube, informers }: ExecutePlanDeps,
  rollout: Rollout,
  objects: ReadonlyMap<string, KubeObject>,
): Promise<KnativeFacts | undefined> {
  const { service: name } = knativeOf(rollout) ?? {};
  if (name === undefined) return undefined;
  const service = objects.get(keyOf('Service', name)) as KnativeServiceView | undefined;
  const { namespace } = rollout.metadata;
  const rivals = informers.rollouts
    .list()
    .filter(
      (other) =>
        other.metadata.namespace === namespace &&
        knativeOf(other)?.service === name &&
        !other.metadata.deletionTimestamp &&
        isOlder(other, rollout),
    );
  const from = { apiVersion: 'serving.knative.dev/v1', kind: 'Revision', namespace };
  const revisions = service ? (await kube.list(ctx, from, { labelSelector: revisionsOf(name) })).items : [];
  return { service, revisions: revisions as KnativeRevision[], rival: rivals[0]?.metadata.name };
}

function isOlder({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  const [a = '', b = ''] = [one.creationTimestamp, other.creationTimestamp];
  return a === b ? one.name < other.name : a < b;
}

/** A kind that the cluster does not serve has no objects. */
async function findServed(
  ctx: Ctx,
  { kube }: ExecutePlanDeps,
  ref: ObjectRef,
): Promise<KubeObject | undefined> {
  try {
    return await kube.find(ctx, ref);
  } catch (error) {
    if (hasReason(error, 'NoMatch')) return undefined;
    throw error;
  }
}

/** The pods of the ReplicaSets: those of an Experiment may have the same labels. */
async function podsOf(
  ctx: Ctx,
  { kube }: ExecutePlanDeps,
  { metadata, spec }: Rollout,
  sets: readonly RolloutReplicaSet[],
): Promise<RolloutPod[]> {
  const selector = selectorOf(spec?.selector);
  const from = { apiVersion: 'v1', kind: 'Pod', namespace: metadata.namespace };
  const { items } = await kube.list(ctx, from, { labelSelector: printSelector(selector) });
  const owners = new Set(sets.map((set) => set.metadata.uid));
  return (items as RolloutPod[]).filter(
    (pod) => matches(selector, pod.metadata.labels) && owners.has(controllerOf(pod)?.uid),
  );
}
