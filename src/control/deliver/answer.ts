import { FairleadError } from '#base/std';
import type { ServiceAnswer } from './service.ts';

/** A service that says when to try again. */
export class DeliveryError extends FairleadError {
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super('Unavailable', message);
    this.retryAfterMs = retryAfterMs;
  }
}

const longestQuote = 300;
const longestWaitMs = 3_600_000;

/** Throws when the service did not accept the message: Auth for a refused key, InvalidSpec for a refused message. */
export function requireAccepted(
  answer: ServiceAnswer,
  accepts: (answer: ServiceAnswer) => boolean = is2xx,
): void {
  if (accepts(answer)) return;
  const { status } = answer;
  const message = `it answered ${status}${quoted(answer.text)}`;
  if (status === 429 || status === 503) throw new DeliveryError(message, retryAfterOf(answer));
  if (status === 401 || status === 403) throw new FairleadError('Auth', `${message}; check its key`);
  if (status === 404) throw new FairleadError('NotFound', message);
  if (status >= 300 && status < 400)
    throw new FairleadError(
      'InvalidSpec',
      `it answered ${status}: redirects are not followed; write the final URL`,
    );
  if (status >= 400 && status < 500 && status !== 408) throw new FairleadError('InvalidSpec', message);
  throw new FairleadError('Unavailable', message);
}

export const is2xx = ({ status }: ServiceAnswer): boolean => status >= 200 && status < 300;

function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return '';
  return `: ${line.length > longestQuote ? `${line.slice(0, longestQuote)}…` : line}`;
}

/** Seconds; a date or anything else is left to our own backoff. */
function retryAfterOf({ headers }: ServiceAnswer): number {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, longestWaitMs) : 0;
}
