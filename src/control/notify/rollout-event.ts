import { controllerOf, type KubeObject } from '#base/model';
import type { NotificationConfig } from './config.ts';
import { exprFunctions, type FunctionFacts, templateFunctions } from './functions.ts';
import type { NotificationDestination, NotificationProblem } from './message.ts';
import { unknownService, unknownTrigger } from './problems.ts';
import { goOf, type RenderedNotification, renderWith } from './render.ts';
import { triggerOf } from './rollout-catalog.ts';
import { ownSubscriptionsOf, subscriptionsOf } from './subscriptions.ts';
import { runCondition } from './trigger.ts';

/** Something that happened to a Rollout, an AnalysisRun or an Experiment, and what conditions and templates read. */
export type RolloutEventSubject = {
  /** The object, whatever its kind: templates read all of them under this name, as with the peer. */
  readonly rollout: KubeObject;
  readonly event: { readonly reason: string; readonly message: string };
  /** Those of its current revision, the oldest first. */
  readonly analysisRuns: readonly KubeObject[];
  /** Milliseconds since 1970. */
  now(): number;
};

/** A message that the event causes. */
export type DueOfRollout = {
  readonly config: NotificationConfig;
  readonly trigger: string;
  readonly templates: readonly string[];
  readonly destination: NotificationDestination;
};

/**
 * compat rollouts RE-2: each event is one message to each subscriber of its trigger; nothing is marked. A subscription to a
 * trigger that does not exist is a problem whatever the event is, since its own never comes. Never throws.
 */
export function decideRolloutEvent(
  config: NotificationConfig,
  subject: RolloutEventSubject,
): { readonly due: readonly DueOfRollout[]; readonly problems: readonly NotificationProblem[] } {
  const { byTrigger, problems: unread } = subscriptionsTo(config, subject.rollout);
  const problems = [...unread, ...unknownIn(config, byTrigger)];
  const trigger = triggerOf(subject.event.reason);
  const destinations = (byTrigger.get(trigger) ?? []).filter(({ service }) => config.services.has(service));
  if (destinations.length === 0) return { due: [], problems };
  const results = resultsOf(config, trigger, subject);
  for (const { problem } of results)
    if (problem !== undefined)
      problems.push({ severity: 'warning', key: `trigger.${trigger}`, message: problem });
  const due = results
    .filter(({ isTriggered }) => isTriggered)
    .flatMap(({ condition: { send } }) =>
      destinations.map((destination) => ({ config, trigger, templates: send, destination })),
    );
  return { due, problems };
}

/**
 * What happens to the run or the Experiment of a Rollout is an event of the Rollout, too: a subscription of the configuration
 * would announce it twice.
 */
function subscriptionsTo(config: NotificationConfig, object: KubeObject) {
  const owner = controllerOf(object)?.kind;
  const isPart = owner === 'Rollout' || owner === 'Experiment';
  return isPart ? ownSubscriptionsOf(config, object) : subscriptionsOf(config, object, undefined);
}

function unknownIn(
  config: NotificationConfig,
  byTrigger: ReadonlyMap<string, readonly NotificationDestination[]>,
): readonly NotificationProblem[] {
  const triggers = [...byTrigger.keys()].filter((name) => !config.triggers.has(name));
  const services = new Set([...byTrigger.values()].flat().map(({ service }) => service));
  return [
    ...triggers.map((name) => unknownTrigger(config, name)),
    ...[...services].filter((name) => !config.services.has(name)).map((name) => unknownService(config, name)),
  ];
}

function resultsOf(config: NotificationConfig, trigger: string, subject: RolloutEventSubject) {
  const { time, strings } = exprFunctions(factsOf(subject));
  const environment = { ...environmentOf(config, subject, (one) => one), time, strings };
  return (config.triggers.get(trigger) ?? []).map((one) => runCondition(one, environment, subject.now));
}

/** Throws RenderFailed with Go's message, LimitExceeded for a template that costs too much. */
export function renderRolloutEvent(due: DueOfRollout, subject: RolloutEventSubject): RenderedNotification {
  const { service, recipient } = due.destination;
  const { time, strings } = templateFunctions(factsOf(subject));
  const environment = environmentOf(due.config, subject, goOf);
  return renderWith(due, { ...environment, time, strings, serviceType: service, recipient });
}

function environmentOf(
  config: NotificationConfig,
  { rollout, event, analysisRuns }: RolloutEventSubject,
  as: (object: object) => unknown,
): Record<string, unknown> {
  return {
    rollout: as(rollout),
    analysisRuns: analysisRuns.map(as),
    event: { reason: event.reason, message: event.message },
    context: config.context,
    ...(!config.isSelfService && { secrets: config.secrets }),
  };
}

const factsOf = ({ rollout, now }: RolloutEventSubject): FunctionFacts => ({
  app: rollout as unknown as Record<string, unknown>,
  now,
  commit: () => undefined,
});
