import { parseDuration, parseSelector, type Selector } from '#base/model';
import { FairleadError, isObject, type JsonObject } from '#base/std';
import { parse } from '#lang/yaml';
import { catalog } from './catalog.ts';
import { type LegacyEntry, legacyEntries, legacySecrets, legacyServices } from './legacy.ts';
import type { NotificationDestination, NotificationProblem } from './message.ts';
import { rolloutCatalog } from './rollout-catalog.ts';
import { resolveReferences } from './secret-references.ts';
import { compileMessage, type MessageTemplate } from './template.ts';
import { readTrigger, type TriggerCondition } from './trigger.ts';

/** A configured service. Its options may hold secrets: they are never printed. */
export type NotificationService = {
  readonly name: string;
  readonly type: string;
  readonly options: JsonObject;
};

/** An entry of `subscriptions`: the applications that it selects are subscribed. */
type ConfigSubscription = {
  readonly destinations: readonly NotificationDestination[];
  readonly triggers: readonly string[];
  readonly selector: Selector;
};

/** When several messages to one destination become one, and how many a destination gets. */
type DeliveryRules = {
  /** From this many waiting messages of one trigger on they are one message with a list; 0: never. */
  readonly groupFrom: number;
  /** A message waits this long for others of its kind; the wait starts again with each, up to six times as long in all. */
  readonly groupWaitMs: number;
  /** At most this many messages a minute to one destination. */
  readonly perMinute: number;
};

/** argocd-notifications-cm with its Secret, read; every part that cannot be used is a problem, and the rest stays usable. */
export type NotificationConfig = {
  readonly namespace: string;
  readonly topic: NotificationTopic;
  /** It is an application namespace's own (compat server §6.5). */
  readonly isSelfService: boolean;
  readonly services: ReadonlyMap<string, NotificationService>;
  readonly templates: ReadonlyMap<string, MessageTemplate>;
  readonly triggers: ReadonlyMap<string, readonly TriggerCondition[]>;
  readonly defaultTriggers: readonly string[];
  readonly serviceTriggers: ReadonlyMap<string, readonly string[]>;
  readonly subscriptions: readonly ConfigSubscription[];
  readonly context: JsonObject;
  readonly secrets: Readonly<Record<string, string>>;
  readonly rules: DeliveryRules;
  readonly problems: readonly NotificationProblem[];
};

/** What a configuration notifies of: each has its own ConfigMap and its own catalog. */
export type NotificationTopic = 'applications' | 'rollouts';

/** The ConfigMap and the Secret of each topic (compat server §6.1, rollouts RE-2). */
export const notificationNames: Readonly<
  Record<NotificationTopic, { readonly cm: string; readonly secret: string }>
> = {
  applications: { cm: 'argocd-notifications-cm', secret: 'argocd-notifications-secret' },
  rollouts: { cm: 'argo-rollouts-notification-configmap', secret: 'argo-rollouts-notification-secret' },
};

type Data = Readonly<Record<string, string>>;

export type NotificationSource = {
  readonly namespace: string;
  readonly isSelfService?: boolean;
  /** Applications, unless given. */
  readonly topic?: NotificationTopic;
  readonly data: Data;
  /** Decoded. */
  readonly secrets: Data;
  /** compat server §6.2: `url` of argocd-cm. */
  readonly argocdUrl: string;
  /** What is wrong with a service's options; with an error it is not used. */
  checkService?(service: NotificationService): readonly Omit<NotificationProblem, 'key'>[];
};

const defaultRules: DeliveryRules = { groupFrom: 5, groupWaitMs: 2_000, perMinute: 30 };
/** The events of one Rollout are a story: they are grouped only where the configuration says so. */
const rulesOf = (topic: NotificationTopic): DeliveryRules =>
  topic === 'rollouts' ? { ...defaultRules, groupFrom: 0 } : defaultRules;

type Draft = {
  services: Map<string, NotificationService>;
  templates: Map<string, MessageTemplate>;
  triggers: Map<string, readonly TriggerCondition[]>;
  serviceTriggers: Map<string, readonly string[]>;
  defaultTriggers: readonly string[];
  subscriptions: readonly ConfigSubscription[];
  context: JsonObject;
  rules: DeliveryRules;
};

/** compat server §6.1, dev: one key that cannot be used disables nothing else. Never throws. */
export function readNotifications(source: NotificationSource): NotificationConfig {
  const problems: NotificationProblem[] = [];
  const { topic = 'applications' } = source;
  const draft: Draft = {
    ...{ services: new Map(), templates: new Map(), triggers: new Map(), serviceTriggers: new Map() },
    ...{ defaultTriggers: [], subscriptions: [], context: {}, rules: rulesOf(topic) },
  };
  const report = (key: string, message: string, severity: NotificationProblem['severity'] = 'error') =>
    problems.push({ severity, key, message });
  const { templates, triggers } = builtIn(topic);
  for (const [name, template] of templates) draft.templates.set(name, template);
  for (const [name, trigger] of triggers) draft.triggers.set(name, trigger);
  const reading = (key: string, read: () => void): void => {
    try {
      read();
    } catch (error) {
      report(key, FairleadError.from(error).message);
    }
  };
  for (const key of [legacyConfig, legacyNotifiers])
    reading(key, () => readLegacy(draft, source, { key, report }));
  for (const [key, text] of Object.entries(source.data))
    reading(key, () => readKey(draft, source, { key, text, report }));
  const { namespace, isSelfService = false, argocdUrl } = source;
  const secrets = { ...source.secrets, ...legacySecrets(source.secrets[legacyNotifiers]) };
  for (const problem of danglingNames(draft, source.data)) problems.push(problem);
  return {
    ...{ namespace, topic, isSelfService, secrets, problems },
    ...draft,
    context: { argocdUrl, ...draft.context },
  };
}

const compiledCatalogs = new Map<NotificationTopic, Pick<Draft, 'templates' | 'triggers'>>();

/** The catalog of a topic, compiled once. */
function builtIn(topic: NotificationTopic): Pick<Draft, 'templates' | 'triggers'> {
  const known = compiledCatalogs.get(topic);
  if (known) return known;
  const entries = Object.entries(topic === 'rollouts' ? rolloutCatalog : catalog).map(
    ([key, text]) => [key.split('.'), parse(text)] as const,
  );
  const of = (kind: string) => entries.filter(([[found]]) => found === kind);
  const compiled = {
    templates: new Map(
      of('template').map(([[, name = ''], value]) => [name, compileMessage(name, mapIn(value))]),
    ),
    triggers: new Map(
      of('trigger').map(([[, name = ''], value]) => [
        name,
        readTrigger(value, { needsWhen: topic !== 'rollouts' }),
      ]),
    ),
  };
  compiledCatalogs.set(topic, compiled);
  return compiled;
}

type Entry = {
  readonly key: string;
  readonly text: string;
  report(key: string, message: string, severity?: NotificationProblem['severity']): void;
};

type Reader = (draft: Draft, value: unknown, entry: ServiceEntry, source: NotificationSource) => void;

/** Keys of the form `<kind>.<name>`. */
const namedReaders: Readonly<Record<string, Reader>> = {
  service: (draft, value, entry, source) => readService(draft, source, { ...entry, value }),
  template: (draft, value, { name }) => draft.templates.set(name, compileMessage(name, mapIn(value))),
  // compat rollouts RE-2: the event is the condition where the trigger names no other
  trigger: (draft, value, { name }, { topic }) =>
    draft.triggers.set(name, readTrigger(value, { needsWhen: topic !== 'rollouts' })),
  defaultTriggers: (draft, value, { name }) => draft.serviceTriggers.set(name, triggersIn(value, name)),
};

const wholeReaders: Readonly<Record<string, Reader>> = {
  defaultTriggers: (draft, value) => {
    draft.defaultTriggers = triggersIn(value);
  },
  subscriptions: (draft, value, entry) => {
    draft.subscriptions = subscriptionsIn(value, entry);
  },
  context: (draft, value) => {
    draft.context = mapIn(value);
  },
  'fairlead.delivery': (draft, value) => {
    draft.rules = rulesIn(mapIn(value), draft.rules);
  },
};

const readerIn = (table: Readonly<Record<string, Reader>>, key: string): Reader | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

function readKey(draft: Draft, source: NotificationSource, entry: Entry): void {
  const { key, text, report } = entry;
  const dot = key.indexOf('.');
  const name = dot < 0 ? '' : key.slice(dot + 1);
  const named = name === '' ? undefined : readerIn(namedReaders, key.slice(0, dot));
  const reader = readerIn(wholeReaders, key) ?? named;
  if (reader) {
    const value = parse(text, { name: key });
    reader(draft, value, { ...entry, name, value }, source);
  } else if (key === legacyNotifiers)
    report(key, 'no effect: it is read from argocd-notifications-secret', 'warning');
  else if (key !== legacyConfig) report(key, 'no effect: no such key is read', 'warning');
}

const [legacyConfig, legacyNotifiers] = ['config.yaml', 'notifiers.yaml'] as const;

/** Both legacy documents, before everything else: a key of today's format replaces what they say. */
function readLegacy(draft: Draft, source: NotificationSource, { key, report }: Omit<Entry, 'text'>): void {
  const isConfig = key === legacyConfig;
  const text = isConfig ? source.data[key] : source.secrets[key];
  if (text === undefined) return;
  const value = parse(text, { name: key });
  for (const entry of isConfig ? legacyEntries(value) : legacyServices(value))
    readLegacyEntry(draft, source, {
      ...entry,
      report: (_key, message, severity) => report(key, message, severity),
    });
}

function readLegacyEntry(
  draft: Draft,
  source: NotificationSource,
  { key, value, report }: LegacyEntry & Pick<Entry, 'report'>,
): void {
  const [kind = '', ...rest] = key.split('.');
  const reader = readerIn(rest.length > 0 ? namedReaders : wholeReaders, kind);
  try {
    reader?.(draft, value, { key, text: '', report, name: rest.join('.'), value }, source);
  } catch (error) {
    report(key, `${key}: ${FairleadError.from(error).message}`);
  }
}

type ServiceEntry = Entry & { readonly name: string; readonly value: unknown };

function readService(draft: Draft, source: NotificationSource, entry: ServiceEntry): void {
  const parts = entry.name.split('.');
  const [type = '', name = type] = parts;
  if (parts.length > 2) throw invalid('a service is written as service.<type> or service.<type>.<name>');
  const { value, unknown } = resolveReferences(entry.value ?? {}, source.secrets);
  const service = { name, type, options: mapIn(value) };
  for (const key of unknown)
    entry.report(
      entry.key,
      `${notificationNames[source.topic ?? 'applications'].secret} has no key ${key}; $${key} stays as it is written`,
      'warning',
    );
  const findings = source.checkService?.(service) ?? [];
  for (const { severity, message } of findings) entry.report(entry.key, message, severity);
  if (!findings.some(({ severity }) => severity === 'error')) draft.services.set(name, service);
}

function mapIn(value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw invalid('it is not a map of fields');
}

function triggersIn(value: unknown, service?: string): readonly string[] {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  const hint = service
    ? `; to set a recipient for all applications write it under subscriptions, as in recipients: ["${service}:${String(value).slice(0, 60)}"]`
    : '';
  throw invalid(`it must be a list of the names of triggers${hint}`);
}

function subscriptionsIn(value: unknown, { key, report }: Entry): readonly ConfigSubscription[] {
  if (!Array.isArray(value)) throw invalid('it is not a list');
  return value.flatMap((item, at) => {
    try {
      return [subscriptionIn(item)];
    } catch (error) {
      report(key, `entry ${at + 1}: ${FairleadError.from(error).message}`);
      return [];
    }
  });
}

function subscriptionIn(item: unknown): ConfigSubscription {
  const { recipients = [], triggers = [], selector = '' } = mapIn(item);
  if (!isTexts(recipients)) throw invalid('recipients is not a list of "service:recipient"');
  if (!isTexts(triggers)) throw invalid('triggers is not a list of names');
  if (typeof selector !== 'string') throw invalid('selector is not a text such as "team=shop"');
  return { destinations: recipients.map(destinationIn), triggers, selector: parseSelector(selector) };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** `service:recipient`; without a colon the recipient is empty, as webhooks have it. */
export function destinationIn(text: string): NotificationDestination {
  const colon = text.indexOf(':');
  if (colon < 0) return { service: text.trim(), recipient: '' };
  return { service: text.slice(0, colon).trim(), recipient: text.slice(colon + 1).trim() };
}

function rulesIn(value: JsonObject, usual: DeliveryRules): DeliveryRules {
  const whole = (name: string, fallback: number): number => {
    const found = value[name] ?? fallback;
    if (typeof found !== 'number' || !Number.isSafeInteger(found) || found < 0)
      throw invalid(`${name} is not a whole number`);
    return found;
  };
  const { groupWait } = value;
  const waitMs = groupWait === undefined ? usual.groupWaitMs : parseDuration(String(groupWait));
  if (waitMs < 0 || waitMs > 60_000)
    throw invalid('groupWait is not a duration of up to a minute, such as 2s');
  const perMinute = whole('perMinute', usual.perMinute);
  if (perMinute === 0) throw invalid('perMinute is 0: nothing could be sent');
  return { groupFrom: whole('groupFrom', usual.groupFrom), groupWaitMs: waitMs, perMinute };
}

/** Names that a key uses and none defines. A trigger that sends a missing template cannot be delivered. */
function danglingNames(draft: Draft, data: Data): NotificationProblem[] {
  const missing = (key: string, kind: string, names: Iterable<string>, known: ReadonlyMap<string, unknown>) =>
    [...new Set(names)]
      .filter((name) => !known.has(name))
      .map((name) => ({ severity: 'error' as const, key, message: `there is no ${kind} ${name}` }));
  const { triggers, templates } = draft;
  const sent = [...triggers]
    .map(([name, conditions]) => ({ key: `trigger.${name}`, names: conditions.flatMap(({ send }) => send) }))
    .filter(({ key }) => Object.hasOwn(data, key));
  const lists = [...draft.serviceTriggers].map(([service, names]) => ({
    key: `defaultTriggers.${service}`,
    names,
  }));
  return [
    ...sent.flatMap(({ key, names }) => missing(key, 'template', names, templates)),
    ...[{ key: 'defaultTriggers', names: draft.defaultTriggers }, ...lists].flatMap(({ key, names }) =>
      missing(key, 'trigger', names, triggers),
    ),
  ];
}

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);
