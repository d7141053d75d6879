import type { Check } from '../../check.ts';
import { application, isTemplated, textAt } from '../../kinds.ts';

export const appDefaultProject: Check = {
  id: 'app-default-project',
  title: 'an Application is in the project default',
  severity: 'warning',
  why: 'the project default restricts nothing: any repository, any cluster, any namespace, any kind.',
  fix: 'create an AppProject for the team, with its repositories and namespaces, and name it in spec.project',
  reads: [application],
  *find(app) {
    const project = textAt(app, ['spec', 'project']) ?? '';
    if (isTemplated(project) || (project !== '' && project !== 'default')) return;
    yield { at: ['spec', 'project'], message: `${app.metadata.name} is in the project default` };
  },
};
