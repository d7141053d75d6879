import type { HealthCode } from '#base/model';
import { print } from '#lang/yaml';
import type { NotificationPreviews } from '#serve/api';
import { recipientText } from './deliveries.ts';
import { counted } from './span.ts';
import { ago } from './time.ts';

type Item = NotificationPreviews['items'][number];

/** One message as it would be now, in words. */
export type PreviewLine = {
  readonly key: string;
  readonly destination: string;
  /** Empty: a template was requested by its name. */
  readonly trigger: string;
  readonly when: string;
  /** The mark beside it; undefined: its condition does not hold, and that is neither good nor bad. */
  readonly health?: HealthCode;
  /** `due, and not delivered yet`, `was sent 5 min ago`, `not now: its condition does not hold`. */
  readonly standing: string;
  readonly message: string;
  /** What the template has for this service beside the text, as YAML; empty: nothing. */
  readonly part: string;
  readonly error?: string;
};

/** The address has `app=namespace/name` and `what=trigger:name` or `what=template:name`. */
export function rehearsalIn(query: URLSearchParams): {
  readonly app: string;
  readonly what: string;
  readonly trigger?: string;
  readonly template?: string;
} {
  const [app, what] = [query.get('app') ?? '', query.get('what') ?? ''];
  const [, kind, name = ''] = /^(trigger|template):(.+)$/.exec(what) ?? [];
  return {
    app,
    what,
    ...(kind === 'trigger' && { trigger: name }),
    ...(kind === 'template' && { template: name }),
  };
}

export function previewLines({ items }: NotificationPreviews, now: number): PreviewLine[] {
  return items.map((item, index) => {
    const { trigger, when = '', message = '', part, error, problem } = item;
    const cause = error ?? problem;
    return {
      key: `${index} ${trigger} ${recipientText(item)}`,
      destination: recipientText(item) || 'any service',
      trigger,
      when,
      ...standingOf(item, now),
      message,
      part: part === undefined || part === null ? '' : print(part),
      ...(cause && { error: cause }),
    };
  });
}

function standingOf(item: Item, now: number): Pick<PreviewLine, 'health' | 'standing'> {
  if (item.error) return { health: 'Degraded', standing: 'cannot be rendered' };
  if (!item.trigger) return { health: 'Healthy', standing: 'rendered' };
  if (!item.isTriggered) return { standing: 'not now: its condition does not hold' };
  if (item.sentAt === undefined) return { health: 'Progressing', standing: 'due, and not delivered yet' };
  return { health: 'Healthy', standing: `was sent ${ago(item.sentAt * 1000, now)}, and is not sent again` };
}

/** What the rehearsal comes to, in one sentence. */
export function previewSentence({ items }: NotificationPreviews): string {
  if (items.length === 0) return 'It has no subscription: no message is sent about it.';
  const broken = items.filter(({ error }) => error).length;
  const due = items.filter(
    ({ isTriggered, sentAt, error }) => isTriggered && sentAt === undefined && !error,
  ).length;
  const isByName = items.every(({ trigger }) => trigger === '');
  const first = isByName
    ? `Rendered for ${counted(items.length, 'service')}.`
    : due === 0
      ? `None of ${counted(items.length, 'message')} is due now.`
      : `${due} of ${counted(items.length, 'message')} ${due === 1 ? 'is' : 'are'} due now.`;
  return broken === 0 ? first : `${first} ${broken} cannot be rendered.`;
}
