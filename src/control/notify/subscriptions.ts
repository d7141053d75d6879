import { matches } from '#base/model';
import { FairleadError, isObject, Lru } from '#base/std';
import { parse } from '#lang/yaml';
import { destinationIn, type NotificationConfig } from './config.ts';
import type { NotificationDestination, NotificationProblem } from './message.ts';

/** What subscriptions are read from: an Application or an AppProject. */
export type Subscriber = {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
};

/** The destinations of each trigger, without duplicates, and what could not be read. */
export type Subscriptions = {
  readonly byTrigger: ReadonlyMap<string, readonly NotificationDestination[]>;
  readonly problems: readonly NotificationProblem[];
};

/** A wish read from an annotation; without a trigger it is for the default triggers of its service. */
type Wish = NotificationDestination & { readonly trigger: string; readonly key: string };
type Wishes = { readonly wishes: readonly Wish[]; readonly problems: readonly NotificationProblem[] };

const prefix = 'notifications.argoproj.io/';
const legacy = 'recipients.argocd-notifications.argoproj.io';
/** More destinations than marks would be notified again and again. */
const mostDestinations = 100;

/** compat server §6.4: whether an annotation subscribes to something. */
const isSubscription = (key: string): boolean =>
  key.startsWith(`${prefix}subscribe.`) || key === `${prefix}subscriptions` || key.endsWith(legacy);

/** Unions that depend on annotations alone, by configuration and by what was read from the annotations. */
const unions = new WeakMap<NotificationConfig, WeakMap<Wishes, WeakMap<Wishes, Subscriptions>>>();

/** compat server §6.4: the union of what the application, its project and the configuration subscribe to. */
export function subscriptionsOf(
  config: NotificationConfig,
  app: Subscriber,
  project: Subscriber | undefined,
): Subscriptions {
  const [own, ofProject] = [wishesOf(app), project ? wishesOf(project) : none];
  if (config.subscriptions.length > 0) return unionOf(config, [own, ofProject], configured(config, app));
  return annotated(config, own, ofProject);
}

/** What an object subscribes to itself, whatever the configuration subscribes objects of its kind to. */
export function ownSubscriptionsOf(config: NotificationConfig, object: Subscriber): Subscriptions {
  return annotated(config, wishesOf(object), none);
}

function annotated(config: NotificationConfig, own: Wishes, ofProject: Wishes): Subscriptions {
  const byApp = entryIn(unions, config, () => new WeakMap<Wishes, WeakMap<Wishes, Subscriptions>>());
  const byProject = entryIn(byApp, own, () => new WeakMap<Wishes, Subscriptions>());
  return entryIn(byProject, ofProject, () => unionOf(config, [own, ofProject], []));
}

function entryIn<K extends object, V>(map: WeakMap<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function unionOf(
  config: NotificationConfig,
  annotated: readonly Wishes[],
  more: readonly Wish[],
): Subscriptions {
  const problems = annotated.flatMap((one) => one.problems);
  const wishes = [...annotated.flatMap((one) => one.wishes), ...more];
  const byTrigger = new Map<string, NotificationDestination[]>();
  const seen = new Set<string>();
  for (const wish of wishes) {
    const triggers = triggersOf(config, wish);
    if (triggers.length === 0) problems.push(noDefault(wish.key, wish.service));
    for (const trigger of triggers) addTo(byTrigger, seen, { ...wish, trigger });
    if (seen.size > mostDestinations) {
      problems.push(tooMany(wish.key));
      break;
    }
  }
  return { byTrigger, problems };
}

const triggersOf = (config: NotificationConfig, { trigger, service }: Wish): readonly string[] =>
  trigger === '' ? (config.serviceTriggers.get(service) ?? config.defaultTriggers) : [trigger];

function addTo(byTrigger: Map<string, NotificationDestination[]>, seen: Set<string>, wish: Wish): void {
  const { trigger, service, recipient } = wish;
  const id = `${trigger}\n${service}\n${recipient}`;
  if (seen.has(id)) return;
  seen.add(id);
  if (seen.size > mostDestinations) return;
  const destinations = byTrigger.get(trigger);
  if (destinations) destinations.push({ service, recipient });
  else byTrigger.set(trigger, [{ service, recipient }]);
}

const noDefault = (key: string, service: string): NotificationProblem => ({
  severity: 'warning',
  key,
  message: `it names no trigger, and there are no default triggers: set defaultTriggers or defaultTriggers.${service}, or write subscribe.<trigger>.${service}`,
});

const tooMany = (key: string): NotificationProblem => ({
  severity: 'warning',
  key,
  message: `an application has at most ${mostDestinations} destinations; this one and those after it get nothing`,
});

function configured({ subscriptions }: NotificationConfig, { metadata }: Subscriber): Wish[] {
  return subscriptions
    .filter(({ selector }) => matches(selector, metadata.labels))
    .flatMap(({ destinations, triggers }) =>
      destinations.flatMap((destination) =>
        (triggers.length === 0 ? [''] : triggers).map((trigger) => ({
          ...destination,
          trigger,
          key: 'subscriptions',
        })),
      ),
    );
}

/** Annotations rarely change: each set of them is read once. */
const known = new Lru<Wishes>({ capacity: 20_000 });
const none: Wishes = { wishes: [], problems: [] };

function wishesOf({ metadata: { annotations } }: Subscriber): Wishes {
  let id = '';
  for (const key in annotations) if (isSubscription(key)) id += `${key}\n${annotations[key]}\n`;
  if (id === '' || !annotations) return none;
  const before = known.get(id);
  if (before) return before;
  const read = readWishes(annotations);
  known.set(id, read);
  return read;
}

function readWishes(annotations: Readonly<Record<string, string>>): Wishes {
  const problems: NotificationProblem[] = [];
  const wishes = Object.entries(annotations)
    .filter(([key]) => isSubscription(key))
    .flatMap(([key, value]) => {
      try {
        return readAnnotation(key, value);
      } catch (error) {
        problems.push({ severity: 'error', key, message: FairleadError.from(error).message });
        return [];
      }
    });
  return { wishes, problems };
}

function readAnnotation(key: string, value: string): Wish[] {
  if (key === `${prefix}subscriptions`) return listed(key, value);
  if (key.endsWith(legacy)) return legacyOf(key, value);
  const rest = key.slice(`${prefix}subscribe.`.length);
  const dot = rest.indexOf('.');
  const [trigger, service] = dot < 0 ? ['', rest] : [rest.slice(0, dot), rest.slice(dot + 1)];
  return recipientsIn(value).map((recipient) => ({ key, trigger, service, recipient }));
}

/** Separated by `;`; no text is one recipient without a name, as webhooks have it. */
function recipientsIn(value: string): string[] {
  const recipients = value
    .split(';')
    .map((one) => one.trim())
    .filter(Boolean);
  return recipients.length === 0 ? [''] : recipients;
}

/** `<trigger>.recipients.…` or `recipients.…`: `service:recipient`, separated by commas. */
function legacyOf(key: string, value: string): Wish[] {
  const trigger = key.slice(0, -legacy.length).replace(/\.$/, '');
  return value
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
    .map((one) => ({ key, trigger, ...destinationIn(one) }));
}

function listed(key: string, value: string): Wish[] {
  const items = parse(value, { name: key });
  if (!Array.isArray(items)) throw invalid('it is not a list of {trigger, destinations}');
  return items.flatMap((item) => {
    if (!isObject(item)) throw invalid('it is not a list of {trigger, destinations}');
    const { trigger = [], destinations } = item;
    const triggers = textsIn(trigger);
    if (!Array.isArray(destinations) || destinations.length === 0)
      throw invalid('an entry has no destinations: list {service, recipients}');
    return destinations.flatMap((destination) => {
      if (!isObject(destination) || typeof destination.service !== 'string')
        throw invalid('a destination has no service');
      const { service, recipients = [] } = destination;
      const names = textsIn(recipients);
      return (triggers.length === 0 ? [''] : triggers).flatMap((name) =>
        (names.length === 0 ? [''] : names).map((recipient) => ({ key, trigger: name, service, recipient })),
      );
    });
  });
}

function textsIn(value: unknown): string[] {
  const texts = typeof value === 'string' ? [value] : value;
  if (Array.isArray(texts) && texts.every((text) => typeof text === 'string')) return texts;
  throw invalid('triggers and recipients are lists of names');
}

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);
