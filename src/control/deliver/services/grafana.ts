import { requireAccepted } from '../answer.ts';
import { bearer, below, insecureOf, json, text } from '../fields.ts';
import type { ServiceKind } from '../service.ts';

/** compat server §6.6: an annotation of Grafana, with the recipient's tags. */
export const grafana: ServiceKind = {
  required: ['apiUrl', 'apiKey'],
  optional: ['insecureSkipVerify'],
  async send(ctx, reach, { options, recipient, notification }) {
    const body = {
      time: ctx.clock.now().getTime(),
      tags: recipient.split('|').filter(Boolean),
      text: notification.message,
    };
    const answer = await reach.request(ctx, {
      url: below(text(options, 'apiUrl'), 'annotations'),
      headers: { ...json, ...bearer(text(options, 'apiKey')) },
      body: JSON.stringify(body),
      ...insecureOf(options),
    });
    requireAccepted(answer);
  },
};
