import { isObject } from '#base/std';
import type { Check } from '../../check.ts';
import { application, isProduction, textAt, valueAt } from '../../kinds.ts';

export const appNoSelfHeal: Check = {
  id: 'app-no-self-heal',
  title: 'manual changes are not reverted',
  severity: 'note',
  why: 'without automated sync and selfHeal, what a person changes in the cluster stays, and Git is not the truth.',
  fix: 'set spec.syncPolicy.automated.selfHeal: true',
  reads: [application],
  *find(app) {
    const automated = valueAt(app, ['spec', 'syncPolicy', 'automated']);
    const isOn = isObject(automated) && automated.enabled !== false;
    if (isOn && automated.selfHeal === true) return;
    const { name } = app.metadata;
    const isProd = isProduction(name, textAt(app, ['spec', 'destination', 'namespace']));
    yield {
      at: ['spec', 'syncPolicy', 'automated', 'selfHeal'],
      message: isOn ? `${name} does not heal itself` : `${name} is synced by hand`,
      ...(isProd && { severity: 'warning' as const }),
    };
  },
};
