import type { Application, ApplicationSet } from '#base/model';
import type { Ctx } from '#base/std';
import type { ApplicationEvent } from '#engine';
import type { SessionUser } from '../auth/tokens.ts';
import type { MethodDeps } from './deps.ts';

type Done = {
  readonly about: Application | ApplicationSet;
  readonly reason: ApplicationEvent['reason'];
  /** What the user did: `created application`. */
  readonly done: string;
};

/** compat server §7.4: an Event with the user. Never throws. */
export async function raiseFor(
  ctx: Ctx,
  { raise }: Pick<MethodDeps, 'raise'>,
  user: SessionUser | undefined,
  { about, reason, done }: Done,
): Promise<void> {
  const message = `${user?.username || 'Unknown user'} ${done}`;
  await raise?.(ctx, about, { type: 'Normal', reason, message });
}
