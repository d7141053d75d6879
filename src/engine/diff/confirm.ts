import type { ObjectDiff } from './diff.ts';

/**
 * Whether a predicted difference may be no difference at all: the prediction takes something out of the live object that a
 * webhook or the API server may put back, as they do in lists and maps that server-side apply replaces whole. Only the
 * server can tell, in a dry run.
 */
export function isDoubtful({ modified, confirmed, fields }: ObjectDiff): boolean {
  return modified && !confirmed && fields.some(({ target }) => target === undefined);
}

/**
 * A doubtful prediction in the light of a dry run with everything that webhooks write: what the server would leave in place
 * is no difference.
 */
export function confirm(predicted: ObjectDiff, answered: ObjectDiff): ObjectDiff {
  const isReal = ({ path, target }: ObjectDiff['fields'][number]): boolean =>
    target !== undefined || answered.fields.some((field) => overlaps(field.path, path));
  const fields = predicted.fields.filter(isReal);
  if (fields.length > 0) return { ...answered, modified: true, fields, confirmed: true };
  const { normalizedLive } = predicted;
  return {
    modified: false,
    ...(normalizedLive && { normalizedLive, predictedLive: normalizedLive }),
    fields,
  };
}

const overlaps = (a: string, b: string): boolean =>
  `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
