import { FairleadError } from '#base/std';
import { requireAccepted } from '../answer.ts';
import { below, filled, given, insecureOf, json, map, partOf, text } from '../fields.ts';
import type { ServiceKind } from '../service.ts';
import { revisionSubject } from './repository.ts';

const states = new Set(['pending', 'running', 'success', 'failed', 'canceled', 'skipped']);

/** dev server §6.6: the status of a commit on GitLab, with the fields that GitHub's status has. */
export const gitlab: ServiceKind = {
  required: ['token'],
  optional: ['apiURL', 'insecureSkipVerify'],
  async send(ctx, reach, delivery) {
    const { options, notification } = delivery;
    const part = partOf(delivery);
    const status = map(part, 'status');
    const state = text(status, 'state').trim();
    if (!states.has(state))
      throw new FairleadError('InvalidSpec', `gitlab.status.state is one of ${[...states].join(', ')}`);
    const { path, revision } = revisionSubject(part);
    const body = given({
      state,
      name: filled(status, 'label'),
      target_url: filled(status, 'targetURL'),
      description: notification.message.trim().slice(0, 255),
    });
    const answer = await reach.request(ctx, {
      url: below(
        text(options, 'apiURL') || 'https://gitlab.com/api/v4',
        `projects/${encodeURIComponent(path)}/statuses/${revision}`,
      ),
      headers: { ...json, 'private-token': text(options, 'token') },
      body: JSON.stringify(body),
      ...insecureOf(options),
    });
    requireAccepted(answer);
  },
};
