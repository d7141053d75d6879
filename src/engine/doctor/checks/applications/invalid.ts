import { argoApiVersion, readApplication } from '#base/model';
import { admissionProblems } from '#engine';
import type { Check, FieldPath } from '../../check.ts';
import { application, applicationSet, project, textAt } from '../../kinds.ts';

/** `spec.sources[0].path` at the beginning of a sentence, as a path. */
export function fieldIn(message: string): FieldPath {
  const text = /^spec[\w.[\]]*/.exec(message)?.[0] ?? 'spec';
  return text
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

export const appInvalid: Check = {
  id: 'app-invalid',
  title: 'an Application has a field that does not exist',
  severity: 'error',
  why: 'Fairlead refuses it. Argo CD drops such a field without a word, and the application does not do what its file says.',
  fix: 'mend the field that the finding names',
  reads: [application],
  *find(app) {
    const { unreadable = [] } = readApplication(app);
    for (const message of [...unreadable, ...admissionProblems({ spec: app.spec })])
      yield { at: fieldIn(message), message };
  },
};

/** compat engine X-21: a group that does not exist and stands in many tutorials. */
export const argoGroupMisspelt: Check = {
  id: 'argo-group-misspelt',
  title: 'the API group of an Argo CD object does not exist',
  severity: 'error',
  why: 'the API server refuses the object: the group is argoproj.io.',
  fix: `write apiVersion: ${argoApiVersion}`,
  reads: [application, applicationSet, project].flatMap((kind) =>
    ['argocd.io', 'argocd.argoproj.io', 'argo.io'].map((group) => kind.replace('argoproj.io', group)),
  ),
  *find(object) {
    yield {
      at: ['apiVersion'],
      message: `${object.kind} ${object.metadata.name} has the apiVersion ${textAt(object, ['apiVersion'])}`,
      mend: { path: ['apiVersion'], value: argoApiVersion },
    };
  },
};
