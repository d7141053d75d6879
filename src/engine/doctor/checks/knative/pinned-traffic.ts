import { parseDuration } from '#base/model';
import type { JsonObject } from '#base/std';
import type { Check, Flaw, Inventory } from '../../check.ts';
import { knativeService, listAt, textAt, valueAt } from '../../kinds.ts';
import { knativeSettings } from '../../knative-settings.ts';

export const knativePinnedTraffic: Check = {
  id: 'knative-pinned-traffic',
  title: 'traffic is pinned to a Revision that Git does not declare',
  severity: 'warning',
  why: 'such a Revision exists only while the cluster keeps it: Knative collects what no traffic names, and a new cluster cannot create it. The Route then fails with RevisionMissing.',
  fix: 'promote by naming the Revision of the template, and keep the pin to an older one no longer than the comparison takes',
  reads: [knativeService],
  onApplication: 'knative',
  *find(object, inventory) {
    const own = textAt(object, ['spec', 'template', 'metadata', 'name']);
    const known = inventory.revisionsOf(object);
    for (const [at, entry] of listAt(object, ['spec', 'traffic']).entries()) {
      const revision = textAt(entry, ['revisionName']);
      // on an installation that still has it there is nothing to report
      if (revision === undefined || revision === own || known?.includes(revision)) continue;
      yield {
        at: ['spec', 'traffic', at, 'revisionName'],
        ...(known ? goneFrom(revision) : pinned(entry, revision, inventory)),
      };
    }
  },
};

const goneFrom = (revision: string) => ({
  message: `traffic names the Revision ${revision}, which the cluster does not have: the Route fails with RevisionMissing`,
  severity: 'error' as const,
});

function pinned(entry: unknown, revision: string, inventory: Inventory): Omit<Flaw, 'at'> {
  const percent = valueAt(entry, ['percent']);
  const share = typeof percent === 'number' ? `${percent} % of the traffic` : 'traffic';
  const { words, isNever } = strictest(knativeSettings(inventory, 'config-gc'));
  return {
    message: `${share} is pinned to ${revision}, which this manifest does not create${words}`,
    ...(isNever && { severity: 'note' }),
  };
}

type Collection = { readonly words: string; readonly isSoon: boolean; readonly isNever?: true };

/** What garbage collection does to a Revision that no live traffic names, by the strictest settings among what was read. */
function strictest(settings: readonly JsonObject[]): Collection {
  const all = settings.map(collectionBy);
  return all.find(({ isSoon }) => isSoon) ?? all[0] ?? { words: '', isSoon: false };
}

/** The defaults of Knative, whose words these are. */
const defaults = {
  'retain-since-create-time': '48h',
  'retain-since-last-active-time': '15h',
  'min-non-active-revisions': '20',
  'max-non-active-revisions': '1000',
};
const [leastByDefault, mostByDefault] = [20, 1000];

function collectionBy(data: JsonObject): Collection {
  const text = (key: keyof typeof defaults): string => String(data[key] || defaults[key]);
  const times = [text('retain-since-create-time'), text('retain-since-last-active-time')];
  const least = count(text('min-non-active-revisions')) ?? leastByDefault;
  const most = count(text('max-non-active-revisions'));
  const isTimeless = times.every((time) => !isDuration(time));
  if (isTimeless && most === undefined)
    return {
      words: '; config-gc collects no Revision, but a new cluster cannot create it',
      isSoon: false,
      isNever: true,
    };
  const rules = [
    ...(isTimeless ? [] : [`${within(times)}${unless(least)}`]),
    ...(most === undefined || (most >= mostByDefault && !isTimeless) ? [] : [`at once${unless(most)}`]),
  ];
  return {
    words: `; while no live traffic names it, Knative collects it by config-gc ${rules.join(', and ')}`,
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
