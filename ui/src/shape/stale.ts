import { clockTime, duration } from './time.ts';

/** A connection that was lost, and why if that is known. */
export type Loss = { readonly since: number; readonly error?: string | undefined };

const graceMs = 2000; // a stream that ends is opened again within a second; that is no news

/** That what is shown is old, since when, and what happens about it; empty: it is fresh enough. */
export function staleWords({ since, error }: Loss, now: number, zone?: string): string {
  const lost = now - since;
  if (lost < graceMs) return '';
  const why = error ? `: ${error}` : '';
  return `This page shows the state of ${clockTime(since, now, zone)}, ${duration(lost)} ago. The connection to the server is lost${why}. It is tried again by itself.`;
}
