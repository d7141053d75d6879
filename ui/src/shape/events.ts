import { type KubeObject, parseTime, viewOf } from '#base/model';

/** A Kubernetes Event for users. */
export type EventLine = {
  readonly key: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** When it happened last, in milliseconds. */
  readonly at?: number;
  /** When it happened first, if it did several times. */
  readonly since?: number;
};

type EventFields = {
  type: string;
  reason: string;
  message: string;
  count: number;
  eventTime: string;
  firstTimestamp: string;
  lastTimestamp: string;
  series: { count?: number; lastObservedTime?: string };
};

/** The events, newest first. */
export function eventLinesOf(items: readonly KubeObject[]): EventLine[] {
  return items.map(lineOf).sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
}

function lineOf(object: KubeObject): EventLine {
  const event = viewOf<EventFields>(object);
  const { lastTimestamp, series, eventTime, firstTimestamp } = event;
  const time = series?.lastObservedTime || lastTimestamp || eventTime || firstTimestamp;
  const at = parseTime(time || object.metadata.creationTimestamp);
  const count = series?.count ?? event.count ?? 1;
  const since = count > 1 ? parseTime(firstTimestamp || eventTime) : undefined;
  return {
    key: object.metadata.uid ?? object.metadata.name,
    isWarning: event.type === 'Warning',
    reason: event.reason ?? '',
    message: event.message ?? '',
    count,
    ...(at !== undefined && { at }),
    ...(since !== undefined && { since }),
  };
}
