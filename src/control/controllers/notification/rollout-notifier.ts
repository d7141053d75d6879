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
  type RolloutEventSubject,
  renderRolloutEvent,
} from '#control/notify';
import type { KubeClient } from '#kubernetes/client';
import type { EventRecorder } from '../application/status/event-recorder.ts';
import type { NotificationConfigs } from './configs.ts';
import { DeliveryLog } from './delivery-log.ts';
import { Outbox, type OutboxEntry } from './outbox.ts';
import { sendEntries } from './send.ts';
import { Undelivered } from './undelivered.ts';
import { Waker } from './waker.ts';

/** What happened to a Rollout. */
export type RolloutEventFacts = Omit<RolloutEventSubject, 'now'>;

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
  /** The configuration was read and has problems. */
  onProblems?(ctx: Ctx, config: NotificationConfig): Promise<void>;
};

const mostWaiting = 5_000;
const longestError = 300;

/**
 * compat rollouts RE-2: notifies the subscribers of Rollouts of what happens to them. Each event is one message to each
 * subscriber; a service that is down gets it later, also from the next process.
 */
export class RolloutNotifier {
  readonly #deps: RolloutNotifierDeps;
  readonly #waiting: RolloutEventFacts[] = [];
  readonly #waker = new Waker();
  #dropped = 0;

  constructor(deps: RolloutNotifierDeps) {
    this.#deps = deps;
  }

  /** Never waits and never fails: a Rollout does not depend on its notifications. */
  notify(facts: RolloutEventFacts): void {
    if (this.#waiting.length >= mostWaiting) this.#dropped += 1;
    else this.#waiting.push(facts);
    this.#waker.wake();
  }

  async run(ctx: Ctx): Promise<void> {
    const { configs } = this.#deps;
    const { kube, namespace, recordsName: name, outside } = this.#deps;
    const threads = new DeliveryLog({ kube, namespace, name });
    const records = new Undelivered({
      ...{ kube, namespace, name },
      dropped: (entry) => ctx.log.warn('undelivered notification not recorded: no room', fieldsOf(entry)),
    });
    const reach = openReach(outside, threads.threads);
    const outbox = new Outbox({
      configOf: (where) => configs.find(where),
      records,
      send: (inner, entries, config) => sendEntries(inner, reach, entries, config),
      delivered: async (_inner, entries) => {
        for (const { id } of entries) records.remove(id, true);
        await records.written(entries.map(({ id }) => id));
      },
      failed: (inner, entries, { error, attempts, nextAt }) => {
        for (const entry of entries) this.#failed(inner, entry, { error, attempts, isFinal: !nextAt });
      },
    });
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
        await restore(inner, outbox, records);
        await this.#follow(inner, outbox);
      },
    ]);
  }

  async #follow(ctx: Ctx, outbox: Outbox): Promise<void> {
    while (!ctx.signal.aborted) {
      const facts = this.#waiting.shift();
      if (facts) this.#handle(ctx, outbox, facts);
      else await this.#waker.sleep(ctx);
      if (this.#dropped > 0) ctx.log.warn('events of Rollouts not notified: too many', { of: this.#dropped });
      this.#dropped = 0;
    }
  }

  #handle(ctx: Ctx, outbox: Outbox, facts: RolloutEventFacts): void {
    const { namespace = '' } = facts.rollout.metadata;
    const configs = this.#deps.configs.of(namespace);
    const subject = { ...facts, now: () => ctx.clock.now().getTime() };
    const problems: NotificationProblem[] = [];
    for (const config of configs) {
      const decision = decideRolloutEvent(config, subject);
      problems.push(...decision.problems);
      for (const due of decision.due) problems.push(...this.#enqueue(outbox, due, subject));
    }
    for (const { key, message } of knownSomewhere(problems, configs))
      this.#report(ctx, facts.rollout, `${key}: ${short(message)}`);
  }

  #enqueue(outbox: Outbox, due: DueOfRollout, subject: RolloutEventSubject): readonly NotificationProblem[] {
    const { config, trigger, destination } = due;
    try {
      const { notification, problems } = renderRolloutEvent(due, subject);
      const { namespace = '', name, uid = '' } = subject.rollout.metadata;
      const id = randomUUID();
      const isQueued = outbox.add({
        ...{ id, notification, since: subject.now(), isPast: false },
        app: { uid, namespace, name, project: '' },
        due: { namespace: config.namespace, trigger, destination, mark: id, isOncePer: false },
      });
      const message = `too many messages wait for ${destination.service}:${destination.recipient}; this one is lost`;
      return isQueued ? problems : [...problems, { severity: 'error', key: `trigger.${trigger}`, message }];
    } catch (error) {
      const { message } = FairleadError.from(error);
      return [{ severity: 'error', key: `template.${due.templates.join(', ')}`, message }];
    }
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
    const { app, due } = entry;
    const message = short(error.message);
    ctx.log.warn(isFinal ? 'notification given up' : 'notification not delivered', {
      ...fieldsOf(entry),
      attempts,
      error: message,
    });
    const { uid, namespace, name } = app;
    const rollout = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      metadata: { uid, namespace, name },
    };
    const { service, recipient } = due.destination;
    const text = `notification ${due.trigger} to ${service}:${recipient} was not delivered: ${message}`;
    this.#deps.events.recordOnce(rollout, { type: 'Warning', reason: 'NotificationFailed', message: text });
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

/** Queues what the process before did not deliver. */
async function restore(ctx: Ctx, outbox: Outbox, records: Undelivered): Promise<void> {
  try {
    for (const entry of await records.load(ctx)) outbox.restore(entry);
  } catch (error) {
    if (!ctx.signal.aborted) ctx.log.warn('undelivered notifications not read', { error });
  }
}

const fieldsOf = ({ app, due }: OutboxEntry) => ({
  ...{ namespace: app.namespace, rollout: app.name, trigger: due.trigger },
  ...{ service: due.destination.service, recipient: due.destination.recipient },
});

const short = (text: string): string =>
  text.length > longestError ? `${text.slice(0, longestError)}…` : text;
