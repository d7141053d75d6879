import { isObject, parseJson } from '#base/std';
import type { Check } from '../../check.ts';
import { listAt, textAt, textsAt, valueAt } from '../../kinds.ts';

export const clusterAdminBinding: Check = {
  id: 'cluster-admin-binding',
  title: 'a service account is cluster-admin',
  severity: 'warning',
  why: 'what controls the account controls the cluster, Secrets of all teams included.',
  fix: 'bind a ClusterRole with the kinds and verbs that are needed',
  reads: ['rbac.authorization.k8s.io/ClusterRoleBinding'],
  *find(object) {
    if (textAt(object, ['roleRef', 'name']) !== 'cluster-admin') return;
    const accounts = listAt(object, ['subjects']).filter((one) => textAt(one, ['kind']) === 'ServiceAccount');
    const [first] = accounts.map((one) => textAt(one, ['name']));
    if (first !== undefined)
      yield { at: ['roleRef', 'name'], message: `${object.metadata.name} makes ${first} cluster-admin` };
  },
};

export const clusterRoleWildcard: Check = {
  id: 'cluster-role-wildcard',
  title: 'a ClusterRole may do everything',
  severity: 'warning',
  why: 'all verbs on all resources of all groups is cluster-admin under another name.',
  fix: 'name the groups, resources and verbs',
  reads: ['rbac.authorization.k8s.io/ClusterRole'],
  *find(object) {
    for (const [at, rule] of listAt(object, ['rules']).entries())
      if (['apiGroups', 'resources', 'verbs'].every((field) => textsAt(rule, [field]).includes('*')))
        yield { at: ['rules', at], message: `${object.metadata.name} permits every verb on everything` };
  },
};

function insecureIn(config: unknown): boolean {
  if (typeof config !== 'string') return false;
  try {
    const value = parseJson(config);
    return isObject(value) && valueAt(value, ['tlsClientConfig', 'insecure']) === true;
  } catch {
    return false;
  }
}

export const clusterInsecure: Check = {
  id: 'cluster-insecure',
  title: 'a cluster is reached without verifying its certificate',
  severity: 'warning',
  why: 'anything on the way can pose as the cluster and take the credentials.',
  fix: 'set tlsClientConfig.caData, and remove insecure: true',
  reads: ['Secret'],
  *find(object) {
    if (textAt(object, ['metadata', 'labels', 'argocd.argoproj.io/secret-type']) !== 'cluster') return;
    const at = ['stringData', 'config'];
    if (insecureIn(valueAt(object, at)))
      yield { at, message: `${object.metadata.name} does not verify the certificate` };
  },
};
