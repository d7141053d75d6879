import { parseBool } from '#base/model';
import type { Check } from '../../check.ts';
import { dataOf } from './config-map.ts';

const reads = ['ConfigMap'];
const configMap = 'argocd-cm';

export const adminEnabled: Check = {
  id: 'admin-enabled',
  title: 'the account admin is enabled',
  severity: 'warning',
  why: 'its password is shared, and what it does belongs to no person.',
  fix: 'set admin.enabled: "false" once single sign-on works; enable it again in an emergency',
  reads,
  *find(object) {
    const data = dataOf(object, configMap);
    if (!data || parseBool(data['admin.enabled'] ?? 'true') === false) return;
    yield { at: ['data', 'admin.enabled'], message: 'argocd-cm does not disable the account admin' };
  },
};

export const noSingleSignOn: Check = {
  id: 'no-single-sign-on',
  title: 'there is no single sign-on',
  severity: 'warning',
  why: 'people who leave keep their local accounts, and groups of the company mean nothing here.',
  fix: 'configure oidc.config (docs/guide/single-sign-on.md)',
  reads,
  *find(object) {
    const data = dataOf(object, configMap);
    if (!data || data['oidc.config'] || data['dex.config']) return;
    yield { at: ['data', 'oidc.config'], message: 'argocd-cm names no identity provider' };
  },
};

export const anonymousAccess: Check = {
  id: 'anonymous-access',
  title: 'the server can be used without a login',
  severity: 'error',
  why: 'every visitor gets the role of policy.default.',
  fix: 'set users.anonymous.enabled: "false"',
  reads,
  *find(object) {
    const data = dataOf(object, configMap);
    if (data && parseBool(data['users.anonymous.enabled'] ?? '') === true)
      yield { at: ['data', 'users.anonymous.enabled'], message: 'anonymous access is enabled' };
  },
};

export const localAccount: Check = {
  id: 'local-account',
  title: 'a person signs in with a local account',
  severity: 'note',
  why: 'local passwords have no second factor and no end.',
  fix: 'grant the role to a group of the identity provider; keep local accounts with apiKey for machines',
  reads,
  *find(object) {
    for (const [key, value] of Object.entries(dataOf(object, configMap) ?? {}))
      if (/^accounts\.[^.]+$/.test(key) && value.split(',').some((one) => one.trim() === 'login'))
        yield { at: ['data', key], message: `${key.slice('accounts.'.length)} may sign in with a password` };
  },
};
