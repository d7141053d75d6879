import { parsePolicy, type RbacPolicy, rbacWarnings, readRbacConfig } from '#engine';
import type { Check } from '../../check.ts';
import { dataOf } from './config-map.ts';

const configMap = 'argocd-rbac-cm';
const reads = ['ConfigMap'];

export const rbacDefaultRole: Check = {
  id: 'rbac-default-role',
  title: 'every signed-in user gets a role',
  severity: 'warning',
  why: 'policy.default applies to all who can sign in, beside their own roles: role:readonly lets them read every project and its logs, role:admin lets them do everything.',
  fix: "set policy.default: '' and grant role:readonly to a group",
  reads,
  *find(object) {
    const role = dataOf(object, configMap)?.['policy.default'];
    if (!role) return;
    const isAdmin = role === 'role:admin';
    yield {
      at: ['data', 'policy.default'],
      message: `every signed-in user has ${role}`,
      severity: isAdmin ? 'error' : 'note',
    };
  },
};

export const rbacWildcard: Check = {
  id: 'rbac-wildcard',
  title: 'a policy grants everything',
  severity: 'warning',
  why: 'a star as the action on all objects is an administrator under another name.',
  fix: 'name the actions and the project: p, role:dev, applications, sync, team-a/*, allow',
  reads,
  *find(object) {
    for (const [key, text] of Object.entries(dataOf(object, configMap) ?? {})) {
      if (!/^policy\.(?:.+\.)?csv$/.test(key)) continue;
      for (const rule of parsePolicy(text, key).rules.filter(grantsAll))
        yield { at: ['data', key], lineBelow: rule.origin.line, message: grantText(rule) };
    }
  },
};

type PolicyLine = RbacPolicy['rules'][number];

const grantsAll = ({ subject, resource, action, object, effect }: PolicyLine): boolean =>
  effect === 'allow' &&
  subject !== 'role:admin' &&
  (resource === '*' || (action === '*' && (object === '*' || object === '*/*')));

const grantText = ({ subject, resource, action, object }: PolicyLine): string =>
  `${subject} may ${action === '*' ? 'do everything' : action} to ${resource === '*' ? 'everything' : resource} ${object}`;

export const rbacInvalid: Check = {
  id: 'rbac-invalid',
  title: 'a policy cannot be read, or grants nothing',
  severity: 'error',
  why: 'one line that cannot be read refuses the whole policy, and the last valid one stays in force.',
  fix: 'mend the line that the finding names',
  reads,
  *find(object) {
    const data = dataOf(object, configMap);
    if (!data) return;
    const config = readRbacConfig(data);
    for (const { key, line = 0, message } of config.problems)
      yield { at: ['data', key], lineBelow: line, message: `${key}: ${message}` };
    for (const { key, line = 0, message } of rbacWarnings(config))
      yield { at: ['data', key], lineBelow: line, message: `${key}: ${message}`, severity: 'warning' };
  },
};
