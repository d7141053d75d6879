import type { ObjectDiff } from './diff.ts';

/**
 * Whether a predicted difference may be no difference at all: the prediction removes something from the live
 * object that a webhook or the API server may put back, as they do in lists and maps that server-side apply
 * replaces whole. Only a server-side dry run can decide.
 */
export function isDoubtful({ modified, confirmed, fields }: ObjectDiff): boolean {
  return modified && !confirmed && fields.some(({ target }) => target === undefined);
}

/**
 * A doubtful prediction corrected by a dry run that includes the changes of webhooks: a field that the API
 * server would leave in place is no difference.
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
