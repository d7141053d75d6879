import type { AppProject, ProjectRole } from '#base/model';
import { repeated } from '../repeated.ts';
import { roleSubject } from './project-policy.ts';

const roleName = /^[A-Za-z0-9](?:[-_A-Za-z0-9]*[A-Za-z0-9])?$/;
const resources = ['applications', 'applicationsets', 'repositories', 'clusters', 'logs', 'exec'];
const actions = ['get', 'create', 'update', 'delete', 'sync', 'override', 'rollback', '*'];
const actionPath = /^(?:action|update|delete)\/./;

/** compat engine P-20, P-21, server §5.6: everything that keeps a project's roles from being accepted. */
export function roleProblems({ metadata, spec }: AppProject): string[] {
  const roles = spec.roles ?? [];
  return [
    ...repeated(roles.map(({ name }) => name)).map(
      (name) => `spec.roles holds the role ${name} twice; merge the two`,
    ),
    ...roles.flatMap((role) => problemsOf(metadata.name, role).map((why) => `role ${role.name}: ${why}`)),
  ];
}

function problemsOf(project: string, { name, policies = [], groups = [] }: ProjectRole): string[] {
  return [
    ...(roleName.test(name)
      ? []
      : ['the name may hold letters, digits, - and _, and begins and ends with a letter or digit']),
    ...repeated(policies).map((policy) => `the policy "${policy}" is there twice; remove one`),
    ...policies.flatMap((policy) => policyProblems(policy, project, name)),
    ...repeated(groups).map((group) => `the group ${group} is there twice; remove one`),
    ...groups.flatMap(groupProblems),
  ];
}

/** compat server §5.6: six parts, and nothing in them that reaches beyond the project. */
function policyProblems(policy: string, project: string, role: string): string[] {
  const parts = policy.split(',').map((part) => part.trim());
  const [kind, subject = '', resource = '', action = '', object = '', effect = ''] = parts;
  const own = roleSubject(project, role);
  const described = (why: string): string => `the policy "${policy}" ${why}`;
  if (parts.length !== 6 || kind !== 'p') {
    return [described(`must read p, ${own}, <resource>, <action>, ${project}/<application>, allow or deny`)];
  }
  return [
    ...(subject === own ? [] : [described(`is about ${subject}; a role speaks for itself: write ${own}`)]),
    ...(resources.includes(resource)
      ? []
      : [described(`names the resource ${resource}; a project's role may name ${resources.join(', ')}`)]),
    ...(actions.includes(action) || actionPath.test(action)
      ? []
      : [
          described(
            `names the action ${action}; there are ${actions.join(', ')}, action/…, update/… and delete/…`,
          ),
        ]),
    ...(isOwnObject(object, project)
      ? []
      : [
          described(
            `names the object ${object}; write ${project}/<application> or ${project}/<namespace>/<application>`,
          ),
        ]),
    ...(['allow', 'deny'].includes(effect) ? [] : [described(`ends with ${effect}; write allow or deny`)]),
  ];
}

const segment = /^[*\w.-]+$/;

/** compat server §5.6: within the project, by one or two names. An address cannot be written here. */
function isOwnObject(object: string, project: string): boolean {
  if (!object.startsWith(`${project}/`)) return false;
  const segments = object.slice(project.length + 1).split('/');
  return segments.length <= 2 && segments.every((one) => segment.test(one));
}

/** compat engine P-21 */
function groupProblems(group: string): string[] {
  const bare = /^"(.*)"$/s.exec(group)?.[1];
  const inside = bare ?? group;
  const described = (why: string): string[] => [`the group ${JSON.stringify(group)} ${why}`];
  if (inside === '') return described('is empty; name a group of your identity provider');
  if (group !== group.trim()) return described('begins or ends with a space; remove it');
  if (/["\n\r\t]/.test(inside)) return described('holds a quote, a tab or a new line, which no group may');
  if (bare === undefined && group.includes(',')) return described('holds a comma; put it in double quotes');
  return [];
}
