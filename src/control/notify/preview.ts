import { FairleadError } from '#base/std';
import type { NotificationConfig } from './config.ts';
import { type NotificationSubject, renderNotification, runTrigger } from './evaluate.ts';
import { markKey, readMarks } from './marks.ts';
import type { NotificationDestination, NotificationProblem } from './message.ts';
import { subscriptionsOf } from './subscriptions.ts';

/** What would be sent to one destination for one condition. */
type NotificationPreview = {
  readonly trigger: string;
  /** The condition; absent where a template was requested by its name. */
  readonly when?: string;
  readonly service: string;
  readonly recipient: string;
  /** The condition holds now. */
  readonly isTriggered: boolean;
  /** Why the condition counts as false, or its oncePer as absent. */
  readonly problem?: string;
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
          const sent = sentAt === undefined ? {} : { sentAt };
          return { ...previewCondition(config, subject, { trigger, result, destination }), ...sent };
        }),
      ),
    ),
  );
  return { items, problems: found.flatMap(({ problems }) => problems) };
}

type Evaluated = {
  readonly trigger: string;
  readonly result: ReturnType<typeof runTrigger>[number];
  readonly destination: NotificationDestination;
};

function previewCondition(
  config: NotificationConfig,
  subject: NotificationSubject,
  { trigger, result, destination }: Evaluated,
): NotificationPreview {
  const { isTriggered, condition, problem } = result;
  return {
    trigger,
    when: condition.when,
    ...destination,
    isTriggered,
    ...(problem !== undefined && { problem }),
    ...previewTemplate(config, subject, { templates: condition.send, destination }),
  };
}

/** What one trigger would send to destinations, whether or not the application is subscribed to it. */
export function previewTrigger(
  config: NotificationConfig,
  subject: NotificationSubject,
  trigger: string,
  destinations: readonly NotificationDestination[],
): readonly NotificationPreview[] {
  return runTrigger(config, trigger, subject).flatMap((result) =>
    destinations.map((destination) => previewCondition(config, subject, { trigger, result, destination })),
  );
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
