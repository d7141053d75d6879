import { conditionOf, type KubeObject } from '#base/model';
import { FairleadError } from '#base/std';
import type { Deployment } from '../deployment/view.ts';
import { deploymentKind, podKind, replicaSetKind } from '../kinds.ts';
import { imageIdOf } from '../pod/image.ts';
import type { Pod } from '../pod/view.ts';
import { ownerKey } from '../replica-set.ts';
import {
  type Controller,
  keyOfObject,
  type NextPass,
  nowOf,
  type SimulationContext,
} from '../simulation-context.ts';
import { controlled, isDeleting, ownedMeta, storedObject, writeStatus } from '../write.ts';
import { Conditions, type KnativeCondition, livingSet } from './conditions.ts';
import { configOf, type KnativeConfig } from './config.ts';
import { ensure } from './ensure.ts';
import { imageKind, knative, label, podAutoscalerKind, revisionKind } from './kinds.ts';
import { childName, deploymentName } from './names.ts';
import { protocolOf, revisionDeployment, revisionLabels, revisionNotes } from './revision-deployment.ts';
import {
  type PodAutoscaler,
  type Revision,
  type RevisionContainer,
  readyOf,
  servingContainer,
} from './view.ts';

const conditionSet = livingSet('ResourcesAvailable', 'ContainerHealthy');
const component = 'revision-controller';
const resources = 'ResourcesAvailable';
const container = 'ContainerHealthy';

/** Pods have a label with their revision; their status explains why the revision does not start. */
function podKeys(_context: SimulationContext, { object }: { object: KubeObject }) {
  const name = object.metadata.labels?.[label.revision];
  return name === undefined ? [] : [{ namespace: object.metadata.namespace ?? '', name }];
}

/** Creates the Deployment and the autoscaler of a Revision, and reports whether they are ready. */
export const revisionController: Controller = {
  type: revisionKind,
  wakes: [
    { type: deploymentKind, keys: (_context, event) => ownerKey('Revision', event) },
    { type: podAutoscalerKind, keys: (_context, event) => ownerKey('Revision', event) },
    { type: podKind, keys: podKeys },
  ],
  async reconcile(context, object): Promise<NextPass | undefined> {
    if (isDeleting(object)) return undefined;
    const revision = object as Revision;
    const conditions = new Conditions(conditionSet, revision.status?.conditions, context.clock.now());
    const { fields, again, failure } = await bringUp(context, revision, conditions);
    const wasReady = readyOf(revision)?.status === 'True';
    const { generation: observedGeneration } = revision.metadata;
    const status = { ...revision.status, ...fields, observedGeneration, conditions: conditions.list };
    await writeStatus(context, revision, status, knative);
    if (!wasReady && conditions.is('Ready', 'True')) {
      const message = 'Revision becomes ready upon all resources being ready';
      await context.events.record(revision, { type: 'Normal', reason: 'RevisionReady', message, component });
    }
    if (failure) throw failure;
    return again;
  },
};

type Progress = { readonly fields: object; readonly again?: NextPass; readonly failure?: Error };

async function bringUp(
  context: SimulationContext,
  revision: Revision,
  conditions: Conditions,
): Promise<Progress> {
  if (revision.status?.containerStatuses === undefined) {
    if (revision.status?.observedGeneration === undefined) {
      conditions.markUnknown(resources, 'ResolvingDigests');
      return { fields: {}, again: { at: nowOf(context) } };
    }
    const missing = await unresolvable(context, revision, conditions);
    if (missing) return { fields: {} };
  }
  const fields = digests(configOf(context), revision);
  const resolved = { ...revision, status: { ...revision.status, ...fields } };
  const failure = await bringUpDeployment(context, resolved, conditions);
  if (failure) return { fields, failure };
  await cacheImages(context, resolved);
  const scaler = await bringUpAutoscaler(context, resolved, conditions);
  return { fields: { ...fields, ...followAutoscaler(scaler, conditions) } };
}

const skipped = 'registries-skipping-tag-resolving';

/** compat cluster 5.6: an image of a registry that is excluded from tag resolution stays as it was written. */
function digestOf(config: KnativeConfig, image: string): string | undefined {
  const list = config('config-deployment')[skipped] ?? 'kind.local,ko.local,dev.local';
  const [host = ''] = image.split('/', 1);
  const registry = /[.:]/.test(host) && host !== image ? host : 'index.docker.io';
  const isKept = !image.includes('@') && list.split(',').includes(registry);
  return isKept ? undefined : imageIdOf(image);
}

function digests(config: KnativeConfig, { spec }: Revision) {
  const of = (list: readonly RevisionContainer[]) =>
    list.map(({ name = '', image = '' }) => {
      const imageDigest = digestOf(config, image);
      return { name, ...(imageDigest !== undefined && { imageDigest }) };
    });
  const { containers = [], initContainers = [] } = spec ?? {};
  return {
    containerStatuses: of(containers),
    ...(initContainers.length > 0 && { initContainerStatuses: of(initContainers) }),
  };
}

/** compat cluster 5.6: an Image object for controllers that pull images ahead of time. */
async function cacheImages(context: SimulationContext, revision: Revision): Promise<void> {
  const { containers = [], imagePullSecrets, serviceAccountName } = revision.spec ?? {};
  for (const [index, { name = '' }] of containers.entries()) {
    const digest = revision.status?.containerStatuses?.[index]?.imageDigest;
    await ensure(context, revision, {
      ...imageKind,
      metadata: ownedMeta(revision, {
        name: childName(childName(revision.metadata.name, '-cache'), `-${name}`),
        labels: revisionLabels(revision),
        annotations: revisionNotes(revision, false),
      }),
      spec: {
        image: digest ?? '',
        ...(serviceAccountName && { serviceAccountName }),
        ...(imagePullSecrets && { imagePullSecrets }),
      },
    });
  }
}

/** compat cluster 5.6: an image that is missing in the registry fails the revision before anything is deployed. */
async function unresolvable(
  context: SimulationContext,
  revision: Revision,
  conditions: Conditions,
): Promise<boolean> {
  const isScripted = revision.metadata.annotations?.['simulate.fairlead.io/outcome'] === 'image-pull-error';
  const { containers = [] } = revision.spec ?? {};
  const bad = containers.find(
    ({ image = '' }, index) => image.includes('image-pull-error') || (isScripted && index === 0),
  );
  if (!bad) return false;
  const image = bad.image ?? '';
  const why = 'failed to resolve image to digest: unexpected status code 404 Not Found';
  const message = `Unable to fetch image "${image}": ${why}`;
  const isNew = conditions.get(container)?.reason !== 'ContainerMissing';
  conditions.markFalse(container, 'ContainerMissing', message);
  if (isNew)
    await context.events.record(revision, { type: 'Warning', reason: 'InternalError', message, component });
  return true;
}

/** Returns the API server's error for the Deployment; the pass is retried, and an event is recorded. */
async function bringUpDeployment(
  context: SimulationContext,
  revision: Revision,
  conditions: Conditions,
): Promise<Error | undefined> {
  const name = deploymentName(revision.metadata.name);
  const live = storedObject(context, deploymentKind, { ...keyOfObject(revision), name }) as
    | Deployment
    | undefined;
  if (live) {
    judgeDeployment(live, conditions);
    judgePods(context, revision, live, conditions);
    return undefined;
  }
  conditions.markUnknown(resources, 'Deploying');
  conditions.markUnknown(container, 'Deploying');
  try {
    await context.objects.create(revisionDeployment(configOf(context), revision), knative);
    return undefined;
  } catch (error) {
    const message = `failed to create deployment "${name}": ${(error as Error).message}`;
    await context.events.record(revision, { type: 'Warning', reason: 'InternalError', message, component });
    return FairleadError.from(error);
  }
}

function judgeDeployment({ status }: Deployment, conditions: Conditions): void {
  const failure = conditionOf(status?.conditions, 'ReplicaFailure');
  const progress = conditionOf(status?.conditions, 'Progressing');
  if (failure?.status === 'True') conditions.markFalse(resources, failure.reason, failure.message);
  else if (progress?.status === 'False') conditions.markFalse(resources, progress.reason, progress.message);
  else if (progress?.status === 'True') conditions.markTrue(resources);
}

/** compat cluster 5.6: when no pod of a Deployment becomes ready, the status of its first pod gives the reason. */
function judgePods(
  context: SimulationContext,
  revision: Revision,
  deployment: Deployment,
  conditions: Conditions,
): void {
  const { spec, status } = deployment;
  if ((status?.availableReplicas ?? 0) > 0) {
    conditions.markTrue(container);
    return;
  }
  if ((spec?.replicas ?? 1) === 0) return;
  const pod = firstPod(context, deployment);
  if (!pod) return;
  const scheduled = conditionOf(pod.status?.conditions, 'PodScheduled');
  if (scheduled?.status === 'False') conditions.markFalse(resources, scheduled.reason, scheduled.message);
  const name = servingContainer(revision.spec ?? {})?.name;
  const found = pod.status?.containerStatuses?.find((one) => one.name === name);
  const ended = found?.lastState.terminated ?? found?.state.terminated;
  if (ended) {
    conditions.markFalse(
      container,
      `ExitCode${ended.exitCode}`,
      `Container failed with: ${ended.message ?? ''}`,
    );
  } else if (found?.state.waiting && hasTimedOut(deployment)) {
    conditions.markFalse(resources, found.state.waiting.reason, found.state.waiting.message);
  }
}

const hasTimedOut = ({ status }: Deployment): boolean =>
  conditionOf(status?.conditions, 'Progressing')?.reason === 'ProgressDeadlineExceeded';

function firstPod(context: SimulationContext, deployment: Deployment): Pod | undefined {
  const sets = controlled(context, deployment, replicaSetKind);
  return sets.flatMap((set) => controlled(context, set, podKind)).find((pod) => !isDeleting(pod)) as
    | Pod
    | undefined;
}

async function bringUpAutoscaler(
  context: SimulationContext,
  revision: Revision,
  conditions: Conditions,
): Promise<PodAutoscaler | undefined> {
  const { name, labels = {} } = revision.metadata;
  const { containerConcurrency = 0 } = revision.spec ?? {};
  const target = storedObject(context, deploymentKind, {
    ...keyOfObject(revision),
    name: deploymentName(name),
  });
  const { spec, status } = (target ?? {}) as Deployment;
  const isLost = isBroken(conditions) && (spec?.replicas ?? 0) > 0 && !status?.readyReplicas;
  const reachability = reachabilityOf(labels[label.routingState], isLost);
  const wanted = {
    ...podAutoscalerKind,
    metadata: ownedMeta(revision, {
      name,
      labels: revisionLabels(revision),
      annotations: {
        'autoscaling.knative.dev/class': 'kpa.autoscaling.knative.dev',
        'autoscaling.knative.dev/metric': 'concurrency',
        ...revisionNotes(revision, true),
      },
    }),
    spec: {
      ...(containerConcurrency > 0 && { containerConcurrency }),
      protocolType: protocolOf(revision),
      ...(reachability && { reachability }),
      scaleTargetRef: { ...deploymentKind, name: deploymentName(name) },
    },
  };
  const found = await ensure(context, revision, wanted);
  if (found) return found as PodAutoscaler;
  const message = `There is an existing PodAutoscaler "${name}" that we do not own.`;
  conditions.markFalse(resources, 'NotOwned', message);
  return undefined;
}

const isBroken = (conditions: Conditions): boolean =>
  conditions.is(resources, 'False') || conditions.is(container, 'False');

/** compat cluster 5.6: a revision without a routing state has no reachability. */
function reachabilityOf(state: string | undefined, isLost: boolean): string | undefined {
  if (isLost || state === 'reserve') return 'Unreachable';
  return state === 'active' ? 'Reachable' : undefined;
}

/**
 * compat cluster 5.6: the revision is active as its autoscaler is, and available once it has reached its initial
 * scale.
 */
function followAutoscaler(scaler: PodAutoscaler | undefined, conditions: Conditions): object {
  const ready = scaler && readyOf(scaler);
  if (!scaler || !ready) {
    conditions.markUnknown('Active', 'Deploying');
    if (!isBroken(conditions)) conditions.markUnknown(resources, 'Deploying');
    return {};
  }
  if (!isBroken(conditions)) followScale(scaler, ready, conditions);
  conditions.mirror('Active', ready);
  const { actualScale = -1, desiredScale = -1 } = scaler.status ?? {};
  return {
    actualReplicas: actualScale >= 0 ? actualScale : undefined,
    desiredReplicas: desiredScale >= 0 ? desiredScale : undefined,
  };
}

function followScale(scaler: PodAutoscaler, ready: KnativeCondition, conditions: Conditions): void {
  if (conditionOf(scaler.status?.conditions, 'ScaleTargetInitialized')?.status === 'True') {
    conditions.markTrue(resources);
    conditions.markTrue(container);
  } else if (ready.status === 'False' && scaler.status?.serviceName) {
    conditions.markFalse(resources, 'ProgressDeadlineExceeded', 'Initial scale was never achieved');
  } else if (conditions.is(resources, 'True')) {
    conditions.markUnknown(resources, 'Deploying');
  }
}
