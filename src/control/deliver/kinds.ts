import type { NotificationProblem, NotificationService } from '#control/notify';
import type { ServiceKind } from './service.ts';
import { alertmanager } from './services/alertmanager.ts';
import { awsSqs } from './services/aws-sqs.ts';
import { email } from './services/email.ts';
import { github } from './services/github.ts';
import { gitlab } from './services/gitlab.ts';
import { googleChat } from './services/google-chat.ts';
import { grafana } from './services/grafana.ts';
import { mattermost } from './services/mattermost.ts';
import { newRelic } from './services/new-relic.ts';
import { opsgenie } from './services/opsgenie.ts';
import { pagerduty, pagerdutyV2 } from './services/pagerduty.ts';
import { pushover } from './services/pushover.ts';
import { rocketChat } from './services/rocket-chat.ts';
import { slack } from './services/slack.ts';
import { teams, teamsWorkflows } from './services/teams.ts';
import { telegram } from './services/telegram.ts';
import { webex } from './services/webex.ts';
import { webhook } from './services/webhook.ts';

/** compat server §6.6: the kinds of services by the names that the configuration uses. */
export const kinds: ReadonlyMap<string, ServiceKind> = new Map([
  ['slack', slack],
  ['email', email],
  ['webhook', webhook],
  ['teams', teams],
  ['teams-workflows', teamsWorkflows],
  ['github', github],
  ['gitlab', gitlab],
  ['opsgenie', opsgenie],
  ['grafana', grafana],
  ['telegram', telegram],
  ['mattermost', mattermost],
  ['rocketchat', rocketChat],
  ['pagerduty', pagerduty],
  ['pagerdutyv2', pagerdutyV2],
  ['alertmanager', alertmanager],
  ['googlechat', googleChat],
  ['webex', webex],
  ['pushover', pushover],
  ['newrelic', newRelic],
  ['awssqs', awsSqs],
]);

const notYet: ReadonlySet<string> = new Set(['gcppubsub', 'nats']);

type Finding = Pick<NotificationProblem, 'severity' | 'message'>;

/** What is wrong with a service's options; it cannot be used when one of them is an error. */
export function checkService({ type, options }: NotificationService): readonly Finding[] {
  const kind = kinds.get(type);
  if (!kind) {
    const message = notYet.has(type)
      ? `not supported yet: services of type ${type}`
      : `there is no type of service ${type}; there are ${[...kinds.keys()].join(', ')}`;
    return [{ severity: 'error', message }];
  }
  const missing = kind.required.filter((name) => isEmpty(options[name]));
  if (missing.length > 0) return [{ severity: 'error', message: `${missing.join(', ')} must be set` }];
  const known = new Set([...kind.required, ...kind.optional]);
  return Object.keys(options)
    .filter((name) => !known.has(name))
    .map((name) => ({
      severity: 'warning' as const,
      message: `${name} has no effect: ${kind.inert?.[name] ?? `services of type ${type} have no such option`}`,
    }));
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';
