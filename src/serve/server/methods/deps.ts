import type { Application, Source } from '#base/model';
import type { Ctx } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import type { Informer } from '#control/live';
import type { ApplicationEvent } from '#engine';
import type { KubeClient } from '#kubernetes/client';

/** The dependencies of the methods. */
export type MethodDeps = {
  readonly kube: KubeClient;
  readonly apps: Informer<Application>;
  readonly world: ComparisonDeps;
  /** Records an event about an application in the cluster; left out: no events. */
  raise?(ctx: Ctx, app: Application, event: ApplicationEvent): Promise<void>;
  /** Author, date and message of a commit, a chart or an artifact. */
  describe(
    ctx: Ctx,
    source: Source,
    revision: string,
    project: string,
  ): Promise<{ author: string; date?: Date; message: string }>;
};
