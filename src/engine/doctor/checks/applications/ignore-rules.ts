import type { Check } from '../../check.ts';
import { application, listAt, textAt, textsAt } from '../../kinds.ts';

const broad = (text: string): boolean =>
  /^(?:\/(?:spec|metadata|data|metadata\/(?:labels|annotations))?|\.|\.(?:spec|metadata|data|metadata\.(?:labels|annotations)))$/.test(
    text.trim(),
  );

export const appBroadIgnore: Check = {
  id: 'app-broad-ignore',
  title: 'an ignore rule hides more than one field',
  severity: 'warning',
  why: 'drift that matters, a changed image or a removed policy, is hidden together with the noise.',
  fix: 'name the group, the kind and the one field that another controller owns, such as /spec/replicas',
  reads: [application],
  *find(app) {
    for (const [i, rule] of listAt(app, ['spec', 'ignoreDifferences']).entries()) {
      const above = ['spec', 'ignoreDifferences', i];
      if (textAt(rule, ['kind']) === '*')
        yield { at: [...above, 'kind'], message: 'an ignore rule is about every kind' };
      for (const list of ['jsonPointers', 'jqPathExpressions'])
        for (const [at, text] of textsAt(rule, [list]).entries())
          if (broad(text))
            yield {
              at: [...above, list, at],
              message: `${JSON.stringify(text)} leaves a whole part of ${textAt(rule, ['kind'])} out`,
            };
    }
  },
};

/** Point 3 of the users' Knative checklist. */
export const appIgnoreNotRespected: Check = {
  id: 'app-ignore-not-respected',
  title: 'an ignored field is still overwritten by a sync',
  severity: 'note',
  why: 'ignoreDifferences is about comparing. Without RespectIgnoreDifferences=true the next sync, for whatever reason, applies the value of Git over the one that another controller owns.',
  fix: 'add RespectIgnoreDifferences=true to spec.syncPolicy.syncOptions, or remove the field from Git',
  reads: [application],
  *find(app) {
    if (listAt(app, ['spec', 'ignoreDifferences']).length === 0) return;
    if (textsAt(app, ['spec', 'syncPolicy', 'syncOptions']).includes('RespectIgnoreDifferences=true')) return;
    yield {
      at: ['spec', 'ignoreDifferences'],
      message: `${app.metadata.name} ignores fields without RespectIgnoreDifferences=true`,
    };
  },
};
