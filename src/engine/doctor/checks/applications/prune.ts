import { isObject } from '#base/std';
import type { Check } from '../../check.ts';
import { application, isProduction, listAt, project, textAt, textsAt, valueAt } from '../../kinds.ts';

const path = ['spec', 'syncPolicy', 'automated'];

export const appNoPrune: Check = {
  id: 'app-no-prune',
  title: 'what is removed from Git stays in the cluster',
  severity: 'note',
  why: 'without prune an automated application leaves objects behind that no file declares any more.',
  fix: 'set spec.syncPolicy.automated.prune: true, or prune by hand on purpose',
  reads: [application],
  *find(app) {
    const automated = valueAt(app, path);
    if (!isObject(automated) || automated.enabled === false || automated.prune === true) return;
    yield { at: [...path, 'prune'], message: `${app.metadata.name} syncs by itself and does not prune` };
  },
};

export const appPruneUnguarded: Check = {
  id: 'app-prune-unguarded',
  title: 'production is pruned at any time',
  severity: 'note',
  why: 'a file that is deleted by mistake deletes the live object within minutes, at night as well.',
  fix: 'add a sync window to the project, PruneLast=true, or Prune=confirm on what must not be deleted',
  reads: [application],
  *find(app, inventory) {
    const { name } = app.metadata;
    if (!isProduction(name, textAt(app, ['spec', 'destination', 'namespace']))) return;
    if (valueAt(app, [...path, 'prune']) !== true) return;
    const options = textsAt(app, ['spec', 'syncPolicy', 'syncOptions']);
    if (options.some((option) => /^(?:PruneLast=true|Prune=(?:confirm|false))$/.test(option))) return;
    const own = inventory.all(project).find((one) => one.metadata.name === textAt(app, ['spec', 'project']));
    if (own && listAt(own, ['spec', 'syncWindows']).length > 0) return;
    yield { at: [...path, 'prune'], message: `${name} prunes by itself, without a window or PruneLast=true` };
  },
};

export const appPruneEmpty: Check = {
  id: 'app-prune-empty',
  title: 'an empty source deletes everything',
  severity: 'warning',
  why: 'with prune and allowEmpty, a path that is moved or renders nothing deletes every object of the application.',
  fix: 'remove allowEmpty: true; set it for the one sync that is meant to empty the application',
  reads: [application],
  *find(app) {
    if (valueAt(app, [...path, 'allowEmpty']) !== true || valueAt(app, [...path, 'prune']) !== true) return;
    yield { at: [...path, 'allowEmpty'], message: `${app.metadata.name} may prune all of its objects` };
  },
};
