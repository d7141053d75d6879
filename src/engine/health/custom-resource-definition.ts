import type { Health, KubeObject } from '#base/model';
import { conditionOf, conditionsOf, degraded, healthy, progressing, say } from './verdict.ts';

export function customResourceDefinitionHealth(object: KubeObject): Health {
  if (object.metadata.deletionTimestamp || conditionOf(object, 'Terminating')?.status === 'True') {
    return progressing('the definition is being removed');
  }
  if (conditionsOf(object).length === 0) return progressing('waiting for the first status');

  const refused = conditionOf(object, 'NamesAccepted');
  if (refused?.status === 'False') return degraded(say(refused));
  const loose = conditionOf(object, 'NonStructuralSchema');
  if (loose?.status === 'True') return degraded(say(loose));

  const established = conditionOf(object, 'Established');
  if (established?.status === 'True') return healthy();
  if (established?.reason === 'Installing') return progressing(say(established));
  return degraded(established ? say(established) : 'the definition is not established');
}
