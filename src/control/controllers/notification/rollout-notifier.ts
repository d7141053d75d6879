import { randomUUID } from 'node:crypto';
import type { KubeObject } from '#base/model';
import { type Ctx, FairleadError, runAll } from '#base/std';
import { openReach } from '#control/deliver';
import {
  type DueOfRollout,
  decideRolloutEvent,
  knownSomewhere,
  type NotificationConfig,
  type NotificationProblem,
  renderRolloutEvent,
} from '#control/notify';
import { hasReason, type KubeClient } from '#kubernetes/client';
import type { EventRecorder } from '../application/status/event-recorder.ts';
import type { Announce, PlannedMessages, RolloutEventFacts } from './announce.ts';
import type { NotificationConfigs } from './configs.ts';
import { DeliveryLog } from './delivery-log.ts';
import { Outbox, type OutboxEntry } from './outbox.ts';
import { sendEntries } from './send.ts';
import { UncertainMessages } from './uncertain-messages.ts';
import { Undelivered } from './undelivered.ts';
import { Waker } from './waker.ts';

type MessageEvent = {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  readonly type: string;
  readonly reason: string;
};

type RolloutMessageObserver = {
  notified(message: MessageEvent, ms: number, error: Error | undefined): void;
};

export type RolloutNotifierDeps = {
  readonly kube: Pick<KubeClient, 'find' | 'create' | 'patch'>;
  /** Those of Rollouts. */
  readonly configs: NotificationConfigs;
  /** Where undelivered messages are kept, in a Secret of that name, and what later ones answer to, in a ConfigMap. */
  readonly namespace: string;
  readonly recordsName: string;
  /** How services are reached. */
  readonly outside: Parameters<typeof openReach>[0];
  /** Another task runs it. */
  readonly events: Pick<EventRecorder, 'recordOnce'>;
  /** Receives every attempt to send a message, for metrics. */
  readonly observe?: RolloutMessageObserver;
  /** The configuration was read and has problems. */
  onProblems?(ctx: Ctx, config: NotificationConfig): Promise<void>;
};

const mostWaiting = 5_000;
const longestError = 300;
/** The first passes of a process wait this long at most for the configuration and the records of the process before. */
const readyMs = 5_000;
/** Passes wait for the records of their messages: those of a moment are one write. */
const recordsPauseMs = 40;
const nothing: PlannedMessages = { made: () => {}, failed: () => {} };

type Queue = { readonly outbox: Outbox; readonly records: Undelivered };

/**
 * compat rollouts RE-2: notifies the subscribers of Rollouts of what happens to them. Each event is one message to each
 * subscriber, recorded before the writes that cause the event: a process that ends at any moment loses none. A service that is
 * down gets it later, also from the next process.
 */
export class RolloutNotifier {
  readonly #deps: RolloutNotifierDeps;
  /** What happened while the configuration could not be read. */
  readonly #waiting: RolloutEventFacts[] = [];
  readonly #waker = new Waker();
  readonly #uncertain = new UncertainMessages();
  /** The objects whose first pass came before the records were read; undefined once they are. */
  #early: Set<string> | undefined = new Set();
  readonly #readiness = new Waker();
  #queue: Queue | undefined;
  #isLate = false;
  #dropped = 0;

  constructor(deps: RolloutNotifierDeps) {
    this.#deps = deps;
  }

  readonly announce: Announce = async (ctx, { metadata: { uid = '' } }, facts) => {
    if (facts.length === 0 && !this.#uncertain.has(uid)) {
      this.#early?.add(uid);
      return nothing;
    }
    const queue = this.#queue ?? (await this.#whenReady(ctx));
    if (!queue) return { ...nothing, made: () => this.#keep(facts) };
    const planned = facts.flatMap((one) => this.#entriesOf(ctx, one));
    const entries = planned.map((entry) => this.#uncertain.find(entry) ?? entry);
    const fresh = entries.filter((entry, index) => entry === planned[index]);
    for (const entry of fresh) queue.records.put(entry);
    await queue.records.written(fresh.map(({ id }) => id));
    return {
      made: () => {
        for (const entry of entries) this.#uncertain.drop(entry);
        for (const entry of [...this.#uncertain.release(uid), ...entries]) this.#admit(ctx, queue, entry);
      },
      failed: (error) => {
        if (isUncertain(error)) this.#uncertain.hold(entries, ctx.clock.now().getTime());
        else for (const { id } of fresh) queue.records.remove(id, true);
      },
    };
  };

  /** A Rollout does not depend on its notifications: what cannot be queued yet is kept in memory. */
  #keep(facts: readonly RolloutEventFacts[]): void {
    const kept = facts.slice(0, mostWaiting - this.#waiting.length);
    this.#waiting.push(...kept);
    this.#dropped += facts.length - kept.length;
    this.#waker.wake();
  }

  async #whenReady(ctx: Ctx): Promise<Queue | undefined> {
    if (!this.#isLate) await this.#readiness.sleep(ctx, readyMs);
    this.#isLate = !this.#queue;
    return this.#queue;
  }

  #admit(ctx: Ctx, { outbox, records }: Queue, entry: OutboxEntry): void {
    if (outbox.restore(entry)) return;
    records.remove(entry.id, true);
    const { service, recipient } = entry.due.destination;
    const message = `trigger.${entry.due.trigger}: too many messages wait for ${service}:${recipient}; this one is lost`;
    this.#report(ctx, subjectOf(entry), message);
  }

  async run(ctx: Ctx): Promise<void> {
    const { configs } = this.#deps;
    const { kube, namespace, recordsName: name, outside } = this.#deps;
    const threads = new DeliveryLog({ kube, namespace, name });
    const records = new Undelivered({
      ...{ kube, namespace, name, pauseMs: recordsPauseMs },
      dropped: (entry) => ctx.log.warn('undelivered notification not recorded: no room', fieldsOf(entry)),
    });
    const reach = openReach(outside, threads.threads);
    const outbox = new Outbox({
      configOf: (where) => configs.find(where),
      records,
      send: (inner, entries, config) =>
        this.#observed(entries, () => sendEntries(inner, reach, entries, config)),
      delivered: async (_inner, entries) => {
        for (const { id } of entries) records.remove(id, true);
        await records.written(entries.map(({ id }) => id));
      },
      failed: (inner, entries, { error, attempts, nextAt }) => {
        for (const entry of entries) this.#failed(inner, entry, { error, attempts, isFinal: !nextAt });
      },
    });
    const queue = { outbox, records };
    const changes = configs.changes(ctx);
    await runAll(ctx, [
      (inner) => configs.run(inner),
      (inner) => threads.run(inner),
      (inner) => records.run(inner),
      (inner) => outbox.run(inner),
      async (inner) => {
        await configs.whenSynced(inner);
        await this.#reportConfig(inner);
        for await (const where of changes) {
          await this.#reportConfig(inner);
          outbox.retryNow(where);
        }
      },
      async (inner) => {
        await configs.whenSynced(inner);
        await threads.load(inner).catch((error: unknown) => inner.log.warn('threads not read', { error }));
        await this.#restore(inner, queue);
        await this.#follow(inner, queue);
      },
      (inner) =>
        this.#uncertain.run(inner, (entries) => {
          for (const entry of entries) this.#admit(inner, queue, entry);
        }),
    ]);
  }

  async #observed(entries: readonly OutboxEntry[], send: () => Promise<void>): Promise<void> {
    const began = performance.now();
    let failure: Error | undefined;
    try {
      await send();
    } catch (error) {
      failure = FairleadError.from(error);
      throw error;
    } finally {
      const ms = performance.now() - began;
      for (const { app, event } of entries)
        if (event)
          this.#deps.observe?.notified({ namespace: app.namespace, name: app.name, ...event }, ms, failure);
    }
  }

  /** Queues what the process before has recorded, once a pass has shown that it happened. */
  async #restore(ctx: Ctx, queue: Queue): Promise<void> {
    try {
      for (const entry of await queue.records.load(ctx))
        if (entry.event && !this.#early?.has(entry.app.uid))
          this.#uncertain.hold([entry], ctx.clock.now().getTime());
        else this.#admit(ctx, queue, entry);
    } catch (error) {
      if (!ctx.signal.aborted) ctx.log.warn('undelivered notifications not read', { error });
    }
    this.#early = undefined;
    this.#queue = queue;
    this.#readiness.wake();
  }

  async #follow(ctx: Ctx, queue: Queue): Promise<void> {
    while (!ctx.signal.aborted) {
      const facts = this.#waiting.shift();
      for (const entry of facts ? this.#entriesOf(ctx, facts) : []) {
        queue.records.put(entry);
        this.#admit(ctx, queue, entry);
      }
      if (!facts) await this.#waker.sleep(ctx);
      if (this.#dropped > 0) ctx.log.warn('events of Rollouts not notified: too many', { of: this.#dropped });
      this.#dropped = 0;
    }
  }

  /** The messages that an event causes; what makes one impossible is reported on its object. */
  #entriesOf(ctx: Ctx, facts: RolloutEventFacts): readonly OutboxEntry[] {
    const { namespace = '' } = facts.rollout.metadata;
    const configs = this.#deps.configs.of(namespace);
    const subject = { ...facts, now: () => ctx.clock.now().getTime() };
    const problems: NotificationProblem[] = [];
    const entries: OutboxEntry[] = [];
    for (const config of configs) {
      const decision = decideRolloutEvent(config, subject);
      problems.push(...decision.problems);
      for (const due of decision.due) {
        const rendered = renderedEntry(due, subject);
        problems.push(...rendered.problems);
        if (rendered.entry) entries.push(rendered.entry);
      }
    }
    for (const { key, message } of knownSomewhere(problems, configs))
      this.#report(ctx, facts.rollout, `${key}: ${short(message)}`);
    return entries;
  }

  /** Once for each Rollout and text: the same setting fails with each event. */
  #report(ctx: Ctx, rollout: KubeObject, message: string): void {
    const { namespace, name } = rollout.metadata;
    const event = { type: 'Warning', reason: 'NotificationFailed', message } as const;
    if (this.#deps.events.recordOnce(rollout, event))
      ctx.log.warn('notification not possible', { namespace, rollout: name, message });
  }

  #failed(
    ctx: Ctx,
    entry: OutboxEntry,
    {
      error,
      attempts,
      isFinal,
    }: { readonly error: Error; readonly attempts: number; readonly isFinal: boolean },
  ): void {
    const { due } = entry;
    const message = short(error.message);
    ctx.log.warn(isFinal ? 'notification given up' : 'notification not delivered', {
      ...fieldsOf(entry),
      attempts,
      error: message,
    });
    const { service, recipient } = due.destination;
    const text = `notification ${due.trigger} to ${service}:${recipient} was not delivered: ${message}`;
    const event = { type: 'Warning', reason: 'NotificationFailed', message: text } as const;
    this.#deps.events.recordOnce(subjectOf(entry), event);
  }

  async #reportConfig(ctx: Ctx): Promise<void> {
    const { configs, onProblems } = this.#deps;
    const config = configs.central;
    for (const { key, message } of config.problems)
      ctx.log.warn('notification setting of Rollouts to check', {
        namespace: config.namespace,
        key,
        message,
      });
    if (config.problems.length > 0) await onProblems?.(ctx, config);
  }
}

/** The message of one destination, or why there is none. */
function renderedEntry(
  due: DueOfRollout,
  subject: RolloutEventFacts & { now(): number },
): { readonly entry?: OutboxEntry; readonly problems: readonly NotificationProblem[] } {
  const { config, trigger, destination } = due;
  try {
    const { notification, problems } = renderRolloutEvent(due, subject);
    const { namespace = '', name, uid = '' } = subject.rollout.metadata;
    const { type, reason, message } = subject.event;
    const { kind } = subject.rollout;
    const id = randomUUID();
    const entry: OutboxEntry = {
      ...{ id, notification, since: subject.now(), isPast: false },
      app: { uid, namespace, name, project: '' },
      due: { namespace: config.namespace, trigger, destination, mark: id, isOncePer: false },
      event: { kind, type, reason, message },
    };
    return { entry, problems };
  } catch (error) {
    const { message } = FairleadError.from(error);
    return { problems: [{ severity: 'error', key: `template.${due.templates.join(', ')}`, message }] };
  }
}

/** Whether the writes of a pass may have been made although they failed. */
const isUncertain = (error: unknown): boolean =>
  error !== undefined && !hasReason(error, 'Conflict') && !FairleadError.from(error).terminal;

const subjectOf = ({ app: { uid, namespace, name }, event }: OutboxEntry): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: event?.kind ?? 'Rollout',
  metadata: { uid, namespace, name },
});

const fieldsOf = ({ app, due }: OutboxEntry) => ({
  ...{ namespace: app.namespace, rollout: app.name, trigger: due.trigger },
  ...{ service: due.destination.service, recipient: due.destination.recipient },
});

const short = (text: string): string =>
  text.length > longestError ? `${text.slice(0, longestError)}…` : text;
