import { requireAccepted } from '../answer.ts';
import { byRecipient, filled, given, json, partOf, structure } from '../fields.ts';
import type { ServiceKind } from '../service.ts';

/** compat server §6.6: a webhook of Google Chat, with cards of both versions. */
export const googleChat: ServiceKind = {
  required: ['webhooks'],
  optional: [],
  async send(ctx, reach, delivery) {
    const part = partOf(delivery);
    const url = new URL(byRecipient(delivery, 'webhooks'));
    const threadKey = filled(part, 'threadKey');
    if (threadKey) {
      url.searchParams.set('threadKey', threadKey);
      url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD');
    }
    const body = given({
      text: delivery.notification.message,
      cards: structure(part, 'cards'),
      cardsV2: structure(part, 'cardsV2'),
      thread: threadKey ? { threadKey } : undefined,
    });
    requireAccepted(await reach.request(ctx, { url: url.href, headers: json, body: JSON.stringify(body) }));
  },
};
