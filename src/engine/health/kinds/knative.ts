import type { Condition, Health, KubeObject } from '#base/model';
import { undeployable } from '../probe-ports.ts';
import { check, type HealthRule, outdated, unobserved } from '../rules.ts';
import {
  conditionOf,
  conditionsOf,
  degraded,
  type HealthCheck,
  healthy,
  progressing,
  say,
} from '../verdict.ts';

type Traffic = { revisionName?: string; percent?: number; tag?: string };
type KnativeView = KubeObject<
  { mode?: string; traffic?: Traffic[] },
  { traffic?: Traffic[]; latestCreatedRevisionName?: string; latestReadyRevisionName?: string }
>;

/** A stale Ready=True must never release the next wave, so the generation is checked before any condition. */
const knativeCheck = (...rules: readonly HealthRule[]): HealthCheck => check(unobserved, ...rules, readiness);

function readiness(object: KubeObject): Health {
  const ready = conditionOf(object, 'Ready');
  if (ready?.status === 'True') return healthy();
  if (ready?.status === 'False') return degraded(failureOf(ready));
  return progressing(ready ? openReason(object, ready) : 'waiting for the Ready condition');
}

const failedRevision = /^Revision "([^"]*)" failed with message: /;

/** A condition's words, with the cause of a failed Revision near the beginning, where the health of an application shows it. */
function failureOf(condition: Condition): string | undefined {
  const { message = '' } = condition;
  return failedRevision.test(message)
    ? message.replace(failedRevision, 'Revision $1 failed: ')
    : say(condition);
}

function openReason(object: KubeObject, ready: Condition): string | undefined {
  return ready.reason === 'RolloutInProgress' ? rolloutOf(object, ready) : say(ready);
}

/** The percentages as they are now: `hello-00002 30%, hello-00001 70%`. */
function rolloutOf(object: KubeObject, ready: Condition): string | undefined {
  const shares = ((object as KnativeView).status?.traffic ?? [])
    .filter(({ revisionName, percent }) => revisionName && percent)
    .map(({ revisionName, percent }) => `${revisionName} ${percent}%`);
  return shares.length > 0 ? `rollout in progress: ${shares.join(', ')}` : say(ready);
}

/** engine X-9: no Deployment can be made of the Revision, and Knative reports only that it waits. */
function neverDeployed(object: KubeObject): Health | undefined {
  if (conditionOf(object, 'Ready')?.status !== 'Unknown') return undefined;
  const { latestCreatedRevisionName: created, latestReadyRevisionName: ready } =
    (object as KnativeView).status ?? {};
  const waiting = created === ready ? undefined : created;
  const revision = object.kind === 'Revision' ? object.metadata.name : waiting;
  const why = revision && undeployable(object, revision);
  return why ? degraded(why) : undefined;
}

/** A Route without a ready Revision reports only that there is none; why there is none stands in ConfigurationsReady. */
function causeOf(failed: readonly Condition[]): Condition {
  const [first] = failed as readonly [Condition];
  const ready = failed.find(({ type }) => type === 'Ready') ?? first;
  if (ready.reason !== 'RevisionMissing') return ready;
  return failed.find(({ type }) => type === 'ConfigurationsReady') ?? ready;
}

const needed = ['Ready', 'ConfigurationsReady', 'RoutesReady'];

/** compat engine §5.7: of a Service every condition counts, not only Ready, and three of them must be there. */
function serviceHealth(object: KubeObject): Health | undefined {
  const list = conditionsOf(object);
  const failed = list.filter(({ status }) => status === 'False');
  if (failed.length > 0) return degraded(failureOf(causeOf(failed)));
  const ready = conditionOf(object, 'Ready');
  if (ready?.status !== 'True') return undefined;
  const open = list.find(({ status }) => status !== 'True');
  if (open) return progressing(`${open.type} is ${open.status}${open.reason ? `: ${say(open)}` : ''}`);
  const absent = needed.find((type) => !conditionOf(object, type));
  if (absent) return progressing(`waiting for the ${absent} condition`);
  const pending = pendingTarget(object);
  return pending === undefined ? undefined : progressing(`waiting for the Route to send ${pending}`);
}

/**
 * engine H-39: the first entry of `spec.traffic` that `status.traffic` does not show. Knative compares them before it reports a
 * Service as ready; but a pass that fails between the Configuration and the Route leaves Ready=True beside the split of before.
 */
function pendingTarget(object: KubeObject): string | undefined {
  const { spec, status } = object as KnativeView;
  const shown = status?.traffic;
  if (!shown) return undefined;
  const latest = status.latestReadyRevisionName;
  const pending = (spec?.traffic ?? []).find(({ revisionName = latest, percent = 0, tag = '' }, at) => {
    const { revisionName: name, percent: share = 0, tag: label = '' } = shown[at] ?? {};
    return (revisionName !== undefined && name !== revisionName) || share !== percent || label !== tag;
  });
  if (!pending) return undefined;
  const { revisionName = latest ?? 'the latest revision', percent = 0, tag } = pending;
  return `${revisionName} ${percent}%${tag ? ` with the tag ${tag}` : ''}`;
}

/** engine H-31: a Revision without traffic is scaled to zero, which is rest, not trouble. */
function revisionAtRest(object: KubeObject): Health | undefined {
  const isIdle = conditionOf(object, 'Active')?.status === 'False';
  return isIdle && conditionOf(object, 'Ready')?.status !== 'False' ? healthy('scaled to zero') : undefined;
}

/** Scaling to zero makes Active, and with it Ready, False; the reason distinguishes idle from failure. */
function autoscalerAtRest(object: KubeObject): Health | undefined {
  const active = conditionOf(object, 'Active');
  return active?.status === 'False' && active.reason === 'NoTraffic' ? healthy('scaled to zero') : undefined;
}

/** Behind the activator there are no endpoints to become ready. */
function proxied(object: KubeObject): Health | undefined {
  const ready = conditionOf(object, 'Ready');
  const isProxied = (object as KnativeView).spec?.mode === 'Proxy';
  return isProxied && ready && ready.status !== 'False' ? healthy('served by the activator') : undefined;
}

/** compat engine §5.7: the operator's own objects are Degraded only once everything that can still move has settled. */
function operatorHealth(tracked: readonly string[], moving: readonly string[]): HealthCheck {
  return check(outdated, (object) => {
    const list = conditionsOf(object);
    if (list.length === 0) return undefined;
    const open = list.find(
      ({ type, status }) => status === 'Unknown' || (status === 'False' && moving.includes(type)),
    );
    if (open) return progressing(say(open) ?? `${open.type} is ${open.status}`);
    const wrong = tracked.find((type) => conditionOf(object, type)?.status !== 'True');
    if (!wrong) return healthy();
    const condition = conditionOf(object, wrong);
    return degraded(condition ? say(condition) : `the ${wrong} condition is missing`);
  });
}

/** Kinds with rules of their own. Undefined: they configure, nothing reconciles them, so no condition ever appears. */
export const knative: Readonly<Record<string, HealthCheck | undefined>> = {
  'autoscaling.internal.knative.dev/Metric': undefined,
  'autoscaling.internal.knative.dev/PodAutoscaler': knativeCheck(autoscalerAtRest),
  'eventing.knative.dev/EventType': undefined,
  'networking.internal.knative.dev/ServerlessService': knativeCheck(proxied),
  'operator.knative.dev/KnativeEventing': operatorHealth(['Ready', 'InstallSucceeded'], ['Ready']),
  'operator.knative.dev/KnativeServing': operatorHealth(
    ['Ready', 'InstallSucceeded', 'DependenciesInstalled', 'DeploymentsAvailable'],
    ['Ready', 'DeploymentsAvailable'],
  ),
  'serving.knative.dev/Configuration': knativeCheck(neverDeployed),
  'serving.knative.dev/Revision': knativeCheck(neverDeployed, revisionAtRest),
  'serving.knative.dev/Service': knativeCheck(neverDeployed, serviceHealth),
};

const ready = knativeCheck();

// caching.internal.knative.dev is missing on purpose: an Image reports nothing
/** engine H-30: every other kind of these groups reports through Ready. */
export const knativeGroups: readonly (readonly [string, HealthCheck])[] = [
  ['autoscaling.internal.knative.dev', ready],
  ['bindings.knative.dev', ready],
  ['eventing.knative.dev', ready],
  ['flows.knative.dev', ready],
  ['messaging.knative.dev', ready],
  ['networking.internal.knative.dev', ready],
  ['serving.knative.dev', ready],
  ['sinks.knative.dev', ready],
  ['sources.knative.dev', ready],
];
