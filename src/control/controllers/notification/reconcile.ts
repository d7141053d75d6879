import type { Application } from '#base/model';
import { type Ctx, FairleadError, Lru, within } from '#base/std';
import {
  type CommitFacts,
  type DueMessage,
  decideNotifications,
  isStatusCurrent,
  type NotificationConfig,
  type NotificationProblem,
  type NotificationSubject,
  notifiedAnnotation,
  printMarks,
  renderNotification,
  type SentMark,
} from '#control/notify';
import type { Requeue, WorkQueue } from '#control/runtime';
import type { DeliveryLog, DeliveryRecord } from './delivery-log.ts';
import type { Correspondent, DeliveryFailure, Outbox, OutboxEntry } from './outbox.ts';
import type { NotificationControllerDeps } from './pass-deps.ts';

const apiVersion = 'argoproj.io/v1alpha1';
/** A template may read this many commits of one application. */
const mostCommits = 5;
const commitMs = 10_000;
const laterMs = 60_000;
const longestError = 300;

/** Passes over applications: each decides what is due, hands it to the outbox, and writes the marks of what was delivered. */
export class Passes {
  readonly #deps: NotificationControllerDeps;
  readonly #queue: WorkQueue;
  readonly #log: DeliveryLog;
  /** What was delivered and has no mark on the application yet, by uid and mark. */
  readonly #delivered = new Map<string, Map<string, SentMark>>();
  readonly #commits = new Lru<CommitFacts | 'none'>({ capacity: 2_000 });
  readonly #reported = new Lru<true>({ capacity: 10_000 });

  constructor(deps: NotificationControllerDeps, queue: WorkQueue, log: DeliveryLog) {
    this.#deps = deps;
    this.#queue = queue;
    this.#log = log;
  }

  async reconcile(ctx: Ctx, outbox: Outbox, key: string): Promise<Requeue | undefined> {
    const [namespace = '', name = ''] = key.split('/');
    const app = this.#deps.apps.get(namespace, name);
    if (!app || !isStatusCurrent(app)) return undefined;
    const configs = this.#deps.configs.of(namespace);
    const { uid = '' } = app.metadata;
    const delivered = new Map(this.#delivered.get(uid));
    const subject = this.#subjectOf(ctx, app);
    const decision = await this.#knowing(ctx, subject, () =>
      decideNotifications(configs, subject.facts, delivered),
    );
    for (const { trigger, isTriggered } of decision.evaluated)
      this.#deps.observe?.evaluated(trigger, isTriggered);
    if (decision.marks) await this.#mark(ctx, app, printMarks(decision.marks));
    this.#settle(uid, delivered);
    this.#report(ctx, app, knownSomewhere(decision.problems, configs));
    let isFull = false;
    for (const due of decision.due) {
      if (outbox.has(uid, due.mark)) continue;
      const entry = await this.#rendered(ctx, subject, due);
      if (entry && !outbox.add(entry)) isFull = true;
    }
    return isFull ? { requeueAfter: laterMs } : undefined;
  }

  /** The application was deleted. */
  gone({ metadata }: Application): void {
    this.#delivered.delete(metadata.uid ?? '');
  }

  delivered(ctx: Ctx, entries: readonly OutboxEntry[], attempts: number): void {
    const now = ctx.clock.now();
    for (const entry of entries) {
      const { app, due } = entry;
      const marks = this.#delivered.get(app.uid) ?? new Map<string, SentMark>();
      const sent = { at: Math.floor(now.getTime() / 1000), isOncePer: due.isOncePer };
      this.#delivered.set(app.uid, marks.set(due.mark, sent));
      this.#deps.observe?.delivered(due.trigger, due.destination.service, true);
      const together = entries.length > 1 ? { together: entries.length } : {};
      this.#log.record(idOf(entry), { ...recordOf(ctx, entry), outcome: 'delivered', attempts, ...together });
      this.#queue.add(`${app.namespace}/${app.name}`);
    }
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
      const found = this.#deps.apps.get(app.namespace, app.name);
      if (found)
        this.#tell(
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
  #settle(uid: string, settled: ReadonlyMap<string, SentMark>): void {
    const delivered = this.#delivered.get(uid);
    if (!delivered) return;
    for (const mark of settled.keys()) delivered.delete(mark);
    if (delivered.size === 0) this.#delivered.delete(uid);
  }

  async #rendered(ctx: Ctx, subject: Subject, due: DueMessage): Promise<OutboxEntry | undefined> {
    const { app } = subject.facts;
    const correspondent = correspondentOf(app);
    try {
      const { notification, problems } = await this.#knowing(ctx, subject, () =>
        renderNotification(due, subject.facts),
      );
      this.#report(ctx, app, problems);
      return { app: correspondent, due, notification };
    } catch (error) {
      if (ctx.signal.aborted) throw error;
      const { message } = FairleadError.from(error);
      this.#report(ctx, app, [{ severity: 'error', key: `template.${due.templates.join(', ')}`, message }]);
      const entry = { app: correspondent, due, notification: { message: '', part: undefined } };
      this.#log.record(idOf(entry), {
        ...recordOf(ctx, entry),
        outcome: 'failed',
        attempts: 0,
        error: short(message),
      });
      return undefined;
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
      this.#tell(app, text);
    }
  }

  #tell(app: Application, message: string): void {
    this.#deps.events.tellOnce(app, { type: 'Warning', reason: 'NotificationFailed', message });
  }
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

/** A service or trigger that one of the configurations has is no problem of the others. */
function knownSomewhere(
  problems: readonly NotificationProblem[],
  configs: readonly NotificationConfig[],
): readonly NotificationProblem[] {
  if (configs.length < 2) return problems;
  return problems.filter(({ key, severity }) => {
    const [kind, name = ''] = [key.slice(0, key.indexOf('.')), key.slice(key.indexOf('.') + 1)];
    if (severity !== 'error') return true;
    if (kind === 'service') return !configs.some(({ services }) => services.has(name));
    return kind !== 'trigger' || !configs.some(({ triggers }) => triggers.has(name));
  });
}

const commitKey = ({ spec }: Application, revision: string): string =>
  JSON.stringify([spec?.project, spec?.source?.repoURL ?? spec?.sources?.[0]?.repoURL, revision]);

const correspondentOf = ({ metadata, spec }: Application): Correspondent => ({
  uid: metadata.uid ?? '',
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  project: spec?.project || 'default',
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
