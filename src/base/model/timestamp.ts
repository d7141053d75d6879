/** A moment as Kubernetes writes it: UTC, whole seconds. */
export const printTime = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** Milliseconds since 1970 of an RFC 3339 text; undefined when there is none, or it is none. */
export function parseTime(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)$/i;
