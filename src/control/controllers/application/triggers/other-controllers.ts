import { type Application, parseTime } from '#base/model';
import type { Ctx } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import { heldElsewhere } from '#engine';
import { keyOfApp } from '../applications.ts';

type Options = {
  readonly context: Pick<ComparisonDeps, 'namespace' | 'settings'>;
  /** The operator confirmed that the other controller is gone. */
  readonly takeOver: boolean;
};

/**
 * dev engine X-61: leaves applications to a controller in another namespace that still reconciles them, and logs that once.
 */
export class OtherControllers {
  readonly #options: Options;
  readonly #reported = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** How long to skip it if the other controller writes nothing from now on; undefined: this controller reconciles it. */
  leaveForMs(ctx: Ctx, app: Application): number | undefined {
    const { context, takeOver } = this.#options;
    const { controllerNamespace: owner, reconciledAt } = app.status ?? {};
    if (takeOver || !owner || owner === context.namespace) return undefined;
    const { intervalMs } = context.settings().refresh;
    const now = ctx.clock.now();
    const why = heldElsewhere(app, { controllerNamespace: context.namespace, now, intervalMs });
    const key = keyOfApp(app);
    if (!why) {
      this.#reported.delete(key);
      return undefined;
    }
    if (!this.#reported.has(key)) ctx.log.warn('application is left to another controller', { why });
    this.#reported.add(key);
    return (parseTime(reconciledAt) ?? 0) + 2 * intervalMs - now.getTime() + 1000;
  }
}
