import { FairleadError } from '#base/std';
import { requireAccepted } from '../answer.ts';
import { below, byRecipient, filled, given, json, partOf, structure, text } from '../fields.ts';
import type { ServiceKind } from '../service.ts';

/** The Alert API refuses longer ones. */
const [longestMessage, longestDescription] = [130, 15_000];

/** compat server §6.6: an alert of Opsgenie for a team. */
export const opsgenie: ServiceKind = {
  required: ['apiUrl', 'apiKeys'],
  optional: [],
  async send(ctx, reach, delivery) {
    const { options, recipient, notification } = delivery;
    const part = partOf(delivery);
    const description = filled(part, 'description');
    if (!description)
      throw new FairleadError(
        'InvalidSpec',
        'the template has no opsgenie.description, which Opsgenie needs',
      );
    const base = text(options, 'apiUrl');
    const body = given({
      message: notification.message.trim().slice(0, longestMessage),
      description: description.slice(0, longestDescription),
      responders: [{ id: recipient, type: 'team' }],
      alias: filled(part, 'alias'),
      priority: filled(part, 'priority'),
      note: filled(part, 'note'),
      actions: structure(part, 'actions'),
      tags: structure(part, 'tags'),
      details: structure(part, 'details'),
      entity: filled(part, 'entity'),
      user: filled(part, 'user'),
      visibleTo: structure(part, 'visibleTo'),
    });
    const answer = await reach.request(ctx, {
      url: below(/^https?:\/\//.test(base) ? base : `https://${base}`, 'v2/alerts'),
      headers: { ...json, authorization: `GenieKey ${byRecipient(delivery, 'apiKeys')}` },
      body: JSON.stringify(body),
    });
    requireAccepted(answer);
  },
};
