import type { Ctx } from '#base/std';
import { deliver, type ServiceReach } from '#control/deliver';
import { groupedMessage, type NotificationConfig } from '#control/notify';
import type { OutboxEntry } from './outbox.ts';

/** Sends one message that stands for these entries, all of one trigger and one destination. */
export async function sendEntries(
  ctx: Ctx,
  reach: ServiceReach,
  entries: readonly OutboxEntry[],
  config: NotificationConfig,
): Promise<void> {
  const [first] = entries;
  if (!first) return;
  const { trigger, destination } = first.due;
  const items = entries.map(({ app, notification }) => ({ app: app.name, message: notification.message }));
  const notification =
    entries.length === 1
      ? first.notification
      : groupedMessage(trigger, items, config.topic === 'rollouts' ? kindsOf(entries) : 'applications');
  await deliver(ctx, reach, { config, ...destination, notification });
}

/** A message of an earlier version has no event: only Rollouts had some. */
function kindsOf(entries: readonly OutboxEntry[]): string {
  const [kind, ...more] = new Set(entries.map(({ event }) => event?.kind ?? 'Rollout'));
  return more.length === 0 ? `${kind}s` : 'objects';
}
