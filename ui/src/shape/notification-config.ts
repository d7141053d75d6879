import type { NotificationConfigView } from '#serve/api';
import { yamlOf } from './changes.ts';
import { recipientText } from './deliveries.ts';
import type { Notice } from './notices.ts';
import { counted } from './span.ts';
import { duration } from './time.ts';

/** Where messages go, and what of it is used: `2 services, 9 triggers, 9 templates`. */
export function configSentence({ services, subscriptions, rules }: NotificationConfigView): string {
  const where =
    services.length === 0
      ? 'No service is configured'
      : `Messages go to ${counted(services.length, 'service')}`;
  const count = subscriptions.length;
  const all = count === 0 ? '' : `; the configuration has ${counted(count, 'subscription')} of its own`;
  return `${where}${all}. ${rulesText(rules)}`;
}

function rulesText({ groupFrom, groupWaitMs, perMinute }: NotificationConfigView['rules']): string {
  const limit = `a destination gets at most ${perMinute} a minute`;
  if (groupFrom === 0) return `Each message is sent by itself; ${limit}.`;
  return `From ${groupFrom} of one trigger within ${duration(groupWaitMs)} they are one message; ${limit}.`;
}

/** What of the configuration cannot be used, each by its key. */
export const configNotices = ({ problems }: NotificationConfigView): Notice[] =>
  problems.map(({ severity, key, message }) => ({
    title: key,
    message,
    tone: severity === 'error' ? 'bad' : 'warn',
  }));

/** The triggers that subscribe without naming one use, for a service. */
export function defaultTriggersOf(
  { defaultTriggers, serviceTriggers }: NotificationConfigView,
  service: string,
): string {
  const names = Object.hasOwn(serviceTriggers, service) ? serviceTriggers[service] : defaultTriggers;
  return names?.join(', ') ?? '';
}

/** A template as it is written; a built-in one is JSON, which people read as YAML. */
export function templateText(text: string): string {
  return /^\s*\{/.test(text) ? yamlOf(text) || text : text;
}

type SubscriptionRow = {
  readonly key: string;
  readonly to: string;
  readonly triggers: string;
  readonly of: string;
};

export function subscriptionRows({ subscriptions }: NotificationConfigView): SubscriptionRow[] {
  return subscriptions.map(({ destinations, triggers, selector }, index) => ({
    key: String(index),
    to: destinations.map(recipientText).join(', '),
    triggers: triggers.join(', ') || 'the default triggers',
    of: selector ? `with labels ${selector}` : 'all applications',
  }));
}

/** The shortest way to a first message. */
export const beginning = `apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-notifications-cm
  namespace: argocd
data:
  service.slack: |
    token: $slack-token   # a key of the Secret argocd-notifications-secret
`;
export const beginningAnnotation = `metadata:
  annotations:
    notifications.argoproj.io/subscribe.on-sync-failed.slack: alerts-channel
`;
