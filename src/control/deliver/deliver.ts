import { type Ctx, FairleadError, within } from '#base/std';
import { maskSecrets, type NotificationConfig, type NotificationMessage } from '#control/notify';
import { DeliveryError } from './answer.ts';
import { kinds } from './kinds.ts';
import type { ServiceReach } from './service.ts';

/** One message for one recipient of one configured service. */
export type Consignment = {
  readonly config: Pick<NotificationConfig, 'services' | 'secrets'>;
  readonly service: string;
  readonly recipient: string;
  readonly notification: NotificationMessage;
};

/** All attempts of one delivery together: a service of several requests cannot take them one after another for ever. */
const longestMs = 60_000;

/**
 * Delivers one message. Throws a FairleadError when the service did not take it; no error holds a secret, whatever the
 * service said.
 */
export async function deliver(ctx: Ctx, reach: ServiceReach, consignment: Consignment): Promise<void> {
  const { config, service, recipient, notification } = consignment;
  const found = config.services.get(service);
  const kind = found && kinds.get(found.type);
  if (!found || !kind) throw new FairleadError('NotFound', `there is no service ${service}`);
  const bounded = within(ctx, longestMs);
  try {
    await kind.send(bounded, reach, { name: service, options: found.options, recipient, notification });
  } catch (error) {
    if (ctx.signal.aborted) throw ctx.signal.reason;
    throw masked(error, bounded, config.secrets);
  }
}

function masked(error: unknown, { signal }: Ctx, secrets: Readonly<Record<string, string>>): FairleadError {
  if (signal.aborted) return new FairleadError('Unavailable', 'it took too long');
  const { code, message } = FairleadError.from(error);
  const text = maskSecrets(message.replace(/^repository host/, 'host'), secrets);
  if (error instanceof DeliveryError) return new DeliveryError(text, error.retryAfterMs);
  return new FairleadError(code === 'Internal' ? 'Unavailable' : code, text);
}
