import type { KubeObject } from '#model';
import { equal } from '#std';
import { replicaSetKind } from '../kinds.ts';
import type { PodTemplate } from '../pod/view.ts';
import type { ReplicaSet } from '../replica-set.ts';
import type { World } from '../world.ts';
import { change, controlled, controllerManager, isReason, ownedMeta, writeStatus } from '../write.ts';
import { initialReplicas } from './scale.ts';
import { bounds, type Deployment, everySet, type Sets } from './view.ts';

const revisionNote = 'deployment.kubernetes.io/revision';
const desiredNote = 'deployment.kubernetes.io/desired-replicas';
const maxNote = 'deployment.kubernetes.io/max-replicas';
const hashLabel = 'pod-template-hash';

/** compat: notes that are about the deployment alone. */
const keptBack = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionNote,
  'deployment.kubernetes.io/revision-history',
  desiredNote,
  maxNote,
  'deprecated.deployment.rollback.to',
]);

/** The deployment's replica sets; the current one is recognised by its template, so going back finds an old one. */
export function setsOf(world: World, deployment: Deployment): Sets {
  const sets = (controlled(world, deployment, replicaSetKind) as ReplicaSet[]).sort(byAge);
  const template = plain(deployment.spec?.template);
  const current = sets.find((set) => equal(plain(set.spec?.template), template));
  return { current, old: sets.filter((set) => set !== current) };
}

const byAge = (a: KubeObject, b: KubeObject): number =>
  revisionOf(a) - revisionOf(b) ||
  ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1);

function plain(template: PodTemplate | undefined): PodTemplate {
  const { [hashLabel]: _hash, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}

export const revisionOf = ({ metadata }: KubeObject): number =>
  Number(metadata.annotations?.[revisionNote] ?? 0);

/** Whether the number of wanted pods has changed since the sets were last told. */
export const wasScaled = (deployment: Deployment, sets: Sets): boolean =>
  everySet(sets)
    .filter((set) => (set.spec?.replicas ?? 0) > 0)
    .some((set) => {
      const told = set.metadata.annotations?.[desiredNote];
      return told !== undefined && Number(told) !== (deployment.spec?.replicas ?? 1);
    });

const sizeNotes = ({ spec = {} }: Deployment): Record<string, string> => ({
  [desiredNote]: String(spec.replicas ?? 1),
  [maxNote]: String((spec.replicas ?? 1) + bounds(spec).surge),
});

function notesFor(deployment: Deployment, revision: number): Record<string, string> {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !keptBack.has(key));
  return { ...Object.fromEntries(copied), ...sizeNotes(deployment), [revisionNote]: String(revision) };
}

/** The set for the current template, made when there is none, with its revision noted on both. */
export async function ensureCurrent(world: World, deployment: Deployment, sets: Sets): Promise<ReplicaSet> {
  const newest = Math.max(0, ...sets.old.map(revisionOf));
  const revision = sets.current && revisionOf(sets.current) > newest ? revisionOf(sets.current) : newest + 1;
  const annotations = notesFor(deployment, revision);
  const minReadySeconds = deployment.spec?.minReadySeconds || null; // zero is not written down
  const current = sets.current
    ? await change(world, sets.current, { metadata: { annotations }, spec: { minReadySeconds } })
    : await create(world, deployment, sets, annotations);
  await change(world, deployment, { metadata: { annotations: { [revisionNote]: String(revision) } } });
  return current as ReplicaSet;
}

async function create(
  world: World,
  deployment: Deployment,
  sets: Sets,
  annotations: Record<string, string>,
): Promise<KubeObject> {
  const { template, selector, minReadySeconds = 0 } = deployment.spec ?? {};
  const collisions = deployment.status?.collisionCount ?? 0;
  const hash = templateHash(world, deployment, collisions);
  const labels = { ...template?.metadata?.labels, [hashLabel]: hash };
  const set = {
    ...replicaSetKind,
    metadata: ownedMeta(deployment, { name: `${deployment.metadata.name}-${hash}`, labels, annotations }),
    spec: {
      replicas: initialReplicas(deployment, sets),
      ...(minReadySeconds > 0 && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template?.metadata, labels } },
    },
  };
  try {
    return await world.objects.create(set as KubeObject, controllerManager);
  } catch (error) {
    // compat: the name is taken by another template; the next pass tries another one
    if (isReason(error, 'AlreadyExists')) {
      await writeStatus(world, deployment, { ...deployment.status, collisionCount: collisions + 1 });
    }
    throw error;
  }
}

/** Any stable function of the template will do; nobody may rely on its value. */
function templateHash({ chance }: World, { spec }: Deployment, collisions: number): string {
  const text = JSON.stringify(plain(spec?.template), (_key, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return chance.suffix(`${text}${collisions > 0 ? collisions : ''}`, 10);
}

export const noteSizes = (world: World, deployment: Deployment, set: ReplicaSet, replicas: number) =>
  change(world, set, { metadata: { annotations: sizeNotes(deployment) }, spec: { replicas } });

/** compat: old sets without pods are kept for going back, but only so many. */
export async function pruneHistory(
  world: World,
  deployment: Deployment,
  { old }: Sets,
  discard: (world: World, set: KubeObject) => Promise<void>,
): Promise<void> {
  const limit = deployment.spec?.revisionHistoryLimit ?? 10;
  const idle = old.filter(({ spec, status }) => (spec?.replicas ?? 0) === 0 && (status?.replicas ?? 0) === 0);
  const surplus = idle.slice(0, Math.max(0, old.length - limit));
  await Promise.all(surplus.map((set) => discard(world, set)));
}
