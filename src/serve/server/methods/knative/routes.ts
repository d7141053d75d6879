import { knative } from '#serve/api';
import { one, type RestRoute } from '../../rest/routes.ts';
import * as change from './change.ts';
import { show } from './show.ts';
import type { KnativeDeps } from './traffic-call.ts';
import { previewUndo, undo } from './undo.ts';

export const knativeRoutes = (deps: KnativeDeps): RestRoute[] => [
  one(knative.show, (ctx, call) => show(ctx, deps, call)),
  one(knative.plan, (ctx, call) => change.plan(ctx, deps, call)),
  one(knative.apply, (ctx, call) => change.apply(ctx, deps, call)),
  one(knative.clear, (ctx, call) => change.clear(ctx, deps, call)),
  one(knative.planUndo, (ctx, call) => previewUndo(ctx, deps, call)),
  one(knative.undo, (ctx, call) => undo(ctx, deps, call)),
];
