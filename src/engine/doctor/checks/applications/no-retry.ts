import type { Check } from '../../check.ts';
import { application, valueAt } from '../../kinds.ts';

export const appNoRetry: Check = {
  id: 'app-no-retry',
  title: 'a failed sync is not repeated',
  severity: 'note',
  why: 'a webhook that is slow for a minute leaves the application failed until the next commit.',
  fix: 'set spec.syncPolicy.retry with a limit and a backoff',
  reads: [application],
  *find(app) {
    if (valueAt(app, ['spec', 'syncPolicy', 'automated']) === undefined) return;
    const limit = valueAt(app, ['spec', 'syncPolicy', 'retry', 'limit']);
    if (limit === undefined || limit === 0)
      yield { at: ['spec', 'syncPolicy', 'retry'], message: `${app.metadata.name} has no retry` };
  },
};
