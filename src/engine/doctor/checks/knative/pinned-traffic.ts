import type { Check } from '../../check.ts';
import { knativeService, listAt, textAt, valueAt } from '../../kinds.ts';

export const knativePinnedTraffic: Check = {
  id: 'knative-pinned-traffic',
  title: 'traffic is pinned to a Revision that Git does not declare',
  severity: 'note',
  why: 'such a Revision exists only while the cluster keeps it: Knative collects what no traffic names, and a new cluster cannot create it. The Route then fails with RevisionMissing.',
  fix: 'promote by naming the Revision of the template, and keep the pin to an older one no longer than the comparison takes',
  reads: [knativeService],
  *find(object, inventory) {
    const own = textAt(object, ['spec', 'template', 'metadata', 'name']);
    const known = inventory.revisionsOf(object);
    for (const [at, entry] of listAt(object, ['spec', 'traffic']).entries()) {
      const revision = textAt(entry, ['revisionName']);
      // on an installation that still has it there is nothing to report
      if (revision === undefined || revision === own || known?.includes(revision)) continue;
      yield {
        at: ['spec', 'traffic', at, 'revisionName'],
        ...(known ? goneFrom(revision) : pinned(entry, revision)),
      };
    }
  },
};

const goneFrom = (revision: string) => ({
  message: `traffic names the Revision ${revision}, which the cluster does not have: the Route fails with RevisionMissing`,
  severity: 'error' as const,
});

function pinned(entry: unknown, revision: string): { message: string } {
  const percent = valueAt(entry, ['percent']);
  const share = typeof percent === 'number' ? `${percent} % of the traffic` : 'traffic';
  return { message: `${share} is pinned to ${revision}, which this manifest does not create` };
}
