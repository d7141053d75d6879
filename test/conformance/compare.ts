import { isObject } from '#base/std';
import { isWithin, join } from './pointer.ts';

/** A place at which two answers differ; what one of them lacks is undefined there. */
export type Difference = { readonly path: string; readonly real: unknown; readonly ours: unknown };

/** Every place, as deep as possible, at which two values differ. The order of fields is none. */
export function differences(real: unknown, ours: unknown, path = ''): Difference[] {
  if (Array.isArray(real) && Array.isArray(ours)) {
    const length = Math.max(real.length, ours.length);
    return Array.from({ length }, (_, at) => differences(real[at], ours[at], join(path, at))).flat();
  }
  if (isObject(real) && isObject(ours)) {
    const keys = new Set([...Object.keys(real), ...Object.keys(ours)]);
    return [...keys].flatMap((key) => differences(real[key], ours[key], join(path, key)));
  }
  return Object.is(real, ours) ? [] : [{ path, real, ours }];
}

/**
 * An answer whose complaints stand in an order of their own. A real server walks some maps as Go does, in another order
 * each time, so its own answer of another day differs; ours never does, and is compared as it stands.
 */
export function inAnyOrder(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => inAnyOrder(item));
    return name.endsWith('causes') ? items.toSorted((a, b) => (shown(a) < shown(b) ? -1 : 1)) : items;
  }
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inAnyOrder(item, key)]));
  if (typeof value !== 'string' || !name.endsWith('message')) return value;
  const [, what = '', complaints = ''] =
    /^(.* is invalid: )?(.*)$/s.exec(value.replaceAll(/[[\]]/g, '')) ?? [];
  return what + complaints.split(', ').sort().join(', ');
}

/** Whether `part` is in `whole`: each field of it, and each item of it somewhere in order. */
export function contains(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part)) {
    if (!Array.isArray(whole)) return false;
    let from = 0;
    return part.every((item) => {
      const at = whole.findIndex((candidate, index) => index >= from && contains(candidate, item));
      from = at + 1;
      return at >= 0;
    });
  }
  if (isObject(part))
    return isObject(whole) && Object.keys(part).every((key) => contains(whole[key], part[key]));
  return Object.is(whole, part);
}

export type KnownDifference = {
  readonly case: string;
  /** Counted from 1. */
  readonly step: number;
  /** Where in the answer (`/code`, `/body/…`); everything below is meant too. */
  readonly path: string;
  readonly reason: string;
};

/** What to complain about: differences nobody listed, and listed ones that are gone. */
export function judge(
  found: readonly (Difference & { step: number })[],
  known: readonly KnownDifference[],
): string[] {
  const explains = (one: KnownDifference, { step, path }: { step: number; path: string }) =>
    one.step === step && isWithin(path, one.path);
  const unlisted = found.filter((difference) => !known.some((one) => explains(one, difference)));
  const gone = known.filter((one) => !found.some((difference) => explains(one, difference)));
  return [
    ...unlisted.map(
      ({ step, path, real, ours }) => `step ${step} ${path}: real ${shown(real)}, here ${shown(ours)}`,
    ),
    ...gone.map(({ step, path }) => `step ${step} ${path}: listed as a known difference, but there is none`),
  ];
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? String(item) : item));
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
