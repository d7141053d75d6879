import type { Application } from '#base/model';
import type { Ctx } from '#base/std';
import {
  clearOverride,
  commitTraffic,
  overrideTraffic,
  type PlannedTraffic,
  planTraffic,
  shownRepository,
  type TrafficOrder,
} from '#control/traffic';
import { printTraffic } from '#engine/traffic';
import type { TrafficChange, TrafficPlan, TrafficRequest } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { placeOrRefuse } from '../applications/find.ts';
import { ofRepository, planView, writeProblems } from './planned.ts';
import { findForTraffic, type KnativeDeps, orderOf, permitFor, trafficDeps } from './traffic-call.ts';

/** The change that a request would make. Nothing is written. */
export async function plan(
  ctx: Ctx,
  deps: KnativeDeps,
  call: MethodCall<TrafficRequest>,
): Promise<TrafficPlan> {
  const order = orderOf(call);
  const app = findForTraffic(deps, call, order.mode);
  const destination = placeOrRefuse(deps, app);
  const planned = await ofRepository(planTraffic(ctx, trafficDeps(deps), { app, destination }, order));
  const view = viewOf(planned, order);
  return { ...view, warnings: [...view.warnings, ...writeProblems(deps, call, app, planned)] };
}

/** Carries a request out: pushes a commit, or records an override and changes the live Service. */
export async function apply(
  ctx: Ctx,
  deps: KnativeDeps,
  call: MethodCall<TrafficRequest>,
): Promise<TrafficChange> {
  const order = orderOf(call);
  const app = findForTraffic(deps, call, order.mode);
  const placed = { app, destination: placeOrRefuse(deps, app) };
  if (order.mode === 'override') {
    const { plan: done } = await ofRepository(overrideTraffic(ctx, trafficDeps(deps), placed, order));
    await record(ctx, deps, { app, order, done });
    return { ...viewOf(done, order), done: true, message: overrideMessage(done) };
  }
  const working = commitTraffic(ctx, trafficDeps(deps), placed, { order, permit: permitFor(call) });
  const { plan: done, commit } = await ofRepository(working);
  if (commit) await record(ctx, deps, { app, order, done });
  return {
    ...viewOf(done, order),
    done: commit !== undefined,
    ...(commit && { commit }),
    message: commitMessage(done, commit),
  };
}

/** Ends an override. */
export async function clear(ctx: Ctx, deps: KnativeDeps, call: MethodCall) {
  const app = findForTraffic(deps, call, 'override');
  const placed = { app, destination: placeOrRefuse(deps, app) };
  const which = {
    service: call.query.get('service') ?? undefined,
    namespace: call.query.get('namespace') ?? undefined,
  };
  const { service, namespace, traffic } = await ofRepository(
    clearOverride(ctx, trafficDeps(deps), placed, which),
  );
  const by = call.user?.username || 'unknown user';
  const message = `${by} cleared the override of Service ${service}: ${printTraffic(traffic)}`;
  await deps.raise?.(ctx, app, { type: 'Normal', reason: 'ResourceUpdated', message });
  return {
    service,
    namespace,
    message: `the override of Service ${service} ended; traffic: ${printTraffic(traffic)}`,
  };
}

type Done = { readonly app: Application; readonly order: TrafficOrder; readonly done: PlannedTraffic };

async function record(ctx: Ctx, deps: KnativeDeps, { app, order, done }: Done): Promise<void> {
  const how = order.mode === 'commit' ? 'committed' : 'overrode live';
  const { resolved, found } = done;
  const message = `${order.by} ${how} the traffic of Service ${found.facts.name}: ${resolved.sentence}`;
  await deps.raise?.(ctx, app, { type: 'Normal', reason: 'ResourceUpdated', message });
}

const overrideMessage = ({ found, resolved }: PlannedTraffic): string =>
  `traffic of Service ${found.facts.name} is overridden: ${printTraffic(resolved.traffic)}; it is recorded until Git declares the same`;

function commitMessage({ edit, found, resolved }: PlannedTraffic, commit: string | undefined): string {
  const { name } = found.facts;
  if (!edit || !commit)
    return `nothing to do: Git declares ${printTraffic(resolved.traffic)} for Service ${name} already`;
  return `committed ${commit.slice(0, 7)} to branch ${edit.branch} of ${shownRepository(edit)}: ${resolved.sentence}`;
}

function viewOf(plan: PlannedTraffic, { mode }: TrafficOrder): TrafficPlan {
  const { resolved, from } = plan;
  return { ...planView(plan), mode, from, to: resolved.traffic, warnings: resolved.warnings };
}
