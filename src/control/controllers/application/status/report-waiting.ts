import { type Ctx, FairleadError } from '#base/std';
import { turn } from '#engine';
import type { Applications } from '../applications.ts';
import { OperationRecord } from '../sync/operation-record.ts';
import { StatusReport } from './status-report.ts';

/** An application cannot be compared, or cleaned up, before others are through. The next look takes it back. */
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

/** A sync cannot begin, or go on, before others are through. Its next step has the next word. */
export async function reportSyncWaiting(
  ctx: Ctx,
  apps: Pick<Applications, 'get' | 'saveOperation'>,
  key: string,
  why: string,
): Promise<void> {
  const app = apps.get(key);
  if (!app?.operation) return;
  const next = turn(app, app.operation, { now: ctx.clock.now() });
  if (next.do === 'wait' || next.state.phase !== 'Running') return;
  await new OperationRecord(ctx, { apps }, app, next.state).tell(why);
}
