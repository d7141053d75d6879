import { type Ctx, FairleadError } from '#base/std';
import { planPass } from '#engine';
import type { Applications } from '../applications.ts';
import { OperationRecord } from '../sync/operation-record.ts';
import { StatusReport } from './status-report.ts';

/**
 * Reports that an application waits for other passes before it is compared or cleaned up. The next refresh removes the
 * condition.
 */
export async function reportRefreshWaiting(
  ctx: Ctx,
  apps: Pick<Applications, 'get' | 'saveStatus'>,
  key: string,
  why: string,
): Promise<void> {
  const app = apps.get(key);
  if (!app) return;
  const status = new StatusReport(app, ctx.clock.now());
  if (app.metadata.deletionTimestamp) status.deletionFailed(why);
  else status.failed(new FairleadError('Unavailable', why));
  await apps.saveStatus(ctx, app, status.next);
}

/** Reports that a sync waits for other passes before it begins or continues. Its next step replaces the message. */
export async function reportSyncWaiting(
  ctx: Ctx,
  apps: Pick<Applications, 'get' | 'saveOperation'>,
  key: string,
  why: string,
): Promise<void> {
  const app = apps.get(key);
  if (!app?.operation) return;
  const next = planPass(app, app.operation, { now: ctx.clock.now() });
  if (next.do === 'wait' || next.state.phase !== 'Running') return;
  await new OperationRecord(ctx, { apps }, app, next.state).report(why);
}
