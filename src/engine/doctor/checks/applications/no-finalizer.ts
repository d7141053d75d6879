import { finalizer } from '#base/model';
import type { Check } from '../../check.ts';
import { application, textsAt } from '../../kinds.ts';

export const appNoFinalizer: Check = {
  id: 'app-no-finalizer',
  title: 'deleting an Application leaves its objects',
  severity: 'note',
  why: 'without the finalizer the objects stay in the cluster with no owner when the Application is deleted; with it they are deleted too. Either may be meant: know which.',
  fix: 'add the finalizer resources-finalizer.argocd.argoproj.io, or leave it out on purpose with an ignore comment',
  reads: [application],
  *find(app) {
    const own = textsAt(app, ['metadata', 'finalizers']);
    if (own.some((name) => name.startsWith(finalizer.resources))) return;
    yield { at: ['metadata', 'finalizers'], message: `${app.metadata.name} has no resources finalizer` };
  },
};
