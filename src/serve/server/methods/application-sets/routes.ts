import { applicationSets } from '#serve/api';
import { many, one, type RestRoute } from '../../rest/routes.ts';
import type { MethodDeps } from '../deps.ts';
import * as read from './read-sets.ts';
import * as write from './write-sets.ts';

export const applicationSetRoutes = (deps: MethodDeps): RestRoute[] => [
  one(applicationSets.list, (ctx, call) => read.list(ctx, deps, call)),
  one(applicationSets.create, (ctx, call) => write.create(ctx, deps, call)),
  one(applicationSets.generate, (ctx, call) => write.generate(ctx, deps, call)),
  one(applicationSets.preview, (ctx, call) => write.preview(ctx, deps, call)),
  one(applicationSets.get, (ctx, call) => read.get(ctx, deps, call)),
  one(applicationSets.delete, (ctx, call) => write.remove(ctx, deps, call)),
  one(applicationSets.tree, (ctx, call) => read.tree(ctx, deps, call)),
  one(applicationSets.events, (ctx, call) => read.events(ctx, deps, call)),
  many(applicationSets.watch, (ctx, call) => read.watch(ctx, deps, call)),
];
