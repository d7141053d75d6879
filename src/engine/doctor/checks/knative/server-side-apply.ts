import type { Check } from '../../check.ts';
import { application, kindKey, knativeService, textsAt } from '../../kinds.ts';

/** Point 4 of the users' Knative checklist. */
export const knativeServerSideApply: Check = {
  id: 'knative-server-side-apply',
  title: 'Knative Services are applied without field ownership',
  severity: 'note',
  why: 'Knative writes into the same objects. With server-side apply the API server keeps who owns which field, and reports a conflict instead of overwriting.',
  fix: 'add ServerSideApply=true to spec.syncPolicy.syncOptions',
  reads: [application],
  *find(app, inventory) {
    if (!inventory.targetsOf(app).some((target) => kindKey(target) === knativeService)) return;
    if (textsAt(app, ['spec', 'syncPolicy', 'syncOptions']).includes('ServerSideApply=true')) return;
    yield {
      at: ['spec', 'syncPolicy', 'syncOptions'],
      message: `${app.metadata.name} applies Knative Services without ServerSideApply=true`,
    };
  },
};
