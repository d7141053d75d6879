import { encodeText, printTime, projectName, type WriteAccess, withoutUserInfo } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { type PlannedTraffic, planTraffic } from './plan.ts';
import { type PlannedChange, type PlannedEdit, requireExpected } from './planned-edit.ts';
import { refreshApplication } from './refresh.ts';
import type { AppAtDestination, TrafficDeps, TrafficOrder } from './traffic-deps.ts';
import { type PlannedUndo, planUndo, type UndoOrder } from './undo.ts';

/** Attempts to push while others push to the same branch. */
const mostAttempts = 4;

/** Throws PermissionDenied unless the caller may push with these credentials. */
export type Permit = (access: Pick<WriteAccess, 'isShared'>, url: string) => void;

/** A request to commit, and what permits it. */
export type Committing<Order> = { readonly order: Order; readonly permit: Permit };

/** Commits another split of the traffic. */
export const commitTraffic = (
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  { order, permit }: Committing<TrafficOrder>,
): Promise<Committed<PlannedTraffic>> =>
  commitPlan(ctx, deps, placed, { ...order, permit, plan: () => planTraffic(ctx, deps, placed, order) });

/** Commits the template of an earlier Revision. */
export const commitUndo = (
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  { order, permit }: Committing<UndoOrder>,
): Promise<Committed<PlannedUndo>> =>
  commitPlan(ctx, deps, placed, { ...order, permit, plan: () => planUndo(ctx, deps, placed, order) });

type Committed<Plan> = { readonly plan: Plan; readonly commit?: string };

type Planning<Plan> = {
  plan(): Promise<Plan>;
  readonly permit: Permit;
  readonly by: string;
  readonly expect?: string | undefined;
};

/**
 * Commits the change and pushes it. When the branch has moved, the change is planned again on the new commit: it may be there
 * already, and then nothing is pushed, so that a request which is repeated after a crash does nothing twice.
 */
async function commitPlan<Plan extends PlannedChange>(
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  planning: Planning<Plan>,
): Promise<Committed<Plan>> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const plan = await planning.plan();
    requireExpected(plan, planning.expect);
    if (!plan.edit) return { plan };
    const { outcome, commit } = await push(ctx, deps, placed, { ...planning, edit: plan.edit });
    if (outcome === 'moved') continue;
    ctx.log.info('change of a Knative Service committed', {
      app: placed.app.metadata.name,
      service: plan.found.facts.name,
      repository: withoutUserInfo(plan.edit.source.repoURL),
      branch: plan.edit.branch,
      commit,
      user: planning.by,
    });
    if (plan.edit.isTracked) await refreshApplication(ctx, deps, placed.app);
    return { plan, commit };
  }
  throw new FairleadError(
    'Unavailable',
    `the branch moved ${mostAttempts} times while the change was pushed: try again`,
  );
}

type Pushing = { readonly edit: PlannedEdit; readonly by: string; readonly permit: Permit };

async function push(ctx: Ctx, deps: TrafficDeps, { app }: AppAtDestination, { edit, by, permit }: Pushing) {
  const { repoURL } = edit.source;
  const access = writeAccess(deps, repoURL, projectName(app));
  permit(access, repoURL);
  const author = { name: by, email: /^[^\s@]+@[^\s@]+$/.test(by) ? by : 'fairlead@localhost' };
  const change = { path: edit.file, content: encodeText(edit.after), executable: edit.executable };
  const draft = { base: edit.commit, change, message: edit.message, author, date: ctx.clock.now() };
  return deps.sources.push(ctx, edit.repository, { branch: edit.branch, writer: access.repository, draft });
}

/** The declared credentials; a folder of this machine has none. Throws InvalidSpec with the way to declare some. */
export function writeAccess({ writerOf, context }: TrafficDeps, url: string, project: string): WriteAccess {
  const declared = writerOf(url, project);
  if (declared) return declared;
  const known = context.repositoryOf?.(url, project);
  if (/^(file:\/\/|\/)/i.test(url) && known) return { repository: known, isShared: true };
  throw new FairleadError(
    'InvalidSpec',
    `no credentials for pushing to ${withoutUserInfo(url)} are declared: create a Secret with the label argocd.argoproj.io/secret-type: repository-write, its url, project: ${project} and the credentials; those for reading are not used to push`,
  );
}

/** For messages and records. */
export const nowText = ({ clock }: Ctx): string => printTime(clock.now());
