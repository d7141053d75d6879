import type { Application, AppProject } from '#base/model';
import type { NotificationConfig } from './config.ts';
import { type CommitFacts, exprFunctions, type FunctionFacts, templateFunctions } from './functions.ts';
import { boundMarks, type Marks, markKey, readMarks } from './marks.ts';
import type { NotificationDestination, NotificationProblem } from './message.ts';
import { unknownService, unknownTrigger } from './problems.ts';
import { goOf, type RenderedNotification, renderWith } from './render.ts';
import { subscriptionsOf } from './subscriptions.ts';
import { type ConditionResult, runCondition, type TriggerCondition } from './trigger.ts';

/** An application, and what else conditions and templates read. */
export type NotificationSubject = {
  readonly app: Application;
  readonly project: AppProject | undefined;
  now(): number;
  commit(revision: string): CommitFacts | undefined;
};

/** A message that is due and has no mark. */
export type DueMessage = {
  readonly config: NotificationConfig;
  readonly trigger: string;
  readonly templates: readonly string[];
  readonly destination: NotificationDestination;
  /** The key of its mark. */
  readonly mark: string;
  /** The mark stays when the condition does not hold any more. */
  readonly isOncePer: boolean;
};

/** A message that was sent and has no mark on its application yet. */
export type SentMark = {
  /** Seconds since 1970. */
  readonly at: number;
  readonly isOncePer: boolean;
};

export type NotificationDecision = {
  readonly due: readonly DueMessage[];
  /** What the annotation should hold; undefined: it is as it should be. */
  readonly marks: Marks | undefined;
  readonly problems: readonly NotificationProblem[];
  /** The keys of marks whose conditions do not hold, so that the next time is another transition. */
  readonly past: readonly string[];
  /** What each evaluated condition said, for metrics. */
  readonly evaluated: readonly { readonly trigger: string; readonly isTriggered: boolean }[];
};

type Collected = {
  readonly due: DueMessage[];
  readonly holding: Set<string>;
  readonly past: string[];
  readonly problems: NotificationProblem[];
  readonly evaluated: { trigger: string; isTriggered: boolean }[];
  marks: Record<string, number>;
  isChanged: boolean;
};

/**
 * compat server §6.5: what is to be sent for an application as it is now. `delivered` has what was sent and is not on the
 * application yet, by mark; it becomes part of the marks. Never throws.
 */
export function decideNotifications(
  configs: readonly NotificationConfig[],
  subject: NotificationSubject,
  delivered: ReadonlyMap<string, SentMark> = noMarks,
): NotificationDecision {
  const collected: Collected = {
    ...{ due: [], holding: new Set(), past: [], problems: [], evaluated: [] },
    marks: readMarks(subject.app.metadata.annotations),
    isChanged: false,
  };
  for (const config of configs) decideFor(collected, config, subject, delivered);
  for (const [mark, { at, isOncePer }] of delivered) {
    if (!isOncePer || Object.hasOwn(collected.marks, mark)) continue;
    collected.marks[mark] = at;
    collected.isChanged = true;
  }
  const { due, holding, past, evaluated, problems } = collected;
  const marks = collected.isChanged ? boundMarks(collected.marks, holding) : undefined;
  return { due, evaluated, marks, past, problems };
}

const noMarks: ReadonlyMap<string, SentMark> = new Map();

function decideFor(
  collected: Collected,
  config: NotificationConfig,
  subject: NotificationSubject,
  delivered: ReadonlyMap<string, SentMark>,
): void {
  const { byTrigger, problems } = subscriptionsOf(config, subject.app, subject.project);
  collected.problems.push(...problems);
  if (byTrigger.size === 0) return;
  const plain = environmentOf(config, subject);
  for (const [trigger, destinations] of byTrigger) {
    const conditions = config.triggers.get(trigger);
    if (!conditions) {
      collected.problems.push(unknownTrigger(config, trigger));
      continue;
    }
    for (const condition of conditions) {
      const result = runCondition(condition, withFunctions(condition, plain, subject), subject.now);
      if (result.problem !== undefined)
        collected.problems.push({ severity: 'warning', key: `trigger.${trigger}`, message: result.problem });
      collected.evaluated.push({ trigger, isTriggered: result.isTriggered });
      for (const destination of destinations)
        judge(collected, { config, trigger, destination, result }, delivered);
    }
  }
}

type Judged = {
  readonly config: NotificationConfig;
  readonly trigger: string;
  readonly destination: NotificationDestination;
  readonly result: ConditionResult;
};

function judge(collected: Collected, judged: Judged, delivered: ReadonlyMap<string, SentMark>): void {
  const { config, trigger, destination, result } = judged;
  const selfServiceNamespace = config.isSelfService ? config.namespace : undefined;
  const mark = markKey({ trigger, result, destination, selfServiceNamespace });
  const { marks } = collected;
  if (!result.isTriggered) {
    // with oncePer the mark stays: the same revision is not announced twice
    if (result.oncePer === '' && result.problem === undefined) collected.past.push(mark);
    if (result.oncePer === '' && Object.hasOwn(marks, mark)) {
      delete marks[mark];
      collected.isChanged = true;
    }
    return;
  }
  collected.holding.add(mark);
  if (Object.hasOwn(marks, mark)) return;
  const sent = delivered.get(mark);
  if (sent) {
    marks[mark] = sent.at;
    collected.isChanged = true;
  } else if (!config.services.has(destination.service))
    collected.problems.push(unknownService(config, destination.service));
  else {
    const isOncePer = result.oncePer !== '';
    collected.due.push({ config, trigger, templates: result.condition.send, destination, mark, isOncePer });
  }
}

/** What each condition of a trigger says of an application; none when there is no such trigger. */
export function runTrigger(
  config: NotificationConfig,
  trigger: string,
  subject: NotificationSubject,
): readonly ConditionResult[] {
  const plain = environmentOf(config, subject);
  return (config.triggers.get(trigger) ?? []).map((one) =>
    runCondition(one, withFunctions(one, plain, subject), subject.now),
  );
}

/** compat server §6.5: an application is not judged while its health is older than its last operation. */
export function isStatusCurrent({ status }: Application): boolean {
  const { operationState, reconciledAt, observedAt } = (status ?? {}) as {
    operationState?: { phase?: string; finishedAt?: string };
    reconciledAt?: string;
    observedAt?: string;
  };
  if (!operationState) return true;
  if (!['Succeeded', 'Failed', 'Error'].includes(operationState.phase ?? '')) return true;
  const finished = Date.parse(operationState.finishedAt ?? '');
  return [reconciledAt, observedAt].some((at) => at !== undefined && Date.parse(at) >= finished);
}

function factsOf({ app, now, commit }: NotificationSubject): FunctionFacts {
  return { app: app as unknown as Record<string, unknown>, now, commit };
}

function environmentOf(config: NotificationConfig, subject: NotificationSubject): Record<string, unknown> {
  return {
    app: subject.app,
    appProject: subject.project ?? null,
    context: { ...config.context, notificationType: '' },
    ...(!config.isSelfService && { secrets: config.secrets }),
  };
}

/** Most conditions call nothing: the functions are made for those that do. */
const withFunctions = (
  { needsFunctions }: TriggerCondition,
  environment: Record<string, unknown>,
  subject: NotificationSubject,
): Record<string, unknown> =>
  needsFunctions ? { ...environment, ...exprFunctions(factsOf(subject)) } : environment;

/** Throws RenderFailed with Go's message, LimitExceeded for a template that costs too much, NotFound for an unknown one. */
export function renderNotification(
  { config, templates, destination }: Pick<DueMessage, 'config' | 'templates' | 'destination'>,
  subject: NotificationSubject,
): RenderedNotification {
  const { service, recipient } = destination;
  const data = {
    app: goOf(subject.app),
    ...(subject.project && { appProject: goOf(subject.project) }),
    context: { ...config.context, notificationType: service },
    ...(!config.isSelfService && { secrets: config.secrets }),
    ...templateFunctions(factsOf(subject)),
    serviceType: service,
    recipient,
  };
  return renderWith({ config, templates, destination }, data);
}
