import { type Application, parseTime } from '#base/model';
import type { Ctx } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import { heldElsewhere } from '#engine';
import { keyOfApp } from '../applications.ts';

type Options = {
  readonly world: Pick<ComparisonDeps, 'namespace' | 'settings'>;
  /** The operator said that the other controller is gone. */
  readonly takeOver: boolean;
};

/** dev X-61: applications that a controller in another namespace still looks after are left to it, and the log says so once. */
export class OtherControllers {
  readonly #options: Options;
  readonly #told = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** How long to leave it alone if the other one is silent from now on; undefined: it is ours. */
  leaveForMs(ctx: Ctx, app: Application): number | undefined {
    const { world, takeOver } = this.#options;
    const { controllerNamespace: owner, reconciledAt } = app.status ?? {};
    if (takeOver || !owner || owner === world.namespace) return undefined;
    const { intervalMs } = world.settings().refresh;
    const now = ctx.clock.now();
    const why = heldElsewhere(app, { controllerNamespace: world.namespace, now, intervalMs });
    const key = keyOfApp(app);
    if (!why) {
      this.#told.delete(key);
      return undefined;
    }
    if (!this.#told.has(key)) ctx.log.warn('application is left to another controller', { why });
    this.#told.add(key);
    return (parseTime(reconciledAt) ?? 0) + 2 * intervalMs - now.getTime() + 1000;
  }
}
