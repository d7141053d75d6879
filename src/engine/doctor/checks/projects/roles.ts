import { isObject } from '#base/std';
import { parsePolicy } from '#engine';
import type { Check } from '../../check.ts';
import { listAt, project, textsAt } from '../../kinds.ts';

export const projectRoleWildcard: Check = {
  id: 'project-role-wildcard',
  title: 'a role of a project may do everything',
  severity: 'warning',
  why: 'a star includes deleting, overriding what is deployed and opening a shell. The ability to sync is already the power to deploy.',
  fix: 'name the actions: get, sync, action/*',
  reads: [project],
  *find(object) {
    for (const [i, role] of listAt(object, ['spec', 'roles']).entries()) {
      for (const [at, line] of textsAt(role, ['policies']).entries()) {
        const [rule] = parsePolicy(line).rules;
        if (rule?.effect === 'allow' && rule.action === '*')
          yield {
            at: ['spec', 'roles', i, 'policies', at],
            message: `${rule.subject} may do everything to ${rule.resource} ${rule.object}`,
          };
      }
    }
  },
};

export const projectTokenForever: Check = {
  id: 'project-token-forever',
  title: 'a token of a project never expires',
  severity: 'warning',
  why: 'a token that leaks from a pipeline works until a person notices.',
  fix: 'delete it and create one with --expires-in',
  reads: [project],
  *find(object) {
    for (const [i, role] of listAt(object, ['spec', 'roles']).entries()) {
      for (const [at, token] of listAt(role, ['jwtTokens']).entries())
        if (isObject(token) && !token.exp)
          yield {
            at: ['spec', 'roles', i, 'jwtTokens', at],
            message: `a token of the role ${isObject(role) ? String(role.name) : ''} has no end`,
          };
    }
  },
};
