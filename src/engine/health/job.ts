import type { Health, KubeObject } from '#base/model';
import { conditionOf, degraded, healthy, progressing, say, suspended } from './verdict.ts';

export function jobHealth(object: KubeObject): Health {
  // compat engine §5.4: the presence of Failed and Complete decides, not their status
  const failed = conditionOf(object, 'Failed');
  if (failed) return degraded(say(failed));
  // dev engine H-13: a resumed Job keeps Suspended=False; it must not pass for a finished one
  const paused = conditionOf(object, 'Suspended');
  if (paused?.status === 'True') return suspended(say(paused));
  const complete = conditionOf(object, 'Complete');
  if (complete) return healthy(say(complete));
  return progressing('the job is running');
}
