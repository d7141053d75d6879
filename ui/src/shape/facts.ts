import { type Application, effectiveSources, isAutomated, parseTime } from '#base/model';
import { clusterOf, namespaceOf } from './application-filter.ts';
import { placeInRepo, repoName } from './revision.ts';
import { ago } from './time.ts';

/** One of the facts under the sentence: a label, a value and its details. */
export type AppFact = {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
  readonly url?: string;
};

export function sourceFact({ spec, status }: Application): AppFact {
  const [first, ...others] = effectiveSources(spec);
  if (!first) return { label: 'Source', value: 'none' };
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  const type = status?.sourceType ?? status?.sourceTypes?.join(', ');
  return {
    label: 'Source',
    value: repoName(first.repoURL),
    note: `${placeInRepo(first)} at ${first.targetRevision || 'HEAD'}${more}${type ? ` · ${type}` : ''}`,
    ...(/^https:\/\//.test(first.repoURL) && { url: `https://${repoName(first.repoURL)}` }),
  };
}

export const destinationFact = (app: Application): AppFact => ({
  label: 'Destination',
  value: clusterOf(app),
  note: `namespace ${namespaceOf(app)}`,
});

export function policyFact({ spec }: Application): AppFact {
  if (!isAutomated(spec)) return { label: 'Policy', value: 'Manual sync', note: 'nothing happens by itself' };
  const { prune, selfHeal } = spec.syncPolicy?.automated ?? {};
  return {
    label: 'Policy',
    value: 'Auto-sync',
    note: [prune ? 'prune' : 'no prune', selfHeal ? 'self-heal' : 'no self-heal'].join(', '),
  };
}

export function checkedFact({ status }: Application, now: number): AppFact {
  const then = parseTime(status?.reconciledAt);
  return { label: 'Compared', value: then === undefined ? 'not yet' : ago(then, now) };
}
