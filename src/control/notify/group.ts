import type { NotificationMessage } from './message.ts';

/** One of the messages that become one. */
type GroupedItem = { readonly app: string; readonly message: string };

/** People read these; any other service has a message for each application, because programs read them. */
const groupable: ReadonlySet<string> = new Set([
  'slack',
  'email',
  'teams',
  'teams-workflows',
  'googlechat',
  'mattermost',
  'rocketchat',
  'telegram',
  'webex',
  'pushover',
]);

export const isGroupable = (type: string): boolean => groupable.has(type);

const mostListed = 50;
const longestLine = 200;

/** One message for many applications or Rollouts: how many, which trigger, and the first line of each. */
export function groupedMessage(
  trigger: string,
  items: readonly GroupedItem[],
  noun = 'applications',
): NotificationMessage {
  const title = `${items.length} ${noun}: ${trigger}`;
  const lines = items.slice(0, mostListed).map(({ app, message }) => `• ${app}: ${firstLine(message)}`);
  const more = items.length > mostListed ? [`… and ${items.length - mostListed} more`] : [];
  const message = [title, ...lines, ...more].join('\n');
  return { message, part: { subject: title, body: message, title, summary: title, text: message } };
}

function firstLine(message: string): string {
  const line = message.trim().split('\n', 1)[0] ?? '';
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}
