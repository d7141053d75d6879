import { clusters } from '#serve/api';
import { one, type RestRoute } from '../../rest/routes.ts';
import type { ClusterDeps } from './cluster-deps.ts';
import * as method from './clusters.ts';
import { rotate } from './rotate-token.ts';

export const clusterRoutes = (deps: ClusterDeps): RestRoute[] => [
  one(clusters.list, (ctx, call) => method.list(ctx, deps, call)),
  one(clusters.create, (ctx, call) => method.create(ctx, deps, call)),
  one(clusters.get, (ctx, call) => method.get(ctx, deps, call)),
  one(clusters.update, (ctx, call) => method.update(ctx, deps, call)),
  one(clusters.delete, (ctx, call) => method.remove(ctx, deps, call)),
  one(clusters.rotate, (ctx, call) => rotate(ctx, deps, call)),
  one(clusters.invalidate, (ctx, call) => method.invalidate(ctx, deps, call)),
];
