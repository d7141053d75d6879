import { FairleadError } from '#base/std';
import type { NotificationConfig } from './config.ts';
import { type NotificationSubject, renderNotification, runTrigger } from './evaluate.ts';
import { markKey, readMarks } from './marks.ts';
import type { NotificationProblem } from './message.ts';
import { subscriptionsOf } from './subscriptions.ts';

/** What would be sent to one destination for one condition. */
type NotificationPreview = {
  readonly trigger: string;
  readonly service: string;
  readonly recipient: string;
  /** The condition holds now. */
  readonly isTriggered: boolean;
  /** When it was sent, in seconds since 1970; absent: it was not. */
  readonly sentAt?: number;
  readonly message?: string;
  /** The block of the template for the service. */
  readonly part?: unknown;
  /** Why there is no message. */
  readonly error?: string;
};

export type PreviewedNotifications = {
  readonly items: readonly NotificationPreview[];
  readonly problems: readonly NotificationProblem[];
};

/** Every subscription of an application with its message as it would be now. Nothing is sent, and no secret is shown. */
export function previewNotifications(
  configs: readonly NotificationConfig[],
  subject: NotificationSubject,
): PreviewedNotifications {
  const marks = readMarks(subject.app.metadata.annotations);
  const found = configs.map((config) => ({
    config,
    ...subscriptionsOf(config, subject.app, subject.project),
  }));
  const items = found.flatMap(({ config, byTrigger }) =>
    [...byTrigger].flatMap(([trigger, destinations]) =>
      runTrigger(config, trigger, subject).flatMap((result) =>
        destinations.map((destination): NotificationPreview => {
          const selfServiceNamespace = config.isSelfService ? config.namespace : undefined;
          const sentAt = marks[markKey({ trigger, result, destination, selfServiceNamespace })];
          const { isTriggered, condition } = result;
          const sent = sentAt === undefined ? {} : { sentAt };
          const wanted = { templates: condition.send, destination };
          return {
            trigger,
            ...destination,
            isTriggered,
            ...sent,
            ...previewTemplate(config, subject, wanted),
          };
        }),
      ),
    ),
  );
  return { items, problems: found.flatMap(({ problems }) => problems) };
}

type Wanted = Pick<Parameters<typeof renderNotification>[0], 'templates' | 'destination'>;

/** One message as a service would get it. Secrets are shown as the references to them. */
export function previewTemplate(
  config: NotificationConfig,
  subject: NotificationSubject,
  { templates, destination }: Wanted,
): Pick<NotificationPreview, 'message' | 'part' | 'error'> {
  const secrets = Object.fromEntries(Object.keys(config.secrets).map((key) => [key, `$${key}`]));
  try {
    const missing = templates.filter((name) => !config.templates.has(name));
    if (missing.length > 0) throw new FairleadError('NotFound', `there is no template ${missing.join(', ')}`);
    const shown = { ...config, secrets };
    const { notification } = renderNotification({ config: shown, templates, destination }, subject);
    const { message, part } = notification;
    return { message, ...(part !== undefined && { part }) };
  } catch (error) {
    return { error: FairleadError.from(error).message };
  }
}
