import { encodeText, printTime, projectName, type WriteAccess, withoutUserInfo } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { type PlannedTraffic, planTraffic, requireExpected } from './plan.ts';
import { refreshApplication } from './refresh.ts';
import type { AppAtDestination, TrafficDeps, TrafficOrder } from './traffic-deps.ts';

/** Attempts to push while others push to the same branch. */
const mostAttempts = 4;

/** Throws PermissionDenied unless the caller may push with these credentials. */
export type Permit = (access: Pick<WriteAccess, 'isShared'>, url: string) => void;

/**
 * Commits the change and pushes it. When the branch has moved, the change is planned again on the new commit: it may be there
 * already, and then nothing is pushed, so that a request which is repeated after a crash does nothing twice.
 */
export async function commitTraffic(
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  { order, permit }: { readonly order: TrafficOrder; readonly permit: Permit },
): Promise<{ readonly plan: PlannedTraffic; readonly commit?: string }> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const plan = await planTraffic(ctx, deps, placed, order);
    requireExpected(plan, order);
    if (!plan.edit) return { plan };
    const { outcome, commit } = await push(ctx, deps, placed, { plan, order, permit });
    if (outcome === 'moved') continue;
    ctx.log.info('traffic committed', {
      app: placed.app.metadata.name,
      service: plan.found.facts.name,
      repository: withoutUserInfo(plan.edit.source.repoURL),
      branch: plan.edit.branch,
      commit,
      user: order.by,
    });
    if (plan.edit.isTracked) await refreshApplication(ctx, deps, placed.app);
    return { plan, commit };
  }
  throw new FairleadError(
    'Unavailable',
    `the branch moved ${mostAttempts} times while the change was pushed: try again`,
  );
}

type Pushing = { readonly plan: PlannedTraffic; readonly order: TrafficOrder; readonly permit: Permit };

async function push(
  ctx: Ctx,
  deps: TrafficDeps,
  { app }: AppAtDestination,
  { plan, order, permit }: Pushing,
) {
  const { edit } = plan;
  if (!edit) throw new Error('a plan without an edit is not pushed');
  const { repoURL } = edit.source;
  const access = writeAccess(deps, repoURL, projectName(app));
  permit(access, repoURL);
  const author = {
    name: order.by,
    email: /^[^\s@]+@[^\s@]+$/.test(order.by) ? order.by : 'fairlead@localhost',
  };
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
