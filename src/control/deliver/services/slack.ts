import { FairleadError, isObject, type JsonObject } from '#base/std';
import { DeliveryError, requireAccepted } from '../answer.ts';
import { bearer, below, filled, flag, given, insecureOf, json, partOf, structure, text } from '../fields.ts';
import type { Delivery, MessageThread, ServiceKind } from '../service.ts';

const commands = 'it is for commands that Slack sends, and none are received';

/** compat server §6.6: chat.postMessage and chat.update of Slack's Web API. */
export const slack: ServiceKind = {
  required: ['token'],
  optional: ['username', 'icon', 'apiURL', 'disableUnfurl', 'insecureSkipVerify'],
  inert: { signingSecret: commands, channels: commands },
  async send(ctx, reach, delivery) {
    const part = partOf(delivery);
    const key = filled(part, 'groupingKey');
    const id = JSON.stringify([delivery.name, delivery.recipient, key]);
    const thread = key === undefined ? undefined : reach.threads.get(id);
    const policy = policyOf(part);
    const call = async (method: string, body: JsonObject): Promise<MessageThread> => {
      const url = below(text(delivery.options, 'apiURL') || 'https://slack.com/api', method);
      const headers = { ...json, ...bearer(text(delivery.options, 'token')) };
      const answer = await reach.request(ctx, {
        url,
        headers,
        body: JSON.stringify(body),
        ...insecureOf(delivery.options),
      });
      requireAccepted(answer);
      return postedIn(answer.text);
    };
    const message = bodyOf(delivery, part);
    if (thread && policy !== 'Post')
      await call('chat.update', { ...message, channel: thread.channel, ts: thread.ts });
    if (thread && policy === 'Update') return;
    const broadcast = thread && flag(part, 'notifyBroadcast') && { reply_broadcast: true };
    const posted = await call('chat.postMessage', {
      ...message,
      channel: delivery.recipient,
      ...(thread && { thread_ts: thread.ts }),
      ...broadcast,
    });
    if (key !== undefined && !thread) reach.threads.put(id, posted);
  },
};

function policyOf(part: JsonObject): 'Post' | 'PostAndUpdate' | 'Update' {
  const policy = filled(part, 'deliveryPolicy') ?? 'Post';
  if (policy === 'Post' || policy === 'PostAndUpdate' || policy === 'Update') return policy;
  throw new FairleadError(
    'InvalidSpec',
    `deliveryPolicy is Post, PostAndUpdate or Update, not ${policy.slice(0, 40)}`,
  );
}

function bodyOf({ options, notification }: Delivery, part: JsonObject): JsonObject {
  const icon = filled(part, 'icon') ?? filled(options, 'icon');
  return given({
    text: notification.message,
    attachments: structure(part, 'attachments'),
    blocks: structure(part, 'blocks'),
    username: filled(part, 'username') ?? filled(options, 'username'),
    ...(icon && (/^:.*:$/.test(icon) ? { icon_emoji: icon } : { icon_url: icon })),
    ...(flag(options, 'disableUnfurl') && { unfurl_links: false, unfurl_media: false }),
  });
}

const refusals = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'missing_scope',
]);

/** Slack answers 200 and says in the body whether it accepted. */
function postedIn(answer: string): MessageThread {
  const body = readJson(answer);
  if (body.ok === true) return { channel: text(body, 'channel'), ts: text(body, 'ts') };
  const error = text(body, 'error') || 'no reason given';
  if (error === 'ratelimited' || error === 'rate_limited')
    throw new DeliveryError('Slack limits the rate', 0);
  if (refusals.has(error)) throw new FairleadError('Auth', `Slack refused: ${error}; check its token`);
  if (error === 'internal_error' || error === 'fatal_error' || error === 'service_unavailable')
    throw new FairleadError('Unavailable', `Slack failed: ${error}`);
  throw new FairleadError('InvalidSpec', `Slack refused: ${error}`);
}

function readJson(answer: string): JsonObject {
  try {
    const body: unknown = JSON.parse(answer);
    if (isObject(body)) return body;
  } catch {
    // reported below
  }
  throw new FairleadError('Unavailable', 'Slack answered with something other than JSON');
}
