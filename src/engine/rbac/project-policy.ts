import type { AppProject } from '#base/model';
import { emptyPolicy, joinPolicies, type PolicyRule, parsePolicy, type RbacPolicy } from './policy.ts';

/** The RBAC subject of a project's role. */
export const roleSubject = (project: string, role: string): string => `proj:${project}:${role}`;

/** compat server §5.4: a token of a project role, as opposed to a person. */
export const isRoleSubject = (subject: string): boolean => subject.startsWith('proj:');

/**
 * compat server §5.4, engine P-20: the policy that a project's roles add for checks on the project's own objects.
 */
export function projectPolicy(project: AppProject): RbacPolicy {
  const { name } = project.metadata;
  const roles = project.spec.roles ?? [];
  return roles.length === 0 ? emptyPolicy : joinPolicies(roles.map((role) => rolePolicy(name, role)));
}

type Role = NonNullable<AppProject['spec']['roles']>[number];

/** The groups of a role, as tokens name them. */
export const roleGroups = ({ groups = [] }: Pick<Role, 'groups'>): readonly string[] => groups.map(unquoted);

function rolePolicy(project: string, role: Role): RbacPolicy {
  const { name, policies = [] } = role;
  const subject = roleSubject(project, name);
  const source = `role ${name} of project ${project}`;
  const origin = { source, line: 0 };
  const own: PolicyRule = {
    subject,
    resource: 'projects',
    action: 'get',
    object: project,
    effect: 'allow',
    origin,
  };
  const { rules, grants } = parsePolicy(policies.join('\n'), source);
  const members = roleGroups(role).map((member) => ({ member, role: subject, origin }));
  return { rules: [own, ...rules], grants: [...grants, ...members] };
}

/** compat engine P-21: a group with a comma is written in quotes. */
const unquoted = (group: string): string => /^"(.*)"$/.exec(group)?.[1] ?? group;
