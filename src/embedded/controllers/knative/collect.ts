import { type KubeObject, parseTime } from '#base/model';
import { type NextPass, nowOf, type SimulationContext } from '../simulation-context.ts';
import { controlled, discard, isDeleting } from '../write.ts';
import { configOf, durationMs, type KnativeConfig, wholeNumber } from './config.ts';
import { knative, label, note, revisionKind } from './kinds.ts';
import type { Configuration } from './view.ts';

const settings = 'config-gc';
const hour = 3_600_000;

/** How many unused revisions of a configuration are kept. Infinity: not limited. */
type Retention = {
  readonly sinceCreated: number;
  readonly sinceActive: number;
  readonly least: number;
  readonly most: number;
};

function retentionOf(config: KnativeConfig): Retention {
  const isOff = (name: string) => config(settings)[name]?.toLowerCase() === 'disabled';
  const time = (name: string, otherwise: number) =>
    isOff(name) ? Number.POSITIVE_INFINITY : durationMs(config, settings, name, otherwise);
  const most = 'max-non-active-revisions';
  return {
    sinceCreated: time('retain-since-create-time', 48 * hour),
    sinceActive: time('retain-since-last-active-time', 15 * hour),
    least: wholeNumber(config, settings, 'min-non-active-revisions', 20),
    most: isOff(most) ? Number.POSITIVE_INFINITY : wholeNumber(config, settings, most, 1000),
  };
}

/** compat cluster 5.6: deletes revisions that no route has used for long, oldest first. Safe to repeat. */
export async function collectRevisions(
  context: SimulationContext,
  configuration: Configuration,
): Promise<NextPass | undefined> {
  const retention = retentionOf(configOf(context));
  const all = controlled(context, configuration, revisionKind);
  if (all.length <= retention.least) return undefined;
  const idle = all
    .filter((revision) => !isDeleting(revision) && !isUsed(revision, configuration))
    .sort((a, b) => activeTime(a) - activeTime(b));
  const spare = idle.length - retention.least;
  if (spare <= 0) return undefined;
  const now = nowOf(context);
  const stale = idle.filter((revision) => staleAt(revision, retention) <= now).slice(0, spare);
  const left = idle.filter((revision) => !stale.includes(revision));
  const surplus = left.slice(0, Math.max(0, left.length - retention.most));
  for (const revision of [...stale, ...surplus]) await discard(context, revision, knative);
  const next = Math.min(...left.map((revision) => staleAt(revision, retention)));
  return Number.isFinite(next) && next > now ? { at: next } : undefined;
}

function isUsed({ metadata }: KubeObject, { status }: Configuration): boolean {
  if (status?.latestReadyRevisionName === metadata.name) return true;
  if (metadata.annotations?.['serving.knative.dev/no-gc']?.toLowerCase() === 'true') return true;
  return metadata.labels?.[label.routingState] !== 'reserve';
}

const createdAt = ({ metadata }: KubeObject): number => parseTime(metadata.creationTimestamp) ?? 0;
const activeTime = (revision: KubeObject): number =>
  parseTime(revision.metadata.annotations?.[note.routingStateModified]) ?? createdAt(revision);

function staleAt(revision: KubeObject, { sinceCreated, sinceActive }: Retention): number {
  const times = [
    ...(Number.isFinite(sinceCreated) ? [createdAt(revision) + sinceCreated] : []),
    ...(Number.isFinite(sinceActive) ? [activeTime(revision) + sinceActive] : []),
  ];
  return times.length > 0 ? Math.max(...times) : Number.POSITIVE_INFINITY;
}
