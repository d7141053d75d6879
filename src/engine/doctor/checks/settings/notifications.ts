import { parseAll } from '#lang/yaml';
import type { Check } from '../../check.ts';
import { listAt, textsAt } from '../../kinds.ts';
import { dataOf } from './config-map.ts';

const configMap = 'argocd-notifications-cm';

/** The templates that a trigger sends; none when it cannot be read. */
function sentBy(text: string): readonly string[] {
  try {
    const [document] = parseAll(text, { name: configMap });
    return listAt({ rules: document?.value }, ['rules']).flatMap((rule) => textsAt(rule, ['send']));
  } catch {
    return [];
  }
}

export const notificationTemplateMissing: Check = {
  id: 'notification-template-missing',
  title: 'a trigger sends a template that does not exist',
  severity: 'error',
  why: 'the notification fails when it is needed.',
  fix: 'add the template, or correct its name',
  reads: ['ConfigMap'],
  *find(object) {
    const data = dataOf(object, configMap);
    if (!data) return;
    for (const [key, text] of Object.entries(data)) {
      if (!key.startsWith('trigger.')) continue;
      for (const name of sentBy(text))
        if (data[`template.${name}`] === undefined)
          yield { at: ['data', key], message: `${key} sends ${name}, and there is no template.${name}` };
    }
  },
};

const wanted: Readonly<Record<string, RegExp>> = {
  'a failed sync': /phase in \[.*'(?:Failed|Error)'|phase == '(?:Failed|Error)'/,
  'a degraded application': /'Degraded'/,
};

export const notificationGaps: Check = {
  id: 'notification-gaps',
  title: 'failures reach no one',
  severity: 'note',
  why: 'a sync that fails at night is found in the morning, by a customer.',
  fix: 'add the triggers on-sync-failed and on-health-degraded, and subscribe a channel',
  reads: ['ConfigMap'],
  *find(object) {
    const data = dataOf(object, configMap);
    if (!data) return;
    const triggers = Object.entries(data).filter(([key]) => key.startsWith('trigger.'));
    for (const [event, pattern] of Object.entries(wanted))
      if (!triggers.some(([, text]) => pattern.test(text)))
        yield { at: ['data'], message: `no trigger is about ${event}` };
  },
};
