import { randomUUID } from 'node:crypto';
import { type AppProject, type ProjectRole, tokensOf } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { roleGroups, roleSubject } from '#engine';
import { hasReason, type KubeClient } from '#kubernetes/client';
import type { TokenRequest } from '#serve/api';
import type { Auth } from '../../auth/open-auth.ts';
import type { MethodCall } from '../../rest/request.ts';

export type ProjectTokenDeps = {
  readonly kube: Pick<KubeClient, 'get' | 'update'>;
  readonly namespace: string;
  readonly projects: {
    get(namespace: string, name: string): AppProject | undefined;
    put(project: AppProject): void;
  };
  readonly signToken: Auth['signToken'];
};
type JwtToken = ReturnType<typeof tokensOf>[number];

/** compat server §4.2: the token is in this response only; the project keeps its id and times. */
export async function createRoleToken(
  ctx: Ctx,
  deps: ProjectTokenDeps,
  call: MethodCall<TokenRequest>,
): Promise<{ token: string }> {
  const { project, role } = requireRole(deps, call);
  const { expiresIn = 0 } = call.body;
  const id = call.body.id || randomUUID();
  const issued = Math.floor(ctx.clock.now().getTime() / 1000);
  const expires = expiresIn > 0 ? issued + expiresIn : undefined;
  const entry = { iat: issued, id, ...(expires !== undefined && { exp: expires }) };
  await change(ctx, deps, { project, role }, (tokens) => {
    if (tokens.some((one) => one.id === id))
      throw new FairleadError('InvalidSpec', `token id '${id}' has been used: choose another one`);
    return [...tokens, entry];
  });
  ctx.log.info('project role token created', { project, role, id, user: call.user?.username });
  return { token: await deps.signToken({ subject: roleSubject(project, role), id, issued, expires }) };
}

/** By its id, or by its time of issue where it has none. */
export async function deleteRoleToken(
  ctx: Ctx,
  deps: ProjectTokenDeps,
  call: MethodCall,
): Promise<Record<string, never>> {
  const { project, role } = requireRole(deps, call);
  const iat = Number(call.params.iat);
  const id = call.query.get('id');
  const isIt = (one: JwtToken): boolean => (id ? one.id === id : one.iat === iat);
  await change(ctx, deps, { project, role }, (tokens) => {
    const left = tokens.filter((one) => !isIt(one));
    if (left.length === tokens.length)
      throw new FairleadError('NotFound', `role ${role} of project ${project} has no such token`);
    return left;
  });
  ctx.log.info('project role token deleted', { project, role, user: call.user?.username });
  return {};
}

type At = { readonly project: string; readonly role: string };

/**
 * compat server §2.8: who may update the project, or is in a group of the role. A caller that may not gets the same response
 * whether or not the project and the role exist.
 */
function requireRole({ projects, namespace }: ProjectTokenDeps, { params, permissions }: MethodCall): At {
  const { project: name = '', role: roleName = '' } = params;
  const project = projects.get(namespace, name);
  const role = project?.spec.roles?.find((one) => one.name === roleName);
  if (role && isMember(role, permissions.groups)) permissions.waive();
  else permissions.require({ resource: 'projects', action: 'update', object: name });
  if (!project) throw new FairleadError('NotFound', `appprojects.argoproj.io "${name}" not found`);
  if (!role) throw new FairleadError('NotFound', `project ${name} does not have role ${roleName}`);
  return { project: name, role: roleName };
}

const isMember = (role: ProjectRole, groups: readonly string[]): boolean =>
  roleGroups(role).some((group) => groups.includes(group));

/** compat server §4.2: the tokens are in the spec and in the status. Again when another writer was faster. */
async function change(
  ctx: Ctx,
  { kube, namespace, projects }: ProjectTokenDeps,
  { project, role }: At,
  edit: (tokens: readonly JwtToken[]) => readonly JwtToken[],
): Promise<void> {
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', namespace, name: project };
  for (;;) {
    const found = (await kube.get(ctx, ref)) as AppProject;
    const items = [...edit(tokensOf(found, role))];
    const roles = found.spec.roles?.map((one) => (one.name === role ? { ...one, jwtTokens: items } : one));
    const jwtTokensByRole = { ...found.status?.jwtTokensByRole, [role]: { items } };
    try {
      const next = {
        ...found,
        spec: { ...found.spec, ...(roles && { roles }) },
        status: { ...found.status, jwtTokensByRole },
      };
      projects.put((await kube.update(ctx, next)) as AppProject);
      return;
    } catch (error) {
      if (!hasReason(error, 'Conflict')) throw error;
    }
  }
}
