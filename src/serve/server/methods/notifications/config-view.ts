import { printSelector } from '#base/model';
import { catalog, type NotificationConfig } from '#control/notify';
import type { NotificationConfigView } from '#serve/api';

type Data = Readonly<Record<string, string>>;

/**
 * The configuration as it is in force: a key that cannot be used is among the problems, and what it would replace stays. No
 * option of a service is shown, because it may hold a secret.
 */
export function configView(config: NotificationConfig, data: Data): NotificationConfigView {
  const { services, triggers, templates, subscriptions, problems } = config;
  const { defaultTriggers, serviceTriggers, rules } = config;
  const broken = new Set(problems.flatMap(({ severity, key }) => (severity === 'error' ? [key] : [])));
  const isBuiltIn = (key: string): boolean =>
    Object.hasOwn(catalog, key) && (broken.has(key) || data[key] === undefined || data[key] === catalog[key]);
  return {
    services: byName([...services.values()].map(({ name, type }) => ({ name, type }))),
    triggers: byName(
      [...triggers].map(([name, conditions]) => ({
        name,
        isBuiltIn: isBuiltIn(`trigger.${name}`),
        conditions: conditions.map(({ when, send, oncePer, description }) => ({
          when,
          send,
          ...(oncePer !== undefined && { oncePer }),
          ...(description !== undefined && { description }),
        })),
      })),
    ),
    templates: byName(
      [...templates.keys()].map((name) => {
        const key = `template.${name}`;
        const text = isBuiltIn(key) ? catalog[key] : data[key];
        return { name, isBuiltIn: isBuiltIn(key), text: text ?? '' };
      }),
    ),
    subscriptions: subscriptions.map(({ destinations, triggers: of, selector }) => ({
      destinations,
      triggers: of,
      selector: printSelector(selector),
    })),
    defaultTriggers,
    serviceTriggers: Object.fromEntries(serviceTriggers),
    rules,
    problems,
  };
}

const byName = <T extends { readonly name: string }>(items: readonly T[]): T[] =>
  items.toSorted((a, b) => (a.name < b.name ? -1 : 1));
