import { randomUUID } from 'node:crypto';
import type { Application } from '#base/model';
import { type Ctx, FairleadError, Lru, within } from '#base/std';
import {
  type CommitFacts,
  type DueMessage,
  decideNotifications,
  isStatusCurrent,
  knownSomewhere,
  type NotificationProblem,
  type NotificationSubject,
  notifiedAnnotation,
  printMarks,
  readMarks,
  renderNotification,
  type SentMark,
} from '#control/notify';
import type { Requeue, WorkQueue } from '#control/runtime';
import { hasReason } from '#kubernetes/client';
import type { DeliveryLog, DeliveryRecord } from './delivery-log.ts';
import type { Correspondent, DeliveryFailure, Outbox, OutboxEntry, OutboxRecords } from './outbox.ts';
import type { NotificationControllerDeps } from './pass-deps.ts';
import { conditionsWith } from './problem-conditions.ts';

const apiVersion = 'argoproj.io/v1alpha1';
/** A template may read this many commits of one application. */
const mostCommits = 5;
const commitMs = 10_000;
const laterMs = 60_000;
const longestError = 300;
/** A destination waits this long for the marks of what it got. */
const markMs = 10_000;

/** A delivery without its mark, and the record of its message. */
type Delivered = SentMark & { readonly id: string; settled(): void };

type PassesParts = {
  readonly queue: WorkQueue;
  readonly log: DeliveryLog;
  readonly records: OutboxRecords;
};

/** Passes over applications: each decides what is due, hands it to the outbox, and writes the marks of what was delivered. */
export class Passes {
  readonly #deps: NotificationControllerDeps;
  readonly #queue: WorkQueue;
  readonly #log: DeliveryLog;
  readonly #records: OutboxRecords;
  /** What was delivered and has no mark on the application yet, by uid and mark. */
  readonly #delivered = new Map<string, Map<string, Delivered>>();
  readonly #commits = new Lru<CommitFacts | 'none'>({ capacity: 2_000 });
  readonly #reported = new Lru<true>({ capacity: 10_000 });

  constructor(deps: NotificationControllerDeps, { queue, log, records }: PassesParts) {
    this.#deps = deps;
    this.#queue = queue;
    this.#log = log;
    this.#records = records;
  }

  async reconcile(ctx: Ctx, outbox: Outbox, key: string): Promise<Requeue | undefined> {
    const [namespace = '', name = ''] = key.split('/');
    const app = this.#deps.apps.get(namespace, name);
    if (!app) return undefined;
    const { uid = '' } = app.metadata;
    const delivered = new Map(this.#delivered.get(uid));
    if (!isStatusCurrent(app)) {
      await this.#markOnly(ctx, app, delivered);
      return undefined;
    }
    const configs = this.#deps.configs.of(namespace);
    const subject = this.#subjectOf(ctx, app);
    const decision = await this.#knowing(ctx, subject, () =>
      decideNotifications(configs, subject.facts, delivered),
    );
    for (const { trigger, isTriggered } of decision.evaluated)
      this.#deps.observe?.evaluated(trigger, isTriggered);
    if (decision.marks) await this.#mark(ctx, app, printMarks(decision.marks));
    this.#settle(uid, delivered);
    for (const mark of decision.past) outbox.pass(uid, mark);
    const { problems, isFull } = await this.#enqueue(ctx, outbox, subject, decision.due);
    problems.unshift(...knownSomewhere(decision.problems, configs));
    this.#report(ctx, app, problems);
    await this.#warn(ctx, app, problems);
    return isFull ? { requeueAfter: laterMs } : undefined;
  }

  async #enqueue(ctx: Ctx, outbox: Outbox, subject: Subject, messages: readonly DueMessage[]) {
    const { uid = '' } = subject.facts.app.metadata;
    const problems: NotificationProblem[] = [];
    let isFull = false;
    for (const due of messages) {
      if (outbox.has(uid, due.mark)) continue;
      const entry = await this.#rendered(ctx, subject, due);
      if ('severity' in entry) problems.push(entry);
      else if (!outbox.has(uid, due.mark) && !outbox.add(entry)) {
        isFull = true;
        problems.push(noRoom(due));
      }
    }
    return { problems, isFull };
  }

  /** Queues what the process before did not deliver. What has its mark was delivered. */
  restore(ctx: Ctx, outbox: Outbox, entries: readonly OutboxEntry[]): void {
    let restored = 0;
    for (const entry of entries) {
      const { app, due, isPast, id } = entry;
      const found = this.#find(app);
      const isMarked = found && Object.hasOwn(readMarks(found.metadata.annotations), due.mark);
      if (!isPast && (isMarked || outbox.has(app.uid, due.mark))) this.#records.remove(id, false);
      else if (outbox.restore(entry)) restored += 1;
    }
    if (restored > 0) ctx.log.info('undelivered notifications queued again', { notifications: restored });
  }

  /** The application was deleted: no mark is written any more. */
  gone({ metadata }: Application): void {
    const { uid = '' } = metadata;
    for (const { id, settled } of this.#delivered.get(uid)?.values() ?? []) {
      this.#records.remove(id, true);
      settled();
    }
    this.#delivered.delete(uid);
  }

  /** Resolves when these are marked, or after some time: a cluster that takes no marks delays no other message for long. */
  async delivered(ctx: Ctx, entries: readonly OutboxEntry[], attempts: number): Promise<void> {
    const now = ctx.clock.now();
    const settled: Promise<void>[] = [];
    for (const entry of entries) {
      const { app, due } = entry;
      if (entry.isPast || !this.#find(app)) this.#records.remove(entry.id, true);
      else settled.push(this.#awaitMark(entry, Math.floor(now.getTime() / 1000)));
      this.#deps.observe?.delivered(due.trigger, due.destination.service, true);
      const together = entries.length > 1 ? { together: entries.length } : {};
      this.#log.record(idOf(entry), { ...recordOf(ctx, entry), outcome: 'delivered', attempts, ...together });
      this.#queue.add(`${app.namespace}/${app.name}`);
    }
    settled.push(this.#records.written(entries.map(({ id }) => id)));
    await untilSettled(within(ctx, markMs), settled);
  }

  #awaitMark({ id, app, due }: OutboxEntry, at: number): Promise<void> {
    return new Promise((settled) => {
      const marks = this.#delivered.get(app.uid) ?? new Map<string, Delivered>();
      this.#delivered.set(app.uid, marks.set(due.mark, { at, isOncePer: due.isOncePer, id, settled }));
    });
  }

  failed(ctx: Ctx, entries: readonly OutboxEntry[], { error, attempts, nextAt }: DeliveryFailure): void {
    const isFinal = nextAt === undefined;
    const next = isFinal ? {} : { nextAt: new Date(nextAt).toISOString() };
    for (const entry of entries) {
      const { app, due } = entry;
      const { service, recipient } = due.destination;
      this.#deps.observe?.delivered(due.trigger, service, false);
      const message = short(error.message);
      const outcome = isFinal ? 'given up' : 'failed';
      this.#log.record(idOf(entry), { ...recordOf(ctx, entry), outcome, attempts, ...next, error: message });
      const fields = { namespace: app.namespace, app: app.name, trigger: due.trigger, service, recipient };
      ctx.log.warn(isFinal ? 'notification given up' : 'notification not delivered', {
        ...fields,
        attempts,
        error: message,
      });
      const found = this.#find(app);
      if (found)
        this.#notify(
          found,
          `notification ${due.trigger} to ${service}:${recipient} was not delivered: ${message}`,
        );
    }
  }

  /** Evaluates again with the commits that were read meanwhile; one that cannot be read stays unknown. */
  async #knowing<T>(ctx: Ctx, subject: Subject, evaluate: () => T): Promise<T> {
    for (let round = 0; round < mostCommits; round++) {
      subject.wanted.clear();
      const result = attempt(evaluate);
      if (subject.wanted.size === 0 || round === mostCommits - 1) return outcomeOf(result);
      for (const revision of subject.wanted) await this.#readCommit(ctx, subject.facts.app, revision);
    }
    return evaluate();
  }

  async #readCommit(ctx: Ctx, app: Application, revision: string): Promise<void> {
    const facts = await this.#deps.describe(within(ctx, commitMs), app, revision).catch((error: unknown) => {
      ctx.signal.throwIfAborted();
      ctx.log.debug('commit not read', { revision, error });
      return undefined;
    });
    this.#commits.set(commitKey(app, revision), facts ?? 'none');
  }

  #subjectOf(ctx: Ctx, app: Application): Subject {
    const wanted = new Set<string>();
    const facts: NotificationSubject = {
      app,
      project: this.#deps.projects.get(this.#deps.namespace, app.spec?.project || 'default'),
      now: () => ctx.clock.now().getTime(),
      commit: (revision) => {
        const known = this.#commits.get(commitKey(app, revision));
        if (known === undefined) wanted.add(revision);
        return known === 'none' ? undefined : known;
      },
    };
    return { facts, wanted };
  }

  /** Marks what was delivered; the next pass that may judge the application removes a mark whose condition does not hold. */
  async #markOnly(ctx: Ctx, app: Application, delivered: ReadonlyMap<string, Delivered>): Promise<void> {
    if (delivered.size === 0) return;
    const marks = readMarks(app.metadata.annotations);
    for (const [mark, { at }] of delivered) marks[mark] = at;
    await this.#mark(ctx, app, printMarks(marks));
    this.#settle(app.metadata.uid ?? '', delivered);
  }

  /** The mark is for this very object: one that was deleted and created again meanwhile is left alone. */
  async #mark(ctx: Ctx, app: Application, text: string | undefined): Promise<void> {
    const { namespace = '', name, uid } = app.metadata;
    const metadata = { ...(uid && { uid }), annotations: { [notifiedAnnotation]: text ?? null } };
    try {
      const ref = { apiVersion, kind: 'Application', namespace, name };
      const written = await this.#deps.kube.patch(ctx, ref, { type: 'merge', body: { metadata } });
      this.#deps.apps.put(written as Application);
    } catch (error) {
      if (FairleadError.from(error).code !== 'NotFound') throw error;
    }
  }

  /** What this pass knew of is on the application now, or its condition does not hold any more. */
  #settle(uid: string, settled: ReadonlyMap<string, Delivered>): void {
    const delivered = this.#delivered.get(uid);
    if (!delivered) return;
    for (const [mark, sent] of settled) {
      if (delivered.get(mark) === sent) delivered.delete(mark);
      this.#records.remove(sent.id, false);
      sent.settled();
    }
    if (delivered.size === 0) this.#delivered.delete(uid);
  }

  /** The application as it is now; undefined when it was deleted, or another one has its name. */
  #find({ uid, namespace, name }: Correspondent): Application | undefined {
    const found = this.#deps.apps.get(namespace, name);
    return (found?.metadata.uid ?? '') === uid ? found : undefined;
  }

  /** The conditions of the application say what is wrong with its subscriptions, for as long as it is. */
  async #warn(ctx: Ctx, { metadata }: Application, problems: readonly NotificationProblem[]): Promise<void> {
    const { namespace = '', name } = metadata;
    const app = this.#deps.apps.get(namespace, name); // with the marks of this pass
    const conditions = app && conditionsWith(app, problems, ctx.clock.now());
    if (!conditions) return;
    const { uid, resourceVersion } = app.metadata;
    const body = { metadata: { uid, resourceVersion }, status: { conditions } };
    try {
      const ref = { apiVersion, kind: 'Application', namespace, name };
      this.#deps.apps.put((await this.#deps.kube.patch(ctx, ref, { type: 'merge', body })) as Application);
    } catch (error) {
      // it has changed meanwhile: the next pass is on its way
      if (!hasReason(error, 'Conflict') && !hasReason(error, 'NotFound')) throw error;
    }
  }

  async #rendered(ctx: Ctx, subject: Subject, due: DueMessage): Promise<OutboxEntry | NotificationProblem> {
    const { app } = subject.facts;
    const correspondent = correspondentOf(app);
    try {
      const { notification, problems } = await this.#knowing(ctx, subject, () =>
        renderNotification(due, subject.facts),
      );
      this.#report(ctx, app, problems);
      return { ...entryOf(ctx, correspondent, due), notification };
    } catch (error) {
      if (ctx.signal.aborted) throw error;
      const { message } = FairleadError.from(error);
      const entry = entryOf(ctx, correspondent, due);
      this.#log.record(idOf(entry), {
        ...recordOf(ctx, entry),
        outcome: 'failed',
        attempts: 0,
        error: short(message),
      });
      return { severity: 'error', key: `template.${due.templates.join(', ')}`, message };
    }
  }

  /** Once for each application and text: a condition that fails is evaluated again and again. */
  #report(ctx: Ctx, app: Application, problems: readonly NotificationProblem[]): void {
    for (const { key, message } of problems) {
      const text = `${key}: ${short(message)}`;
      const id = `${app.metadata.uid} ${text}`;
      if (this.#reported.get(id)) continue;
      this.#reported.set(id, true);
      const { namespace, name } = app.metadata;
      ctx.log.warn('notification not possible', { namespace, app: name, key, message: short(message) });
      this.#notify(app, text);
    }
  }

  #notify(app: Application, message: string): void {
    this.#deps.events.recordOnce(app, { type: 'Warning', reason: 'NotificationFailed', message });
  }
}

async function untilSettled({ signal }: Ctx, settled: readonly Promise<void>[]): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([Promise.all(settled), ended]);
}

type Subject = { readonly facts: NotificationSubject; readonly wanted: Set<string> };

type Attempt<T> = { readonly value: T } | { readonly error: unknown };

function attempt<T>(evaluate: () => T): Attempt<T> {
  try {
    return { value: evaluate() };
  } catch (error) {
    return { error };
  }
}

function outcomeOf<T>(result: Attempt<T>): T {
  if ('error' in result) throw result.error;
  return result.value;
}

const commitKey = ({ spec }: Application, revision: string): string =>
  JSON.stringify([spec?.project, spec?.source?.repoURL ?? spec?.sources?.[0]?.repoURL, revision]);

const correspondentOf = ({ metadata, spec }: Application): Correspondent => ({
  uid: metadata.uid ?? '',
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  project: spec?.project || 'default',
});

function entryOf(ctx: Ctx, app: Correspondent, due: DueMessage): OutboxEntry {
  const { config, trigger, destination, mark, isOncePer } = due;
  return {
    id: randomUUID(),
    app,
    due: { namespace: config.namespace, trigger, destination, mark, isOncePer },
    notification: { message: '', part: undefined },
    since: ctx.clock.now().getTime(),
    isPast: false,
  };
}

const noRoom = ({ trigger, destination: { service, recipient } }: DueMessage): NotificationProblem => ({
  severity: 'warning',
  key: `trigger.${trigger}`,
  message: `too many messages wait for ${service}:${recipient}; this one is queued when there is room, if its condition still holds then`,
});

const idOf = ({ app, due }: OutboxEntry): string => `${app.uid} ${due.mark}`;

const short = (text: string): string =>
  text.length > longestError ? `${text.slice(0, longestError)}…` : text;

function recordOf(ctx: Ctx, { app, due }: OutboxEntry): Omit<DeliveryRecord, 'outcome' | 'attempts'> {
  const { namespace, name: application, project } = app;
  const { service, recipient } = due.destination;
  const at = ctx.clock.now().toISOString();
  return { at, namespace, application, project, trigger: due.trigger, service, recipient: short(recipient) };
}
