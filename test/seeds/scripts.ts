import type { Health, KubeObject, Settings } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import type { Scripts } from '#control/scripts';
import { health } from '#engine';

export const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

/** The health of an object where these settings hold, their scripts run as in production. */
export async function judged(
  scripts: Scripts,
  object: KubeObject,
  { resources }: Settings,
): Promise<Health | undefined> {
  return health(object, { scripted: await scripts.judge(ctx, [object], resources.overrides) });
}

/** `Healthy: it is fine` */
export const spelled = (found: Health | undefined): string =>
  found ? [found.status, found.message].filter(Boolean).join(': ') : 'none';
