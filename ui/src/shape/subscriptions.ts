import type { Application } from '#base/model';

/** Who is notified of what about an application, by an annotation of its own. */
export type Subscription = {
  readonly key: string;
  /** Empty: the default triggers of the service. */
  readonly trigger: string;
  readonly service: string;
  readonly recipient: string;
};

const prefix = 'notifications.argoproj.io/subscribe.';

/** compat server §6.5: `subscribe.<trigger>.<service>`, the recipients with semicolons between. */
export function subscriptionsOf({ metadata: { annotations = {} } }: Application): Subscription[] {
  return Object.entries(annotations)
    .filter(([key]) => key.startsWith(prefix))
    .flatMap(([key, value]) => {
      const [first = '', ...rest] = key.slice(prefix.length).split('.');
      const [trigger, service] = rest.length === 0 ? ['', first] : [first, rest.join('.')];
      return recipientsIn(value).map((recipient) => ({ key, trigger, service, recipient }));
    });
}

/** No text is one recipient without a name, as webhooks have it. */
function recipientsIn(value = ''): string[] {
  const recipients = value
    .split(';')
    .map((one) => one.trim())
    .filter(Boolean);
  return recipients.length === 0 ? [''] : recipients;
}

/** The merge patch that adds a recipient to those of a trigger and a service. */
export function subscribePatch(
  app: Application,
  { trigger, service, recipient }: Omit<Subscription, 'key'>,
): string {
  const key = `${prefix}${trigger}.${service}`;
  const before = recipientsOf(app, key).filter(Boolean);
  return patchOf(key, [...new Set([...before, recipient.trim()])].join(';'));
}

/** The merge patch that removes one recipient, and the annotation with the last one. */
export function unsubscribePatch(app: Application, { key, recipient }: Subscription): string {
  const left = recipientsOf(app, key).filter((one) => one !== recipient);
  return patchOf(key, left.length > 0 ? left.join(';') : null);
}

const recipientsOf = ({ metadata }: Application, key: string): string[] => {
  const value = metadata.annotations?.[key];
  return value === undefined ? [] : recipientsIn(value);
};

const patchOf = (key: string, value: string | null): string =>
  JSON.stringify({ metadata: { annotations: { [key]: value } } });
