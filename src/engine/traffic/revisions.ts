import type { Condition, KubeObject } from '#base/model';
import { isObject } from '#base/std';
import { isKnativeService, type RevisionShare, sharesOf, trafficOf } from './targets.ts';

/** A Revision of a Service, and its part in the traffic. */
export type RevisionFacts = {
  readonly name: string;
  readonly createdAt: string;
  readonly ready: 'True' | 'False' | 'Unknown';
  /** Why it is not ready; undefined when there is nothing to report. */
  readonly message: string | undefined;
  readonly image: string | undefined;
  readonly isLatestReady: boolean;
  readonly isLatestCreated: boolean;
  /** Its share now, and the share that `spec.traffic` declares. */
  readonly percent: number;
  readonly declaredPercent: number;
  readonly tags: readonly { readonly tag: string; readonly url?: string }[];
};

/** What a Knative Service and its Revisions report about its traffic. */
export type ServiceFacts = {
  readonly name: string;
  readonly namespace: string;
  readonly url: string | undefined;
  readonly isReady: boolean;
  readonly message: string | undefined;
  /** The status is about this generation of the object. */
  readonly isObserved: boolean;
  /** The percentages of a gradual rollout; undefined: none is in progress. */
  readonly rollout: string | undefined;
  readonly live: readonly RevisionShare[];
  /** The newest first. */
  readonly revisions: readonly RevisionFacts[];
  readonly latestReady: string | undefined;
};

type StatusView = {
  url?: unknown;
  observedGeneration?: unknown;
  latestReadyRevisionName?: unknown;
  latestCreatedRevisionName?: unknown;
  conditions?: readonly Condition[];
};

const serviceLabel = 'serving.knative.dev/service';

/** Whether an object is a Revision of the Service, by the label that Knative sets. */
const isRevisionOf = (service: KubeObject, { kind, apiVersion, metadata }: KubeObject): boolean =>
  kind === 'Revision' &&
  apiVersion.startsWith('serving.knative.dev/') &&
  metadata.namespace === service.metadata.namespace &&
  metadata.labels?.[serviceLabel] === service.metadata.name;

/** Reads a live Service and its Revisions; `objects` may contain others. */
export function serviceFacts(service: KubeObject, objects: readonly KubeObject[]): ServiceFacts {
  const status: StatusView = isObject(service.status) ? service.status : {};
  const ready = conditionOf(status, 'Ready');
  const latestReady = textOf(status.latestReadyRevisionName);
  const rollout = ready?.reason === 'RolloutInProgress' ? printShares(service) : undefined;
  const message = ready?.status === 'True' ? undefined : ready?.message || ready?.reason;
  return {
    name: service.metadata.name,
    namespace: service.metadata.namespace ?? '',
    url: textOf(status.url),
    isReady: ready?.status === 'True',
    message,
    isObserved: status.observedGeneration === service.metadata.generation,
    rollout,
    live: trafficOf(service) ?? [],
    revisions: objects
      .filter((object) => isRevisionOf(service, object))
      .sort(newestFirst)
      .map((revision) => factsOf(revision, service, status)),
    latestReady,
  };
}

function factsOf(revision: KubeObject, service: KubeObject, status: StatusView): RevisionFacts {
  const { name, creationTimestamp = '' } = revision.metadata;
  const ready = readyOf(revision);
  const isLatestReady = status.latestReadyRevisionName === name;
  const shares = sharesOf(service).filter(({ revisionName }) => revisionName === name);
  const declared = (trafficOf(service) ?? []).filter(({ revisionName }) =>
    revisionName === undefined ? isLatestReady : revisionName === name,
  );
  return {
    name,
    createdAt: creationTimestamp,
    ready: ready?.status === 'True' || ready?.status === 'False' ? ready.status : 'Unknown',
    message: ready?.status === 'True' ? undefined : ready?.message || ready?.reason || undefined,
    image: imageOf(revision),
    isLatestReady,
    isLatestCreated: status.latestCreatedRevisionName === name,
    percent: sumOf(shares),
    declaredPercent: sumOf(declared),
    tags: shares.flatMap(({ tag, url }) => (tag ? [{ tag, ...(url && { url }) }] : [])),
  };
}

const sumOf = (targets: readonly RevisionShare[]): number =>
  targets.reduce((sum, { percent = 0 }) => sum + percent, 0);

const printShares = (service: KubeObject): string =>
  sharesOf(service)
    .filter(({ revisionName, percent }) => revisionName && percent)
    .map(({ revisionName, percent }) => `${revisionName} ${percent}%`)
    .join(', ');

function imageOf({ spec }: KubeObject): string | undefined {
  const containers = isObject(spec) && Array.isArray(spec.containers) ? spec.containers : [];
  const first: unknown = containers[0];
  return isObject(first) ? textOf(first.image) : undefined;
}

/** The condition of a Revision that says whether it can serve. */
export const readyOf = ({ status }: KubeObject): Condition | undefined =>
  conditionOf(isObject(status) ? status : {}, 'Ready');

const conditionOf = ({ conditions }: StatusView, type: string): Condition | undefined =>
  Array.isArray(conditions) ? conditions.find((one) => one.type === type) : undefined;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** By creation; revisions of one second by the generation of their Configuration, then by name. */
function newestFirst(a: KubeObject, b: KubeObject): number {
  const [one, other] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (one !== other) return one < other ? 1 : -1;
  const generations = generationOf(b) - generationOf(a);
  return generations || (a.metadata.name < b.metadata.name ? 1 : -1);
}

/** The number of a Revision: the generation of the Configuration that it was made of. */
export const generationOf = ({ metadata }: KubeObject): number =>
  Number(metadata.labels?.['serving.knative.dev/configurationGeneration'] ?? 0) || 0;

/** The Knative Services among some objects. */
export const knativeServicesIn = (objects: readonly KubeObject[]): readonly KubeObject[] =>
  objects.filter(isKnativeService);
