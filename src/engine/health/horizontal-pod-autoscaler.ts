import { type Condition, type Health, type KubeObject, versionOf } from '#base/model';
import { FairleadError, parseJson } from '#base/std';
import { conditionsOf, degraded, healthy, progressing, say } from './verdict.ts';

const failures: ReadonlySet<string> = new Set([
  'AbleToScale/FailedGetScale',
  'AbleToScale/FailedUpdateScale',
  'ScalingActive/FailedGetResourceMetric',
  'ScalingActive/FailedGetObjectMetric',
  'ScalingActive/FailedGetPodsMetric',
  'ScalingActive/FailedGetExternalMetric',
  'ScalingActive/FailedComputeMetricsReplicas',
  'ScalingActive/InvalidSelector',
]);
const legacy = 'autoscaling.alpha.kubernetes.io/conditions';

export function horizontalPodAutoscalerHealth(object: KubeObject): Health {
  const conditions = versionOf(object) === 'v1' ? annotated(object) : conditionsOf(object);
  // compat engine §5.4: the reason decides, whatever the condition's status
  const failed = conditions.find(({ type, reason }) => failures.has(`${type}/${reason}`));
  if (failed) return degraded(say(failed));

  const works = conditions.find(
    ({ type, status }) => (type === 'AbleToScale' || type === 'ScalingLimited') && status === 'True',
  );
  return works ? healthy(say(works)) : progressing('waiting to scale for the first time');
}

/** autoscaling/v1 has no conditions in its status; they travel as JSON in an annotation. */
function annotated(object: KubeObject): readonly Condition[] {
  const text = object.metadata.annotations?.[legacy];
  if (!text) return [];
  const list = parsed(text);
  return Array.isArray(list) ? (list as Condition[]) : [];
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new FairleadError('InvalidSpec', `the annotation ${legacy} is not valid JSON`, error);
  }
}
