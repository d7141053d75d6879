import { type Condition, conditionOf, type HealthCode, type KubeObject, parseTime } from '#base/model';
import type { TrafficService } from '#serve/api';
import { isWebAddress } from './resource-forest.ts';
import { imageTag } from './resource-line.ts';
import { ago } from './time.ts';

type RevisionFacts = TrafficService['revisions'][number];
/** An entry of `spec.traffic`. */
type SplitEntry = TrafficService['live'][number];

/** The traffic of a Knative Service. */
export type TrafficFacts = {
  readonly url?: string;
  readonly ready: boolean;
  readonly message?: string;
  /** Knative has acted on the latest spec. */
  readonly observed: boolean;
  /** A gradual rollout that is in progress. */
  readonly rollout?: { readonly text: string };
  /** The newest first. */
  readonly revisions: readonly RevisionFacts[];
};

type LiveEntry = SplitEntry & { readonly url?: string };
type LiveService = KubeObject<
  { traffic?: readonly SplitEntry[] },
  {
    url?: string;
    observedGeneration?: number;
    conditions?: Condition[];
    latestCreatedRevisionName?: string;
    latestReadyRevisionName?: string;
    traffic?: readonly LiveEntry[];
  }
>;
type LiveRevision = KubeObject<
  { containers?: readonly { image?: string }[] },
  { conditions?: Condition[]; actualReplicas?: number }
>;

/** The state of a Service and its Revisions in the cluster. */
export function trafficFacts(object: KubeObject, revisions: readonly KubeObject[]): TrafficFacts {
  const service = object as LiveService;
  const { status = {}, metadata } = service;
  const ready = conditionOf(status.conditions ?? [], 'Ready');
  const isRolling = (status.conditions ?? []).some(({ reason }) => reason === 'RolloutInProgress');
  return {
    ...(status.url && { url: status.url }),
    ready: ready?.status === 'True',
    ...(ready?.status !== 'True' && ready?.message && { message: ready.message }),
    observed: status.observedGeneration === metadata.generation,
    ...(isRolling && { rollout: { text: 'Knative moves the shares by itself' } }),
    revisions: revisions
      .map((one) => revisionFacts(service, one as LiveRevision))
      .toSorted((a, b) =>
        a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : b.name < a.name ? -1 : 1,
      ),
  };
}

function revisionFacts(
  { spec, status = {} }: LiveService,
  { metadata, ...revision }: LiveRevision,
): RevisionFacts {
  const { name } = metadata;
  const { latestReadyRevisionName: latest, latestCreatedRevisionName: newest, traffic = [] } = status;
  const condition = conditionOf(revision.status?.conditions ?? [], 'Ready');
  const image = revision.spec?.containers?.[0]?.image;
  const sum = (entries: readonly SplitEntry[], isIts: (entry: SplitEntry) => boolean): number =>
    entries.filter(isIts).reduce((total, { percent = 0 }) => total + percent, 0);
  const declared = spec?.traffic ?? [{ latestRevision: true, percent: 100 }];
  return {
    name,
    createdAt: metadata.creationTimestamp ?? '',
    ready: condition?.status === 'True' || condition?.status === 'False' ? condition.status : 'Unknown',
    ...(condition?.status !== 'True' && condition?.message && { message: condition.message }),
    isLatestReady: name === latest,
    isLatestCreated: name === newest,
    ...(image && { image }),
    percent: sum(traffic, ({ revisionName }) => revisionName === name),
    declaredPercent: sum(declared, ({ revisionName }) => (revisionName ?? latest) === name),
    tags: traffic.flatMap(({ revisionName, tag, url }) =>
      tag && revisionName === name ? [{ tag, ...(url && { url }) }] : [],
    ),
  };
}

/** A Revision of a Knative Service, for users. */
export type TrafficLine = {
  readonly name: string;
  readonly health: HealthCode;
  /** `newest`, `latest ready`; what people call it beside its name. */
  readonly words: readonly string[];
  readonly image: string;
  readonly age: string;
  readonly percent: number;
  /** What the live object declares, where that is not what it has yet. */
  readonly wanted?: number;
  readonly tags: readonly { readonly tag: string; readonly url?: string }[];
  /** Why it is not ready. */
  readonly message?: string;
};

const healths: Readonly<Record<RevisionFacts['ready'], HealthCode>> = {
  True: 'Healthy',
  False: 'Degraded',
  Unknown: 'Progressing',
};

export function trafficLines({ revisions }: TrafficFacts, now: number): TrafficLine[] {
  return revisions.map((one) => {
    const createdAt = parseTime(one.createdAt);
    return {
      name: one.name,
      health: healths[one.ready],
      words: [
        ...(one.isLatestCreated ? ['newest'] : []),
        ...(one.isLatestReady && !one.isLatestCreated ? ['latest ready'] : []),
      ],
      image: one.image ? imageTag(one.image) : '',
      age: createdAt === undefined ? '' : ago(createdAt, now),
      percent: one.percent,
      ...(one.declaredPercent !== one.percent && { wanted: one.declaredPercent }),
      tags: one.tags.map(({ tag, url }) => ({ tag, ...(url && isWebAddress(url) && { url }) })),
      ...(one.message && { message: one.message }),
    };
  });
}

/** Where requests go, in one sentence. */
export function trafficSentence(service: TrafficFacts): string {
  const { revisions, rollout, ready, message, observed } = service;
  const shares = revisions
    .filter(({ percent }) => percent > 0)
    .map(({ name, percent }) => `${name} ${percent}%`)
    .join(', ');
  const where = shares ? `Requests go to ${shares}` : 'Requests go nowhere yet';
  if (!observed) return `${where}; Knative has not seen the last change yet.`;
  if (rollout) return `${where}; a gradual rollout is on its way: ${rollout.text}.`;
  return ready
    ? `${where}.`
    : `${where}, and the Service is not ready${message ? `: ${message.replace(/\.$/, '')}` : ''}.`;
}

/** An entry of a split: `web-2 20% as candidate`. */
export function entryText({ revisionName, latestRevision, percent = 0, tag }: SplitEntry): string {
  const who = revisionName ?? (latestRevision === false ? 'no revision' : 'the latest ready revision');
  return `${who} ${percent}%${tag ? ` as ${tag}` : ''}`;
}
