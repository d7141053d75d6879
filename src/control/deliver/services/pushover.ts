import { requireAccepted } from '../answer.ts';
import { below, text } from '../fields.ts';
import type { ServiceKind } from '../service.ts';

/** The Message API refuses a longer one. */
const longestMessage = 1024;
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** compat server §6.6: a message of Pushover to a user. */
export const pushover: ServiceKind = {
  required: ['token'],
  optional: ['apiURL'],
  async send(ctx, reach, { options, recipient, notification }) {
    const body = new URLSearchParams({
      token: text(options, 'token'),
      user: recipient,
      message: notification.message.trim().slice(0, longestMessage),
    });
    const url = below(text(options, 'apiURL') || 'https://api.pushover.net', '1/messages.json');
    requireAccepted(await reach.request(ctx, { url, headers: form, body: body.toString() }));
  },
};
