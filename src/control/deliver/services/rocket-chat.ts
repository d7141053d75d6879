import { FairleadError, isObject, type JsonObject } from '#base/std';
import { is2xx, requireAccepted } from '../answer.ts';
import { below, filled, given, json, map, partOf, structure, text } from '../fields.ts';
import type { ServiceKind } from '../service.ts';

/** compat server §6.6: a login, then chat.postMessage of Rocket.Chat. */
export const rocketChat: ServiceKind = {
  required: ['serverUrl', 'email', 'password'],
  optional: ['alias', 'icon', 'avatar'],
  async send(ctx, reach, delivery) {
    const { options, recipient, notification } = delivery;
    const call = async (path: string, body: JsonObject, headers: Record<string, string> = {}) => {
      const url = below(text(options, 'serverUrl'), `api/v1/${path}`);
      const answer = await reach.request(ctx, {
        url,
        headers: { ...json, ...headers },
        body: JSON.stringify(body),
      });
      requireAccepted(answer, is2xx);
      return JSON.parse(answer.text) as unknown;
    };
    const login = await call('login', { user: text(options, 'email'), password: text(options, 'password') });
    const data = isObject(login) ? map(login, 'data') : {};
    if (!data.authToken)
      throw new FairleadError('Auth', 'Rocket.Chat gave no token; check email and password');
    const icon = filled(options, 'icon');
    const body = given({
      channel: recipient,
      text: notification.message,
      alias: filled(options, 'alias'),
      emoji: icon,
      avatar: filled(options, 'avatar'),
      attachments: structure(partOf(delivery), 'attachments'),
    });
    const posted = await call('chat.postMessage', body, {
      'x-auth-token': text(data, 'authToken'),
      'x-user-id': text(data, 'userId'),
    });
    if (!isObject(posted) || posted.success !== true)
      throw new FairleadError('InvalidSpec', 'Rocket.Chat did not accept the message');
  },
};
