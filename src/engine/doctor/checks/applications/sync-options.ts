import { readSyncOptions } from '#engine';
import type { Check } from '../../check.ts';
import { application, isTemplated, textsAt } from '../../kinds.ts';

const path = ['spec', 'syncPolicy', 'syncOptions'];

/** Options that are dangerous as a habit, and why. */
const risky: Readonly<Record<string, string>> = {
  'Validate=false': 'manifests are not validated before they are applied',
  'Replace=true': 'objects are replaced as a whole, which removes what other controllers wrote',
  'Force=true': 'objects are deleted and recreated when a change is refused',
};

export const appUnknownSyncOption: Check = {
  id: 'app-unknown-sync-option',
  title: 'a sync option does not exist',
  severity: 'error',
  why: 'an option that is not known has no effect, and what it was meant to do does not happen.',
  fix: 'correct the spelling and the value: ServerSideApply=true',
  reads: [application],
  *find(app) {
    const options = textsAt(app, path);
    const { unknown } = readSyncOptions(options.filter((option) => !isTemplated(option)));
    for (const option of unknown)
      yield { at: [...path, options.indexOf(option)], message: `the sync option ${option} is not known` };
  },
};

export const appRiskySyncOption: Check = {
  id: 'app-risky-sync-option',
  title: 'a sync option applies without a net',
  severity: 'warning',
  why: 'what helps once in an emergency is a danger in every sync.',
  fix: 'remove it here; where one object needs it, set it in the annotation argocd.argoproj.io/sync-options of that object',
  reads: [application],
  *find(app) {
    for (const [at, option] of textsAt(app, path).entries()) {
      const why = risky[option];
      if (why !== undefined) yield { at: [...path, at], message: `${option}: ${why}` };
    }
  },
};

export const appCreatesNamespace: Check = {
  id: 'app-creates-namespace',
  title: 'an Application creates its namespace',
  severity: 'note',
  why: 'quotas, network policies and labels of namespaces then have no owner. A platform usually creates namespaces in an application of its own.',
  fix: 'declare the namespace in Git, or set managedNamespaceMetadata so that its labels are declared',
  reads: [application],
  *find(app) {
    const at = textsAt(app, path).indexOf('CreateNamespace=true');
    if (at >= 0) yield { at: [...path, at], message: `${app.metadata.name} creates its namespace` };
  },
};
