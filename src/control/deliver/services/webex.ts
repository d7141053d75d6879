import { requireAccepted } from '../answer.ts';
import { bearer, below, json, text } from '../fields.ts';
import type { ServiceKind } from '../service.ts';

/** The messages API refuses one of more bytes. */
const longestMessage = 7439;

/** compat server §6.6: a message of Webex to a person or a room. */
export const webex: ServiceKind = {
  required: ['token'],
  optional: ['apiURL'],
  async send(ctx, reach, { options, recipient, notification }) {
    const to = recipient.includes('@') ? { toPersonEmail: recipient } : { roomId: recipient };
    const answer = await reach.request(ctx, {
      url: below(text(options, 'apiURL') || 'https://webexapis.com', 'v1/messages'),
      headers: { ...json, ...bearer(text(options, 'token')) },
      body: JSON.stringify({ ...to, markdown: cut(notification.message) }),
    });
    requireAccepted(answer);
  },
};

/** A character that is cut in two is left out. */
const cut = (message: string): string =>
  Buffer.byteLength(message) <= longestMessage
    ? message
    : new TextDecoder().decode(Buffer.from(message).subarray(0, longestMessage), { stream: true });
