import { type Ctx, FairleadError, isObject, type JsonObject } from '#base/std';
import { requireAccepted } from '../answer.ts';
import { filled, given, map, partOf, text } from '../fields.ts';
import type { Delivery, ServiceKind, ServiceReach } from '../service.ts';
import { awsSignature } from './aws-signature.ts';

/** compat server §6.6: SendMessage of Amazon SQS, in its JSON protocol with signature version 4. */
export const awsSqs: ServiceKind = {
  required: ['region', 'key', 'secret'],
  optional: ['queue', 'account', 'endpointUrl'],
  async send(ctx, reach, delivery) {
    const part = partOf(delivery);
    const queue = delivery.recipient || text(delivery.options, 'queue');
    if (!queue) throw new FairleadError('InvalidSpec', 'there is no queue: name it as the recipient');
    const account = filled(delivery.options, 'account');
    const found = await call(ctx, reach, delivery, {
      action: 'GetQueueUrl',
      body: given({ QueueName: queue, QueueOwnerAWSAccountId: account }),
    });
    const attributes = Object.entries(map(part, 'messageAttributes')).map(([name, value]) => [
      name,
      { DataType: 'String', StringValue: String(value) },
    ]);
    await call(ctx, reach, delivery, {
      action: 'SendMessage',
      body: given({
        QueueUrl: text(found, 'QueueUrl'),
        MessageBody: delivery.notification.message,
        MessageAttributes: attributes.length > 0 ? Object.fromEntries(attributes) : undefined,
        MessageGroupId: filled(part, 'messageGroupId'),
      }),
    });
  },
};

type SqsCall = { readonly action: string; readonly body: JsonObject };

async function call(
  ctx: Ctx,
  reach: ServiceReach,
  { options }: Delivery,
  { action, body }: SqsCall,
): Promise<JsonObject> {
  const region = text(options, 'region');
  if (!/^[a-z0-9-]{1,40}$/.test(region))
    throw new FairleadError('InvalidSpec', 'region is not the name of a region');
  const url = new URL(filled(options, 'endpointUrl') ?? `https://sqs.${region}.amazonaws.com/`);
  const payload = JSON.stringify(body);
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    host: url.host,
    'x-amz-date': ctx.clock
      .now()
      .toISOString()
      .replace(/[-:]|\.\d{3}/g, ''),
    'x-amz-target': `AmazonSQS.${action}`,
  };
  const authorization = awsSignature(
    { region, key: text(options, 'key'), secret: text(options, 'secret') },
    url,
    {
      headers,
      payload,
    },
  );
  const answer = await reach.request(ctx, {
    url: url.href,
    headers: { ...headers, authorization },
    body: payload,
  });
  requireAccepted(answer);
  const read: unknown = answer.text === '' ? {} : JSON.parse(answer.text);
  return isObject(read) ? read : {};
}
