import { type HealthCode, parseTime } from '#base/model';
import type { TrafficService } from '#serve/api';
import { isWebAddress } from './resource-forest.ts';
import { imageTag } from './resource-line.ts';
import { ago } from './time.ts';

type RevisionFacts = TrafficService['revisions'][number];
/** An entry of `spec.traffic`. */
type SplitEntry = TrafficService['live'][number];

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

export function trafficLines({ revisions }: Pick<TrafficService, 'revisions'>, now: number): TrafficLine[] {
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

type TrafficStanding = Pick<TrafficService, 'revisions' | 'rollout' | 'ready' | 'message' | 'observed'>;

/** Where requests go, in one sentence. */
export function trafficSentence(service: TrafficStanding): string {
  const { revisions, rollout, ready, message, observed } = service;
  const shares = revisions
    .filter(({ percent }) => percent > 0)
    .map(({ name, percent }) => `${name} ${percent}%`)
    .join(', ');
  const where = shares ? `Requests go to ${shares}` : 'Requests go nowhere yet';
  if (!observed) return `${where}; Knative has not seen the last change yet.`;
  if (rollout) return `${where}; a gradual rollout is in progress, and Knative moves the shares by itself.`;
  return ready
    ? `${where}.`
    : `${where}, and the Service is not ready${message ? `: ${message.replace(/\.$/, '')}` : ''}.`;
}

/** An entry of a split: `web-2 20% as candidate`. */
export function entryText({ revisionName, latestRevision, percent = 0, tag }: SplitEntry): string {
  const who = revisionName ?? (latestRevision === false ? 'no revision' : 'the latest ready revision');
  return `${who} ${percent}%${tag ? ` as ${tag}` : ''}`;
}
