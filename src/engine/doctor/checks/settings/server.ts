import { parseBool } from '#base/model';
import type { Check } from '../../check.ts';
import { dataOf } from './config-map.ts';

export const serverInsecure: Check = {
  id: 'server-insecure',
  title: 'the server is reached without TLS',
  severity: 'warning',
  why: 'passwords and tokens cross the network in clear text, unless something in front of the server ends TLS.',
  fix: 'remove server.insecure and give the server a certificate (docs/guide/tls.md)',
  reads: ['ConfigMap'],
  *find(object) {
    const data = dataOf(object, 'argocd-cmd-params-cm');
    if (data && parseBool(data['server.insecure'] ?? '') === true)
      yield { at: ['data', 'server.insecure'], message: 'argocd-cmd-params-cm disables TLS' };
  },
};

/** Keys that documents put into the wrong ConfigMap, where nothing reads them. */
const misplaced: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'argocd-cmd-params-cm': {
    'timeout.reconciliation': 'argocd-cm',
    'timeout.hard.reconciliation': 'argocd-cm',
    'admin.enabled': 'argocd-cm',
    'resource.exclusions': 'argocd-cm',
    'policy.default': 'argocd-rbac-cm',
  },
  'argocd-cm': {
    'server.insecure': 'argocd-cmd-params-cm',
    'policy.csv': 'argocd-rbac-cm',
    'policy.default': 'argocd-rbac-cm',
    'controller.repo.server.timeout.seconds': 'argocd-cmd-params-cm',
  },
};

export const settingMisplaced: Check = {
  id: 'setting-misplaced',
  title: 'a setting is in the wrong ConfigMap',
  severity: 'error',
  why: 'nothing reads it there, and the default stays in force.',
  fix: 'move it to the ConfigMap that the finding names',
  reads: ['ConfigMap'],
  *find(object) {
    const wrong = misplaced[object.metadata.name] ?? {};
    for (const key of Object.keys(dataOf(object, object.metadata.name) ?? {})) {
      const right = Object.hasOwn(wrong, key) ? wrong[key] : undefined;
      if (right !== undefined)
        yield {
          at: ['data', key],
          message: `${key} has no effect in ${object.metadata.name}; it belongs in ${right}`,
        };
    }
  },
};
