import { type KubeObject, printTime } from '#base/model';
import { type Ctx, Lru, sha256 } from '#base/std';
import type { ApplicationEvent } from '#engine';
import { hasReason, type KubeClient } from '#kubernetes/client';
import { maskOf } from './mask-secrets.ts';

/** What events are about. */
type EventSubject = KubeObject;
/** The reasons are the peer's words, which differ for sets. */
type RecordedEvent = Omit<ApplicationEvent, 'reason'> & { readonly reason: string };

export type EventRecorder = {
  /** Queues an event. Never waits and never fails: events beyond the limit are dropped. */
  record(app: EventSubject, event: RecordedEvent): void;
  /** The same, but drops an event that this process has recorded lately; true: it is new. */
  recordOnce(app: EventSubject, event: RecordedEvent): boolean;
  /** Resolves when the event is in the cluster, or could not be written: work never fails because of an event. */
  write(ctx: Ctx, app: EventSubject, event: RecordedEvent): Promise<void>;
  /** Writes the queued events until `ctx` stops. */
  run(ctx: Ctx): Promise<void>;
};

/** The burst of one object and type of event; then they are rate-limited, so that a loop that never settles does not write thousands. */
const burst = 25;
const usualRefillMs = 60_000;
const waitingLimit = 1000;

type Allowance = { left: number; since: number };
type QueuedEvent = { readonly app: EventSubject; readonly event: RecordedEvent };

/**
 * compat engine R-47: Kubernetes Events about applications and sets of them. The same event again raises the count of the existing one, also
 * after a restart: its name is derived from its content.
 */
export function createEventRecorder(options: {
  readonly kube: Pick<KubeClient, 'create' | 'find' | 'patch'>;
  /** The event's source component; users filter by it. */
  readonly component: string;
  /** The labels of events about an object; left out: they have none. */
  readonly labelsOf?: ((subject: KubeObject) => Readonly<Record<string, string>>) | undefined;
  /** After its burst an object has one event of a type in this time; a minute unless given. */
  readonly refillMs?: number;
}): EventRecorder {
  const waiting: QueuedEvent[] = [];
  const allowances = new Lru<Allowance>({ capacity: 10_000 });
  const said = new Lru<true>({ capacity: 10_000 });
  let wake = () => {};
  const record: EventRecorder['record'] = (app, event) => {
    if (waiting.length < waitingLimit) waiting.push({ app, event });
    wake();
  };
  const write: EventRecorder['write'] = async (ctx, app, event) => {
    const { refillMs = usualRefillMs } = options;
    // a warning, such as of an abort, is not dropped for the routine that led to it
    const key = `${event.type} ${app.metadata.uid ?? `${app.metadata.namespace}/${app.metadata.name}`}`;
    if (!isAllowed(allowances, key, { now: ctx.clock.now().getTime(), refillMs })) return;
    try {
      await put(ctx, options, { app, event });
    } catch (error) {
      if (!ctx.signal.aborted) ctx.log.debug('event not written', { app: app.metadata.name, error });
    }
  };
  return {
    write,
    record,
    recordOnce: (app, event) => {
      const id = `${app.metadata.uid} ${event.message}`;
      const isNew = !said.get(id);
      if (isNew) record(app, event);
      said.set(id, true);
      return isNew;
    },
    run: async (ctx) => {
      ctx.signal.addEventListener('abort', () => wake());
      while (!ctx.signal.aborted) {
        const next = waiting.shift();
        if (next) await write(ctx, next.app, next.event);
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}

function isAllowed(
  allowances: Lru<Allowance>,
  key: string,
  { now, refillMs }: { readonly now: number; readonly refillMs: number },
): boolean {
  const { left, since } = allowances.get(key) ?? { left: burst, since: now };
  const earned = Math.max(0, Math.floor((now - since) / refillMs));
  const have = Math.min(burst, left + earned);
  allowances.set(key, {
    left: Math.max(0, have - 1),
    since: have === burst ? now : since + earned * refillMs,
  });
  return have > 0;
}

type KubeEvent = KubeObject & { count?: number };

async function put(
  ctx: Ctx,
  { kube, component, labelsOf }: Parameters<typeof createEventRecorder>[0],
  { app, event }: QueuedEvent,
): Promise<void> {
  const made = eventOf(app, event, {
    component,
    now: printTime(ctx.clock.now()),
    labels: labelsOf?.(app) ?? {},
  });
  const { name, namespace } = made.metadata;
  const ref = { apiVersion: 'v1', kind: 'Event', namespace, name };
  try {
    await kube.create(ctx, made);
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
    const { count = 1 } = ((await kube.find(ctx, ref)) as KubeEvent | undefined) ?? {};
    const { lastTimestamp } = made;
    await kube.patch(ctx, ref, { type: 'merge', body: { count: count + 1, lastTimestamp } });
  }
}

/** Kubernetes does not truncate messages; user interfaces that list events would. */
const messageLimit = 1024;

type Recording = {
  readonly component: string;
  readonly now: string;
  readonly labels: Readonly<Record<string, string>>;
};

function eventOf(
  app: EventSubject,
  { type, reason, message: full }: RecordedEvent,
  { component, now, labels }: Recording,
): KubeEvent & { readonly lastTimestamp: string } {
  const { apiVersion, kind, metadata } = app;
  const { name, namespace = '', uid = '', resourceVersion = '' } = metadata;
  const message = maskOf(app)(full);
  const id = sha256([uid, component, type, reason, message].join('\n')).slice(0, 16);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${name.slice(0, 230)}.${id}`,
      namespace,
      ...(Object.keys(labels).length > 0 && { labels }),
    },
    involvedObject: { apiVersion, kind, name, namespace, uid, resourceVersion },
    type,
    reason,
    message: message.length > messageLimit ? `${message.slice(0, messageLimit - 1)}…` : message,
    source: { component },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  } as KubeEvent & { readonly lastTimestamp: string };
}
