import type { JsonObject } from '#base/std';
import type { Check, Flaw, Inventory } from '../../check.ts';
import { knativeService, listAt, textAt, valueAt } from '../../kinds.ts';
import { knativeSettings } from '../../knative-settings.ts';
import { collectionBy, type RevisionCollection } from '../../revision-collection.ts';

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

/** What garbage collection does to a Revision that no live traffic names, by the strictest settings among what was read. */
function strictest(settings: readonly JsonObject[]): RevisionCollection {
  const all = settings.map(collectionBy);
  return all.find(({ isSoon }) => isSoon) ?? all[0] ?? { words: '', kept: 0, isSoon: false };
}
