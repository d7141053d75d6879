import { readProject } from '#base/model';
import { projectProblems, projectWarnings } from '#engine';
import type { Check } from '../../check.ts';
import { project } from '../../kinds.ts';
import { fieldIn } from '../applications/invalid.ts';

export const projectInvalid: Check = {
  id: 'project-invalid',
  title: 'a project cannot be read, or not as its author meant',
  severity: 'error',
  why: 'a project that cannot be read permits nothing, and a rule that matches nothing protects nothing.',
  fix: 'mend the field that the finding names',
  reads: [project],
  *find(object) {
    const read = readProject(object);
    for (const message of read.unreadable ?? []) yield { at: fieldIn(message), message };
    if (read.unreadable) return;
    const problems = projectProblems(read);
    for (const message of problems) yield { at: fieldIn(message), message };
    const more = problems.length > 0 ? [] : projectWarnings(read);
    for (const message of more.filter((one) => !one.startsWith('not supported yet')))
      yield { at: fieldIn(message), message, severity: 'warning' };
  },
};
