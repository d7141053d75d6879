import type { Application, Source } from '#base/model';
import type { Ctx } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import type { Informer } from '#control/live';
import type { ApplicationEvent } from '#engine';
import type { KubeClient } from '#kubernetes/client';

/** What the methods work with. */
export type MethodDeps = {
  readonly kube: KubeClient;
  readonly apps: Informer<Application>;
  readonly world: ComparisonDeps;
  /** Tells people what was done to an application, beside it in the cluster; left out: nobody is told. */
  raise?(ctx: Ctx, app: Application, event: ApplicationEvent): Promise<void>;
  /** Who made a commit, a chart or an artifact, when and why. */
  describe(
    ctx: Ctx,
    source: Source,
    revision: string,
    project: string,
  ): Promise<{ author: string; date?: Date; message: string }>;
};
