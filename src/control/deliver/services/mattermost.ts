import { requireAccepted } from '../answer.ts';
import { bearer, below, insecureOf, json, partOf, structure, text } from '../fields.ts';
import type { ServiceKind } from '../service.ts';

/** compat server §6.6: POST /api/v4/posts of Mattermost. */
export const mattermost: ServiceKind = {
  required: ['apiURL', 'token'],
  optional: ['insecureSkipVerify'],
  async send(ctx, reach, delivery) {
    const { options, recipient, notification } = delivery;
    const attachments = structure(partOf(delivery), 'attachments');
    const body = {
      channel_id: recipient,
      message: notification.message,
      ...(attachments !== undefined && { props: { attachments } }),
    };
    const answer = await reach.request(ctx, {
      url: below(text(options, 'apiURL'), 'api/v4/posts'),
      headers: { ...json, ...bearer(text(options, 'token')) },
      body: JSON.stringify(body),
      ...insecureOf(options),
    });
    requireAccepted(answer);
  },
};
