import type { Ctx } from '#base/std';
import { commitUndo, type PlannedUndo, planUndo, shownRepository, type UndoOrder } from '#control/traffic';
import type { UndoChange, UndoPlan, UndoRequest } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { placeOrRefuse } from '../applications/find.ts';
import { ofRepository, planView, writeProblems } from './planned.ts';
import { findForTraffic, type KnativeDeps, permitFor, trafficDeps } from './traffic-call.ts';

type UndoCall = MethodCall<UndoRequest>;

const orderOf = ({ body, user }: UndoCall): UndoOrder => {
  const { generation = 0, reason = '', ...rest } = body;
  return { ...rest, generation, reason, by: user?.username || 'unknown user' };
};

/** The commit that would restore the template of an earlier Revision. Nothing is written. */
export async function previewUndo(ctx: Ctx, deps: KnativeDeps, call: UndoCall): Promise<UndoPlan> {
  const app = findForTraffic(deps, call, 'commit');
  const placed = { app, destination: placeOrRefuse(deps, app) };
  const planned = await ofRepository(planUndo(ctx, trafficDeps(deps), placed, orderOf(call)));
  const view = viewOf(planned);
  return { ...view, warnings: [...view.warnings, ...writeProblems(deps, call, app, planned)] };
}

/** Restores the template of an earlier Revision by a commit. */
export async function undo(ctx: Ctx, deps: KnativeDeps, call: UndoCall): Promise<UndoChange> {
  const app = findForTraffic(deps, call, 'commit');
  const placed = { app, destination: placeOrRefuse(deps, app) };
  const order = orderOf(call);
  const working = commitUndo(ctx, trafficDeps(deps), placed, { order, permit: permitFor(call) });
  const { plan, commit } = await ofRepository(working);
  if (commit) {
    const message = `${order.by} committed an undo of Service ${plan.found.facts.name}: ${plan.sentence}`;
    await deps.raise?.(ctx, app, { type: 'Normal', reason: 'ResourceUpdated', message });
  }
  return {
    ...viewOf(plan),
    done: commit !== undefined,
    ...(commit && { commit }),
    message: messageOf(plan, commit),
  };
}

function viewOf(plan: PlannedUndo): UndoPlan {
  const { revision, generation, warnings } = plan;
  return { ...planView(plan), revision, generation, warnings };
}

function messageOf({ edit, sentence, revision, found }: PlannedUndo, commit: string | undefined): string {
  if (!edit || !commit)
    return `nothing to do: Git declares the template of ${revision} for Service ${found.facts.name} already`;
  return `committed ${commit.slice(0, 7)} to branch ${edit.branch} of ${shownRepository(edit)}: ${sentence}`;
}
