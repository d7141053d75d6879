import { projects } from '#serve/api';
import { one, type RestRoute } from '../../rest/routes.ts';
import { createRoleToken, deleteRoleToken, type ProjectTokenDeps } from './project-tokens.ts';

export const projectRoutes = (deps: ProjectTokenDeps): RestRoute[] => [
  one(projects.createToken, (ctx, call) => createRoleToken(ctx, deps, call)),
  one(projects.deleteToken, (ctx, call) => deleteRoleToken(ctx, deps, call)),
];
