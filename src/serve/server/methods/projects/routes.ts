import { projects } from '#serve/api';
import { one, type RestRoute } from '../../rest/routes.ts';
import { createRoleToken, deleteRoleToken, type ProjectTokenDeps } from './project-tokens.ts';
import * as read from './read-projects.ts';
import * as write from './write-projects.ts';

export const projectRoutes = (deps: read.ProjectDeps & ProjectTokenDeps): RestRoute[] => [
  one(projects.list, (ctx, call) => read.list(ctx, deps, call)),
  one(projects.create, (ctx, call) => write.create(ctx, deps, call)),
  one(projects.get, (ctx, call) => read.get(ctx, deps, call)),
  one(projects.update, (ctx, call) => write.update(ctx, deps, call)),
  one(projects.delete, (ctx, call) => write.remove(ctx, deps, call)),
  one(projects.detailed, (ctx, call) => read.detailed(ctx, deps, call)),
  one(projects.globals, (ctx, call) => read.globals(ctx, deps, call)),
  one(projects.events, (ctx, call) => read.events(ctx, deps, call)),
  one(projects.links, (ctx, call) => read.links(ctx, deps, call)),
  one(projects.windows, (ctx, call) => read.windows(ctx, deps, call)),
  one(projects.createToken, (ctx, call) => createRoleToken(ctx, deps, call)),
  one(projects.deleteToken, (ctx, call) => deleteRoleToken(ctx, deps, call)),
];
