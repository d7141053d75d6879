import type { Check } from '../../check.ts';
import { application, listAt, textAt, textsAt } from '../../kinds.ts';

const quiet: ReadonlySet<string> = new Set([
  '/status',
  '/metadata/annotations/serving.knative.dev~1creator',
  '/metadata/annotations/serving.knative.dev~1lastModifier',
]);

/** Point 2 of the users' Knative checklist, which Fairlead makes unnecessary. */
export const knativeRedundantIgnores: Check = {
  id: 'knative-redundant-ignores',
  title: 'an ignore rule names fields that Knative owns',
  severity: 'note',
  why: 'Fairlead never counts them as differences: status, creator and lastModifier are quiet, and so is traffic that Git does not declare. The rule does nothing, and hides what it does from the next reader.',
  fix: 'remove the pointers, unless Argo CD reads the same file',
  reads: [application],
  *find(app) {
    for (const [i, rule] of listAt(app, ['spec', 'ignoreDifferences']).entries()) {
      if (textAt(rule, ['group']) !== 'serving.knative.dev') continue;
      const idle = textsAt(rule, ['jsonPointers']).filter((pointer) => quiet.has(pointer));
      if (idle.length > 0)
        yield {
          at: ['spec', 'ignoreDifferences', i, 'jsonPointers'],
          message: `${idle.join(' and ')} never differ${idle.length === 1 ? 's' : ''} here`,
        };
    }
  },
};
