import { FairleadError } from '#base/std';
import { requireAccepted } from '../answer.ts';
import { below, filled, given, json, partOf, text } from '../fields.ts';
import type { ServiceKind } from '../service.ts';

/** compat server §6.6: a deployment marker of New Relic. */
export const newRelic: ServiceKind = {
  required: ['apiKey'],
  optional: ['apiURL'],
  async send(ctx, reach, delivery) {
    const { options, recipient, notification } = delivery;
    const part = partOf(delivery);
    if (!/^\d+$/.test(recipient))
      throw new FairleadError('InvalidSpec', 'the recipient is not the id of an application of New Relic');
    const revision = filled(part, 'revision');
    if (!revision)
      throw new FairleadError(
        'InvalidSpec',
        'the template has no newrelic.revision, which New Relic needs: for example {{.app.status.sync.revision}}',
      );
    const deployment = given({
      revision,
      changelog: filled(part, 'changelog'),
      description: filled(part, 'description') ?? notification.message,
      user: filled(part, 'user'),
    });
    const answer = await reach.request(ctx, {
      url: below(
        text(options, 'apiURL') || 'https://api.newrelic.com',
        `v2/applications/${recipient}/deployments.json`,
      ),
      headers: { ...json, 'api-key': text(options, 'apiKey') },
      body: JSON.stringify({ deployment }),
    });
    requireAccepted(answer);
  },
};
