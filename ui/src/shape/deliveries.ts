import { type HealthCode, parseTime } from '#base/model';
import type { DeliveryView } from '#serve/api';
import type { ObjectName } from './address.ts';
import { counted } from './span.ts';
import { duration } from './time.ts';

/** One notification and what became of it, in words. */
export type DeliveryLine = {
  readonly key: string;
  readonly at: number | undefined;
  readonly place: ObjectName;
  readonly trigger: string;
  /** `slack:deployments`, or the service alone where it has no recipient. */
  readonly destination: string;
  /** The mark beside the outcome. */
  readonly health: HealthCode;
  /** `delivered`, `failed 3 times`, `given up after 12 tries`. */
  readonly outcome: string;
  /** `one message about 7 applications`. */
  readonly together?: string;
  /** Why it failed. */
  readonly cause?: string;
  /** When it is tried again. */
  readonly next?: string;
};

/** The lines of the log, as it comes: the newest first. */
export function deliveryLines(records: readonly DeliveryView[], now: number): DeliveryLine[] {
  return records.map((record, index) => {
    const { at, namespace, application, trigger, together = 0, error } = record;
    const next = nextTry(record, now);
    return {
      key: `${index} ${at} ${application} ${trigger}`,
      at: parseTime(at),
      place: { namespace, name: application },
      trigger,
      destination: recipientText(record),
      health: record.outcome === 'delivered' ? 'Healthy' : 'Degraded',
      outcome: outcomeText(record),
      ...(together > 1 && { together: `one message about ${counted(together, 'application')}` }),
      ...(error && { cause: error }),
      ...(next && { next }),
    };
  });
}

/** A destination as users write it in subscriptions. */
export const recipientText = ({
  service,
  recipient,
}: {
  readonly service: string;
  readonly recipient: string;
}): string => (recipient ? `${service}:${recipient}` : service);

function outcomeText({ outcome, attempts }: DeliveryView): string {
  if (outcome === 'given up') return `given up after ${tries(attempts)}`;
  if (outcome === 'delivered') return attempts > 1 ? `delivered after ${tries(attempts)}` : 'delivered';
  if (attempts === 0) return 'not sent'; // its text could not be made
  return attempts > 1 ? `failed ${attempts} times` : 'failed';
}

const tries = (count: number): string => (count === 1 ? '1 try' : `${count} tries`);

function nextTry({ outcome, nextAt, attempts }: DeliveryView, now: number): string | undefined {
  if (outcome !== 'failed') return undefined;
  const at = parseTime(nextAt);
  if (at === undefined) return attempts === 0 ? 'rendered again when the application changes' : undefined;
  return at > now ? `next try in ${duration(at - now)}` : 'the next try is due';
}

export const isUndelivered = ({ outcome }: DeliveryView): boolean => outcome !== 'delivered';

/** The log in one sentence: `Of the last 12 notifications, 10 were delivered, 1 is tried again and 1 was given up.` */
export function deliverySentence(records: readonly DeliveryView[]): string {
  if (records.length === 0) return 'No notification has been sent yet.';
  const count = (outcome: DeliveryView['outcome']) =>
    records.filter((record) => record.outcome === outcome).length;
  const [failed, lost] = [count('failed'), count('given up')];
  if (failed + lost === 0)
    return records.length === 1
      ? 'The last notification was delivered.'
      : `The last ${records.length} notifications were all delivered.`;
  const parts = [
    `${count('delivered') || 'none'} delivered`,
    failed > 0 ? `${failed} failed and ${failed === 1 ? 'is' : 'are'} tried again` : '',
    lost > 0 ? `${lost} given up` : '',
  ].filter(Boolean);
  return `Of the last ${counted(records.length, 'notification')}: ${parts.join(', ')}.`;
}
