import { annotation, optionValue, syncOptionsOf } from '#base/model';
import type { Check } from '../../check.ts';
import { application, listAt, project, textAt, textsAt } from '../../kinds.ts';
import { sourcesIn } from './sources.ts';

/** compat engine X-50. */
export const appLiteralVariable: Check = {
  id: 'app-literal-variable',
  title: 'a variable in an image is never replaced',
  severity: 'error',
  why: 'nothing substitutes variables in the spec of an Application: the image has that very name, and no registry has it.',
  fix: 'write the tag itself; let the pipeline commit it',
  reads: [application],
  *find(app) {
    for (const { path, source } of sourcesIn(app))
      for (const [at, image] of textsAt(source, ['kustomize', 'images']).entries())
        if (/\$\{?\w/.test(image))
          yield {
            at: [...path, 'kustomize', 'images', at],
            message: `the image ${image} is taken literally`,
          };
  },
};

/** compat engine X-22. */
export const appOverrideMyth: Check = {
  id: 'app-override-myth',
  title: 'an annotation is expected to open a sync window',
  severity: 'warning',
  why: 'RespectIgnoreDifferences=true in the annotation of an Application opens no window; on an Application it is not even read. In an emergency it will not help.',
  fix: 'set manualSync: true on the window, or the annotation fairlead.io/sync-window-override to a time',
  reads: [application],
  *find(app, inventory) {
    const own = textAt(app, ['spec', 'project']);
    const windows = inventory.all(project).find(({ metadata }) => metadata.name === own);
    if (!windows || listAt(windows, ['spec', 'syncWindows']).length === 0) return;
    if (textAt(app, ['metadata', 'annotations', annotation.syncOptions]) === undefined) return;
    if (optionValue(syncOptionsOf(app), 'RespectIgnoreDifferences') !== 'true') return;
    yield {
      at: ['metadata', 'annotations', annotation.syncOptions],
      message: `the annotation on ${app.metadata.name} opens no sync window`,
    };
  },
};
