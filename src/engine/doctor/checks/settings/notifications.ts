import { builtInTriggers, type KubeObject } from '#base/model';
import { parseAll } from '#lang/yaml';
import type { Check, Inventory } from '../../check.ts';
import { application, applicationSet, listAt, objectAt, project, textsAt } from '../../kinds.ts';
import { dataOf } from './config-map.ts';

const configMap = 'argocd-notifications-cm';
const builtInTemplates: ReadonlySet<string> = new Set(Object.values(builtInTriggers));

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
  fix: 'add the template, or correct its name; the templates of the catalog are built in',
  reads: ['ConfigMap'],
  *find(object) {
    const data = dataOf(object, configMap);
    if (!data) return;
    for (const [key, text] of Object.entries(data)) {
      if (!key.startsWith('trigger.')) continue;
      for (const name of sentBy(text))
        if (data[`template.${name}`] === undefined && !builtInTemplates.has(name))
          yield { at: ['data', key], message: `${key} sends ${name}, and there is no template.${name}` };
    }
  },
};

type Event = {
  readonly words: string;
  readonly builtIn: keyof typeof builtInTriggers;
  readonly when: RegExp;
};
const wanted: readonly Event[] = [
  {
    words: 'a failed sync',
    builtIn: 'on-sync-failed',
    when: /phase in \[.*'(?:Failed|Error)'|phase == '(?:Failed|Error)'/,
  },
  { words: 'a degraded application', builtIn: 'on-health-degraded', when: /'Degraded'/ },
];

/** The triggers that are about an event: those written here, and the one of the catalog unless its key is replaced. */
function triggersFor({ builtIn, when }: Event, data: Readonly<Record<string, string>>): readonly string[] {
  const own = Object.entries(data).filter(([key, text]) => key.startsWith('trigger.') && when.test(text));
  const names = own.map(([key]) => key.slice('trigger.'.length));
  return data[`trigger.${builtIn}`] === undefined ? [...names, builtIn] : names;
}

const annotation = /^notifications\.argoproj\.io\/subscri|recipients\.argocd-notifications\.argoproj\.io$/;

/** All texts that may subscribe to a trigger by its name. */
function subscriptions(data: Readonly<Record<string, string>>, inventory: Inventory): string {
  const own = Object.entries(data).filter(
    ([key]) => key === 'subscriptions' || key.startsWith('defaultTriggers'),
  );
  const subscribers: readonly KubeObject[] = [application, project, applicationSet].flatMap((kind) =>
    inventory.all(kind),
  );
  const annotated = subscribers
    .flatMap((object) => [
      objectAt(object, ['metadata', 'annotations']),
      objectAt(object, ['spec', 'template', 'metadata', 'annotations']),
    ])
    .flatMap((annotations) => Object.entries(annotations).filter(([key]) => annotation.test(key)));
  return [...own, ...annotated].map(([key, value]) => `${key} ${value}`).join('\n');
}

export const notificationGaps: Check = {
  id: 'notification-gaps',
  title: 'failures reach no one',
  severity: 'note',
  why: 'a sync that fails at night is found in the morning, by a customer.',
  fix: 'subscribe a channel to the built-in triggers on-sync-failed and on-health-degraded',
  reads: ['ConfigMap'],
  *find(object, inventory) {
    const data = dataOf(object, configMap);
    if (!data) return;
    const subscribed = subscriptions(data, inventory);
    for (const event of wanted)
      if (!triggersFor(event, data).some((name) => subscribed.includes(name)))
        yield { at: ['data'], message: `no subscription is for ${event.words}` };
  },
};
