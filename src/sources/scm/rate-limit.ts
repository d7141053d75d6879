import type { WebStream } from '#sources/repositories';

/** A host is requested again after this at the latest, whatever it says. */
const longestMs = 3_600_000;
/** For a host that limits requests without naming a time. */
const usualMs = 60_000;

type Limited = Pick<WebStream, 'status' | 'headers'>;

/**
 * When a host that limits requests accepts them again, in milliseconds since 1970; undefined: it does not limit them.
 * GitHub answers 403 or 429, with `x-ratelimit-remaining: 0` or `retry-after`; the others answer 429.
 */
export function retryAt({ status, headers }: Limited, now: Date): number | undefined {
  const isSpent = headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined;
  if (status !== 429 && !(status === 403 && isSpent)) return undefined;
  const named = retryAfter(headers['retry-after'], now) ?? reset(headers, now);
  const until = named ?? now.getTime() + usualMs;
  return Math.min(Math.max(until, now.getTime() + 1_000), now.getTime() + longestMs);
}

/** `retry-after` is in seconds, or a date. */
function retryAfter(text: string | string[] | undefined, now: Date): number | undefined {
  if (typeof text !== 'string') return undefined;
  const until = /^\d+$/.test(text) ? now.getTime() + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(until) ? undefined : until;
}

/** GitHub and Bitbucket, then GitLab: seconds since 1970. */
function reset(headers: Limited['headers'], now: Date): number | undefined {
  const text = headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'];
  if (typeof text !== 'string' || !/^\d+$/.test(text)) return undefined;
  const until = Number(text) * 1000;
  return until > now.getTime() ? until : undefined;
}
