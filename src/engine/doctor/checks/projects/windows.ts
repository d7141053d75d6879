import type { Check } from '../../check.ts';
import { isProduction, listAt, project } from '../../kinds.ts';

export const projectNoWindows: Check = {
  id: 'project-no-windows',
  title: 'a production project has no sync windows',
  severity: 'note',
  why: 'changes reach production at night and at weekends, when few people are there to see what they do.',
  fix: 'add spec.syncWindows, with manualSync: true for emergencies',
  reads: [project],
  *find(object) {
    if (!isProduction(object.metadata.name) || listAt(object, ['spec', 'syncWindows']).length > 0) return;
    yield { at: ['spec', 'syncWindows'], message: `${object.metadata.name} has no sync windows` };
  },
};
