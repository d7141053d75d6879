import { isObject } from '#base/std';
import type { Check } from '../../check.ts';
import { isProduction, listAt, rollout, valueAt } from '../../kinds.ts';

export const rolloutPromotesUnseen: Check = {
  id: 'rollout-promotes-unseen',
  title: 'a Rollout promotes without a check',
  severity: 'note',
  why: 'without analysis or a pause the new version gets all traffic, however it behaves.',
  fix: 'add an analysis, or autoPromotionEnabled: false (blue-green) or a pause without a duration (canary)',
  reads: [rollout],
  *find(object) {
    const { name, namespace } = object.metadata;
    const green = valueAt(object, ['spec', 'strategy', 'blueGreen']);
    if (isObject(green) && green.autoPromotionEnabled !== false && !green.prePromotionAnalysis) {
      yield {
        at: ['spec', 'strategy', 'blueGreen'],
        message: `${name} switches its traffic as soon as the new pods are ready`,
        ...(isProduction(name, namespace) && { severity: 'warning' as const }),
      };
    }
    const canary = valueAt(object, ['spec', 'strategy', 'canary']);
    if (!isObject(canary) || canary.analysis) return;
    const steps = listAt(canary, ['steps']);
    const waits = steps.some((step) => {
      const pause = valueAt(step, ['pause']);
      const isEndless = pause === null || (isObject(pause) && pause.duration === undefined);
      return (
        isEndless || valueAt(step, ['analysis']) !== undefined || valueAt(step, ['experiment']) !== undefined
      );
    });
    if (!waits) yield { at: ['spec', 'strategy', 'canary'], message: `${name} judges none of its steps` };
  },
};
