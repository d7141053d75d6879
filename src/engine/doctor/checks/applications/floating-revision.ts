import type { Check } from '../../check.ts';
import { application, isTemplated, textAt } from '../../kinds.ts';
import { sourcesIn } from './sources.ts';

const range = /[*^~<>|]|\bx\b| - /i;

/** Whether a revision moves without a commit that says so. */
const floats = (revision: string, isChart: boolean): boolean =>
  revision === '' || (isChart ? range.test(revision) : revision === 'HEAD');

export const appFloatingRevision: Check = {
  id: 'app-floating-revision',
  title: 'an Application follows whatever is newest',
  severity: 'warning',
  why: 'HEAD is the default branch of the day, and a range takes the next chart by itself: a change reaches the cluster without a commit that says so.',
  fix: 'name the branch that is the promotion boundary, such as main, or pin a tag, a commit or one version of the chart',
  reads: [application],
  *find(app) {
    for (const { path, source } of sourcesIn(app)) {
      const revision = textAt(source, ['targetRevision']) ?? '';
      const chart = textAt(source, ['chart']);
      if (isTemplated(revision) || !floats(revision, chart !== undefined)) continue;
      const thing = chart === undefined ? 'its repository' : `the chart ${chart}`;
      yield {
        at: [...path, 'targetRevision'],
        message: revision === '' ? `${thing} has no targetRevision` : `${thing} is followed at ${revision}`,
      };
    }
  },
};
