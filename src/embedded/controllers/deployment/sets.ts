import { conditionOf, type KubeObject } from '#base/model';
import { equal } from '#base/std';
import { replicaSetKind } from '../kinds.ts';
import type { PodTemplate } from '../pod/view.ts';
import type { ReplicaSet } from '../replica-set.ts';
import type { SimulationContext } from '../simulation-context.ts';
import {
  change,
  controlled,
  controllerManager,
  discard,
  isDeleting,
  isReason,
  isTerminating,
  ownedMeta,
} from '../write.ts';
import { hasDeadline, progress, type Word } from './conditions.ts';
import { revisionNote, revisionOf, sizeNotes, templateNotes } from './notes.ts';
import { recordDeploymentEvent } from './record-event.ts';
import { byAge, growth } from './scale.ts';
import { say } from './status.ts';
import type { Deployment, Sets } from './view.ts';

const hashLabel = 'pod-template-hash';

/** The deployment's replica sets. The current one is matched by its template, so a rollback reuses an old one. */
export function setsOf(context: SimulationContext, deployment: Deployment): Sets {
  const sets = (controlled(context, deployment, replicaSetKind) as ReplicaSet[]).sort(byAge);
  const template = plain(deployment.spec?.template);
  const current = sets.find((set) => equal(plain(set.spec?.template), template));
  return { current, old: sets.filter((set) => set !== current) };
}

function plain(template: PodTemplate | undefined): PodTemplate {
  const { [hashLabel]: _hash, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}

/** The deployment as it now is, and its sets: the input of a pass. */
export type Synced = { readonly deployment: Deployment; readonly sets: Sets };

/** Records the revision of the current template's set as the newest, on the set and then on the deployment. */
export async function syncRevision(
  context: SimulationContext,
  deployment: Deployment,
  sets: Sets,
): Promise<Synced> {
  const { current } = sets;
  if (!current) return { deployment, sets };
  const revision = Math.max(0, ...sets.old.map(revisionOf)) + 1;
  const annotations = templateNotes(deployment, current, revision);
  const minReadySeconds = deployment.spec?.minReadySeconds || null; // zero is not written
  const noted = await change(context, current, { metadata: { annotations }, spec: { minReadySeconds } });
  const next = { ...sets, current: noted as ReplicaSet };
  if (noted !== current) return { deployment, sets: next }; // the next pass writes the deployment
  const isNew =
    hasDeadline(deployment.spec ?? {}) && !conditionOf(deployment.status?.conditions, 'Progressing');
  const found = progress('True', 'FoundNewReplicaSet', `Found new replica set "${current.metadata.name}"`);
  const reported = await say(context, deployment, isNew ? [found] : [], noteFor(revisionOf(current)));
  return { deployment: reported, sets: next };
}

const noteFor = (revision: number) => ({ [revisionNote]: String(revision) });

/** Creates the set for the current template if it does not exist. */
export async function ensureCurrent(
  context: SimulationContext,
  deployment: Deployment,
  sets: Sets,
): Promise<Synced> {
  if (sets.current) return syncRevision(context, deployment, sets);
  const revision = Math.max(0, ...sets.old.map(revisionOf)) + 1;
  const current = (await create(context, deployment, sets, revision)) as ReplicaSet;
  const { name } = current.metadata;
  const size = current.spec?.replicas ?? 0;
  if (size > 0)
    await recordDeploymentEvent(context, deployment, `Scaled up replica set ${name} from 0 to ${size}`);
  const word = progress('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);
  const words: Word[] = hasDeadline(deployment.spec ?? {}) ? [word] : [];
  return { deployment: await say(context, deployment, words, noteFor(revision)), sets: { ...sets, current } };
}

async function create(
  context: SimulationContext,
  deployment: Deployment,
  sets: Sets,
  revision: number,
): Promise<KubeObject> {
  const set = newSet(context, deployment, sets, revision);
  try {
    return await context.objects.create(set, controllerManager);
  } catch (error) {
    if (isReason(error, 'AlreadyExists')) await noteCollision(context, deployment);
    else if (!isTerminating(error)) await sayFailed(context, deployment, set, error as Error);
    throw error;
  }
}

function newSet(
  context: SimulationContext,
  deployment: Deployment,
  sets: Sets,
  revision: number,
): KubeObject {
  const { template, selector, minReadySeconds = 0 } = deployment.spec ?? {};
  const hash = templateHash(context, deployment);
  const labels = { ...template?.metadata?.labels, [hashLabel]: hash };
  const annotations = { ...templateNotes(deployment, undefined, revision), ...sizeNotes(deployment) };
  return {
    ...replicaSetKind,
    metadata: ownedMeta(deployment, { name: `${deployment.metadata.name}-${hash}`, labels, annotations }),
    spec: {
      replicas: growth(deployment, sets, 0),
      ...(minReadySeconds > 0 && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template?.metadata, labels } },
    },
  };
}

/** compat cluster 5.2: a set with another template has the name; the next pass tries another name. */
async function noteCollision(
  context: SimulationContext,
  { metadata, status, ...rest }: Deployment,
): Promise<void> {
  const ref = { ...rest, namespace: metadata.namespace, name: metadata.name };
  const collisionCount = (status?.collisionCount ?? 0) + 1;
  await context.objects.patchStatus(ref, { collisionCount }, controllerManager);
}

async function sayFailed(
  context: SimulationContext,
  deployment: Deployment,
  set: KubeObject,
  error: Error,
): Promise<void> {
  const reason = 'ReplicaSetCreateError';
  const message = `Failed to create new replica set "${set.metadata.name}": ${error.message}`;
  if (hasDeadline(deployment.spec ?? {}))
    await say(context, deployment, [progress('False', reason, message)], {});
  await recordDeploymentEvent(context, deployment, message, { type: 'Warning', reason });
}

/** Any stable function of the template will do; callers must not rely on its value. */
function templateHash({ chance }: SimulationContext, { spec, status }: Deployment): string {
  const text = JSON.stringify(plain(spec?.template), (_key, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return chance.suffix(`${text}${status?.collisionCount || ''}`, 10);
}

/** compat cluster 5.2: old sets without pods are kept for rollbacks, up to the history limit. */
export async function pruneHistory(
  context: SimulationContext,
  deployment: Deployment,
  { old }: Sets,
): Promise<void> {
  const limit = deployment.spec?.revisionHistoryLimit ?? 10;
  const alive = old.filter((set) => !isDeleting(set)).sort((a, b) => revisionOf(a) - revisionOf(b));
  const surplus = alive.slice(0, Math.max(0, alive.length - limit)).filter(isIdle);
  await Promise.all(surplus.map((set) => discard(context, set)));
}

const isIdle = ({ metadata, spec, status }: ReplicaSet): boolean =>
  (spec?.replicas ?? 0) === 0 &&
  (status?.replicas ?? 0) === 0 &&
  (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
