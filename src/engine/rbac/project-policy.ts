import type { AppProject } from '#base/model';
import { emptyPolicy, joinPolicies, type PolicyRule, parsePolicy, type RbacPolicy } from './policy.ts';

/** The name under which a project's role asks for something. */
export const roleSubject = (project: string, role: string): string => `proj:${project}:${role}`;

/** compat server §5.4: a token of a project role, as opposed to a person. */
export const isRoleSubject = (subject: string): boolean => subject.startsWith('proj:');

/** compat server §5.4, P-20: what a project's roles add to the policy while one of its objects is asked about. */
export function projectPolicy(project: AppProject): RbacPolicy {
  const { name } = project.metadata;
  const roles = project.spec.roles ?? [];
  return roles.length === 0 ? emptyPolicy : joinPolicies(roles.map((role) => rolePolicy(name, role)));
}

type Role = NonNullable<AppProject['spec']['roles']>[number];

function rolePolicy(project: string, { name, policies = [], groups = [] }: Role): RbacPolicy {
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
  const members = groups.map((group) => ({ member: unquoted(group), role: subject, origin }));
  return { rules: [own, ...rules], grants: [...grants, ...members] };
}

/** compat P-21: a group with a comma is written in quotes. */
const unquoted = (group: string): string => /^"(.*)"$/.exec(group)?.[1] ?? group;
