import type { Check } from '../../check.ts';
import { objectAt, textAt, valueAt } from '../../kinds.ts';

const reads = ['external-secrets.io/ExternalSecret', 'external-secrets.io/ClusterExternalSecret'];

export const externalSecretRefresh: Check = {
  id: 'external-secret-refresh',
  title: 'an ExternalSecret is never refreshed',
  severity: 'note',
  why: 'a password that is rotated in the vault never reaches the cluster.',
  fix: 'set spec.refreshInterval, such as 1h',
  reads,
  *find(object) {
    const interval = valueAt(object, ['spec', 'refreshInterval']);
    if (interval !== undefined && !/^0[smh]?$/.test(String(interval))) return;
    yield { at: ['spec', 'refreshInterval'], message: `${object.metadata.name} has no refreshInterval` };
  },
};

export const externalSecretDeletion: Check = {
  id: 'external-secret-deletion',
  title: 'an ExternalSecret deletes the Secret with it',
  severity: 'note',
  why: 'a vault that loses the entry, or an operator that is removed, takes the Secret of running pods along.',
  fix: 'set spec.target.deletionPolicy: Retain',
  reads,
  *find(object) {
    const at = ['spec', 'target', 'deletionPolicy'];
    if (textAt(object, at) === 'Delete')
      yield { at, message: `${object.metadata.name} has deletionPolicy: Delete` };
  },
};

export const sealedSecretScope: Check = {
  id: 'sealed-secret-scope',
  title: 'a SealedSecret can be unsealed anywhere',
  severity: 'note',
  why: 'with the scope cluster-wide, who may create a SealedSecret in any namespace can read the value there.',
  fix: 'seal it with --scope strict',
  reads: ['bitnami.com/SealedSecret'],
  *find(object) {
    const name = 'sealedsecrets.bitnami.com/cluster-wide';
    if (objectAt(object, ['metadata', 'annotations'])[name] === 'true')
      yield {
        at: ['metadata', 'annotations', name],
        message: `${object.metadata.name} has the scope cluster-wide`,
      };
  },
};
