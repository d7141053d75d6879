import { type KubeObject, printTime } from '#base/model';
import type { Clock } from '#base/std';
import type { Objects } from '#embedded/apiserver';
import { StatusError } from '#embedded/apiserver';
import { EventSieve } from './event-sieve.ts';
import { eventKind } from './kinds.ts';
import type { RecordedEvent } from './recorded-event.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Records the events of controllers. The same event again only increases its count. */
export type EventSource = {
  record(about: KubeObject, happening: RecordedEvent): Promise<void>;
};

type Deps = { readonly objects: Objects; readonly clock: Clock; readonly chance: SeededRandom };

export function createEventSource(deps: Deps): EventSource {
  const sieve = new EventSieve();
  return {
    async record(about, happening) {
      try {
        await record(deps, sieve, about, happening);
      } catch (error) {
        // a terminating namespace accepts no events; the step that the event is about was done all the same
        if (!(error instanceof StatusError)) throw error;
      }
    },
  };
}

/** compat cluster 3.20: the source of an event is the program, not the controller within it. */
const programs: Readonly<Record<string, string>> = {
  kubelet: 'kubelet',
  'default-scheduler': 'kube-scheduler',
  'configuration-controller': 'controller',
  'revision-controller': 'controller',
  'route-controller': 'controller',
  'service-controller': 'controller',
};

async function record(
  deps: Deps,
  sieve: EventSieve,
  about: KubeObject,
  happening: RecordedEvent,
): Promise<void> {
  const { objects, clock, chance } = deps;
  const news = happening.action === undefined ? sieve.judge(about, happening, clock.now()) : fresh(happening);
  if (!news) return;
  const by = { manager: programs[happening.component] ?? 'kube-controller-manager' };
  const { name, namespace = 'default' } = about.metadata;
  const fate = `event ${about.metadata.uid} ${news.key} ${news.since.getTime()}`;
  const event = { ...eventKind, namespace, name: `${name}.${chance.hex(fate, 16)}` };
  const { count, message } = news;
  if (count > 1 && objects.get(event)) {
    const body = { count, message, lastTimestamp: printTime(clock.now()) };
    await objects.patch(event, { type: 'merge', body }, by);
    return;
  }
  const metadata = { name: event.name, namespace };
  const reported = { ...happening, message };
  const made =
    happening.action === undefined
      ? countedEvent(about, reported, clock)
      : plainEvent(about, reported, clock);
  await objects.create({ ...eventKind, metadata, ...made } as KubeObject, by);

  function fresh({ reason, message: text }: RecordedEvent) {
    return { key: `${reason} ${text}`, count: 1, message: text, since: clock.now() };
  }
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject, fieldPath?: string) {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    name,
    namespace,
    uid,
    resourceVersion,
    ...(fieldPath !== undefined && { fieldPath }),
  };
}

function countedEvent(about: KubeObject, happening: RecordedEvent, clock: Clock) {
  const { type, reason, message, component, host, fieldPath } = happening;
  const now = printTime(clock.now());
  return {
    involvedObject: referenceTo(about, fieldPath),
    type,
    reason,
    message,
    source: { component, ...(host !== undefined && { host }) },
    eventTime: null,
    // compat cluster 3.20: a combined event has no reporting component
    reportingComponent: message.startsWith('(combined') ? '' : component,
    reportingInstance: host ?? '',
    count: 1,
    firstTimestamp: now,
    lastTimestamp: now,
  };
}

function plainEvent(about: KubeObject, happening: RecordedEvent, clock: Clock) {
  const { type, reason, message, component, action } = happening;
  return {
    involvedObject: referenceTo(about),
    type,
    reason,
    message,
    action,
    source: {},
    eventTime: clock.now().toISOString().replace('Z', '000Z'),
    firstTimestamp: null,
    lastTimestamp: null,
    reportingComponent: component,
    reportingInstance: `${component}-embedded`,
  };
}
