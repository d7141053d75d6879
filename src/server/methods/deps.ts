import type { ApplicationEvent } from '#engine';
import type { KubeClient } from '#kube';
import type { Informer } from '#live';
import type { World } from '#look';
import type { Application, Source } from '#model';
import type { Ctx } from '#std';

/** What the methods work with. */
export type MethodDeps = {
  readonly kube: KubeClient;
  readonly apps: Informer<Application>;
  readonly world: World;
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
