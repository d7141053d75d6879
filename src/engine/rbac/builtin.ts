import { type PolicyRule, parsePolicy, type RbacPolicy, type RoleGrant } from './policy.ts';

const get = 'get';
const all = ['create', 'update', 'delete'];
const changes: Readonly<Record<string, readonly string[]>> = {
  applications: [...all, 'update/*', 'delete/*', 'sync', 'rollback', 'override', 'action/*'],
  applicationsets: all,
  certificates: all,
  clusters: all,
  repositories: all,
  'write-repositories': all,
  projects: all,
  accounts: ['update'],
  gpgkeys: ['create', 'delete'],
  exec: ['create'],
};
const readable = [...Object.keys(changes).filter((resource) => resource !== 'exec'), 'logs'];
const ofProjects = new Set(['applications', 'applicationsets', 'logs', 'exec']);

function rule(role: string, resource: string, action: string): string {
  return `p, role:${role}, ${resource}, ${action}, ${ofProjects.has(resource) ? '*/*' : '*'}, allow`;
}

/** compat server §5.5: what role:readonly and role:admin may. Nothing here grants extensions, as in the peer. */
export const builtinPolicy: RbacPolicy = parsePolicy(
  [
    ...readable.map((resource) => rule('readonly', resource, get)),
    ...Object.entries(changes).flatMap(([resource, actions]) =>
      actions.map((action) => rule('admin', resource, action)),
    ),
    'g, role:admin, role:readonly',
  ].join('\n'),
  'the built-in policy',
);

/**
 * compat server §5.5: the mapping that matches a name alone, and therefore does not apply to every account of
 * that name.
 */
export const adminGrant: RoleGrant = {
  member: 'admin',
  role: 'role:admin',
  origin: { source: 'the built-in policy', line: 0 },
};

export const isBuiltin = ({ origin }: PolicyRule): boolean => origin.source === adminGrant.origin.source;
