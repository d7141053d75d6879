import { parseDuration } from '#base/model';
import type { JsonObject } from '#base/std';

/** What Knative's garbage collection does to Revisions that no live traffic names. */
export type RevisionCollection = {
  /** The end of a sentence about one of them. */
  readonly words: string;
  /** So many of the newest ones are kept, however old they are. */
  readonly kept: number;
  readonly isSoon: boolean;
  readonly isNever?: true;
};

/** The defaults of Knative, whose words these are. */
const defaults = {
  'retain-since-create-time': '48h',
  'retain-since-last-active-time': '15h',
  'min-non-active-revisions': '20',
  'max-non-active-revisions': '1000',
};
const [leastByDefault, mostByDefault] = [20, 1000];

/** What `config-gc` with this data does to a Revision that no live traffic names. */
export function collectionBy(data: JsonObject): RevisionCollection {
  const text = (key: keyof typeof defaults): string => String(data[key] || defaults[key]);
  const times = [text('retain-since-create-time'), text('retain-since-last-active-time')];
  const least = count(text('min-non-active-revisions')) ?? leastByDefault;
  const most = count(text('max-non-active-revisions'));
  const isTimeless = times.every((time) => !isDuration(time));
  if (isTimeless && most === undefined)
    return {
      words: '; config-gc collects no Revision, but a new cluster cannot create it',
      kept: Number.POSITIVE_INFINITY,
      isSoon: false,
      isNever: true,
    };
  const rules = [
    ...(isTimeless ? [] : [`${within(times)}${unless(least)}`]),
    ...(most === undefined || (most >= mostByDefault && !isTimeless) ? [] : [`at once${unless(most)}`]),
  ];
  return {
    words: `; while no live traffic names it, Knative collects it by config-gc ${rules.join(', and ')}`,
    kept: Math.min(isTimeless ? Number.POSITIVE_INFINITY : least, most ?? Number.POSITIVE_INFINITY),
    isSoon: (!isTimeless && least < leastByDefault) || (most !== undefined && most < leastByDefault),
  };
}

const unless = (newest: number): string => (newest === 0 ? '' : ` unless it is among the newest ${newest}`);

/** `disabled`, and what is no number, limits nothing. */
const count = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

function within(times: readonly string[]): string {
  const [created, active] = times.map((time) => (isDuration(time) ? time : undefined));
  const words = [
    ...(created ? [`${created} after its creation`] : []),
    ...(active ? [`${active} after its last traffic`] : []),
  ];
  return words.join(' and ');
}

function isDuration(text: string): boolean {
  try {
    return parseDuration(text) >= 0;
  } catch {
    return false;
  }
}
