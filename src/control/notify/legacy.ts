import { FairleadError, isObject, type JsonObject } from '#base/std';
import { parse } from '#lang/yaml';

/** A key of today's format, and its value. */
export type LegacyEntry = { readonly key: string; readonly value: unknown };

/**
 * compat server §6.1: `config.yaml`, in which argocd-notifications kept everything before it had keys for each template and trigger.
 * Throws InvalidSpec with the entry that cannot be used.
 */
export function legacyEntries(value: unknown): readonly LegacyEntry[] {
  const config = mapIn(value ?? {}, 'it');
  const triggers = namedIn(config, 'triggers');
  const enabled = triggers.filter(({ enabled: isOn }) => isOn !== false).map(({ name }) => name);
  return [
    ...namedIn(config, 'templates').map((one) => ({ key: `template.${one.name}`, value: templateOf(one) })),
    // without a condition it switches one of the catalog on
    ...triggers
      .filter(({ condition }) => condition !== undefined)
      .map((one) => ({ key: `trigger.${one.name}`, value: [conditionOf(one)] })),
    ...(enabled.length > 0 ? [{ key: 'defaultTriggers', value: enabled }] : []),
    ...(config.context === undefined ? [] : [{ key: 'context', value: config.context }]),
    ...(config.subscriptions === undefined
      ? []
      : [{ key: 'subscriptions', value: subscriptionsOf(config.subscriptions) }]),
  ];
}

/** `notifiers.yaml` of the Secret: the services of that time; webhooks are a list. */
export function legacyServices(value: unknown): readonly LegacyEntry[] {
  return Object.entries(mapIn(value ?? {}, 'it')).flatMap(([type, options]) => {
    if (type !== 'webhook') return [{ key: `service.${type}`, value: options }];
    return namedIn({ webhook: options }, 'webhook').map(({ name, ...rest }) => ({
      key: `service.webhook.${name}`,
      value: rest,
    }));
  });
}

const secretField = /token|password|key|secret|value/i;

/** The secrets in `notifiers.yaml` one by one, so that each is masked where it is printed. */
export function legacySecrets(text: string | undefined): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const collect = (value: unknown, path: string): void => {
    if (typeof value === 'string' && secretField.test(path.slice(path.lastIndexOf('/') + 1)))
      found[path] = value;
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) collect(inner, `${path}/${key}`);
  };
  try {
    if (text !== undefined) collect(parse(text), 'notifiers.yaml');
  } catch {
    // reported where it is read
  }
  return found;
}

type Named = JsonObject & { readonly name: string };

function namedIn(config: JsonObject, key: string): readonly Named[] {
  const list = config[key] ?? [];
  if (!Array.isArray(list)) throw invalid(`${key} is not a list`);
  return list.map((one, at) => {
    const entry = mapIn(one, `${key}[${at}]`);
    if (typeof entry.name !== 'string' || entry.name === '') throw invalid(`${key}[${at}] has no name`);
    return entry as Named;
  });
}

/** The body is the message, the title the subject of a mail; blocks of services are as they are today. */
function templateOf({ name: _name, title, subject, body, ...blocks }: Named): JsonObject {
  const heading = title ?? subject;
  const email = isObject(blocks.email) ? blocks.email : {};
  return {
    ...blocks,
    ...(body !== undefined && { message: body }),
    ...(heading !== undefined && { email: { ...email, subject: heading } }),
  };
}

const conditionOf = ({ condition, description, template }: Named): JsonObject => ({
  when: condition,
  ...(description !== undefined && { description }),
  send: template === undefined ? [] : [template],
});

/** One trigger or several, and recipients as today. */
function subscriptionsOf(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((one: unknown) => {
    if (!isObject(one)) return one;
    const { trigger, ...rest } = one;
    return trigger === undefined ? rest : { triggers: [trigger], ...rest };
  });
}

function mapIn(value: unknown, what: string): JsonObject {
  if (isObject(value)) return value;
  throw invalid(`${what} is not a map of fields`);
}

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);
