import { type Condition, groupOf, type Health, type KubeObject } from '#model';
import {
  type Check,
  conditionOf,
  conditionsOf,
  degraded,
  healthy,
  progressing,
  say,
  waitingForSpec,
} from './verdict.ts';

type Traffic = { revisionName?: string; percent?: number; tag?: string };
type KnativeView = KubeObject<{ mode?: string }, { observedGeneration?: number; traffic?: Traffic[] }>;

const kinds: Readonly<Record<string, Check>> = {
  'serving.knative.dev/Service': serviceHealth,
  'serving.knative.dev/Revision': revisionHealth,
  'autoscaling.internal.knative.dev/PodAutoscaler': podAutoscalerHealth,
  'networking.internal.knative.dev/ServerlessService': serverlessServiceHealth,
  'operator.knative.dev/KnativeServing': operatorHealth([
    'Ready',
    'InstallSucceeded',
    'DependenciesInstalled',
    'DeploymentsAvailable',
  ]),
  'operator.knative.dev/KnativeEventing': operatorHealth(['Ready', 'InstallSucceeded']),
};

// caching.internal.knative.dev is missing on purpose: an Image reports nothing
const groups: ReadonlySet<string> = new Set([
  'serving.knative.dev',
  'eventing.knative.dev',
  'messaging.knative.dev',
  'sources.knative.dev',
  'flows.knative.dev',
  'bindings.knative.dev',
  'sinks.knative.dev',
  'networking.internal.knative.dev',
  'autoscaling.internal.knative.dev',
]);
// they configure; nothing reconciles them, so no condition ever appears
const silent: ReadonlySet<string> = new Set([
  'eventing.knative.dev/EventType',
  'autoscaling.internal.knative.dev/Metric',
]);

/** The check for a Knative kind, or undefined for anything else. */
export function knativeCheck(object: KubeObject): Check | undefined {
  const group = groupOf(object);
  const kind = `${group}/${object.kind}`;
  if (Object.hasOwn(kinds, kind)) return kinds[kind];
  return groups.has(group) && !silent.has(kind) ? conditionHealth : undefined;
}

/** A stale Ready=True must never release the next wave, so the generation is asked before the condition. */
function isStale(object: KubeObject): boolean {
  const { metadata, status } = object as KnativeView;
  return metadata.generation !== undefined && status?.observedGeneration !== metadata.generation;
}

function conditionHealth(object: KubeObject): Health {
  if (isStale(object)) return progressing(waitingForSpec);
  const ready = conditionOf(object, 'Ready');
  if (ready?.status === 'True') return healthy();
  if (ready?.status === 'False') return degraded(say(ready));
  if (ready?.reason === 'RolloutInProgress') return progressing(rolloutOf(object, ready));
  return progressing(ready ? say(ready) : 'waiting for the Ready condition');
}

/** compat §5.7: of a Service every condition counts, not only Ready. */
function serviceHealth(object: KubeObject): Health {
  if (isStale(object)) return progressing(waitingForSpec);
  const failed = conditionsOf(object).filter(({ status }) => status === 'False');
  const told = failed.find(({ type }) => type === 'Ready') ?? failed[0];
  if (told) return degraded(say(told));
  const open = conditionsOf(object).find(({ status, type }) => status !== 'True' && type !== 'Ready');
  if (open && conditionOf(object, 'Ready')?.status === 'True') return progressing(say(open));
  return conditionHealth(object);
}

/** The percentages as they are now: `hello-00002 30%, hello-00001 70%`. */
function rolloutOf(object: KubeObject, ready: Condition): string | undefined {
  const shares = ((object as KnativeView).status?.traffic ?? [])
    .filter(({ revisionName, percent }) => revisionName && percent)
    .map(({ revisionName, percent }) => `${revisionName} ${percent}%`);
  return shares.length > 0 ? `rollout in progress: ${shares.join(', ')}` : say(ready);
}

/** H-31: a Revision without traffic is scaled to zero, which is rest, not trouble. */
function revisionHealth(object: KubeObject): Health {
  const active = conditionOf(object, 'Active');
  const ready = conditionOf(object, 'Ready');
  if (!isStale(object) && active?.status === 'False' && ready?.status !== 'False') {
    return healthy('scaled to zero');
  }
  return conditionHealth(object);
}

/** Scaling to zero makes Active, and with it Ready, False; the reason tells rest from failure. */
function podAutoscalerHealth(object: KubeObject): Health {
  const active = conditionOf(object, 'Active');
  if (!isStale(object) && active?.status === 'False' && active.reason === 'NoTraffic') {
    return healthy('scaled to zero');
  }
  return conditionHealth(object);
}

/** Behind the activator there are no endpoints to become ready. */
function serverlessServiceHealth(object: KubeObject): Health {
  const proxied = (object as KnativeView).spec?.mode === 'Proxy';
  const ready = conditionOf(object, 'Ready');
  if (proxied && ready && ready.status !== 'False' && !isStale(object))
    return healthy('served by the activator');
  return conditionHealth(object);
}

/** compat §5.7: the operator's own objects are Degraded only once every tracked condition has settled. */
function operatorHealth(tracked: readonly string[]): Check {
  return (object) => {
    const found = tracked.map((type) => conditionOf(object, type));
    if (found.every((condition) => condition?.status === 'True')) return healthy();
    const open = found.find((condition) => condition?.status === 'Unknown' || condition?.status === 'False');
    if (open || conditionsOf(object).length === 0) {
      return progressing(open ? say(open) : 'waiting for the first status');
    }
    return degraded(`missing conditions: ${tracked.filter((_, at) => !found[at]).join(', ')}`);
  };
}
