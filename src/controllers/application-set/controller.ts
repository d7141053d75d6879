import type { KubeClient } from '#kube';
import type { Informer } from '#live';
import { type ApplicationSet, printTime } from '#model';
import { type Ctx, runAll, type Task } from '#std';

export type ApplicationSetControllerDeps = {
  readonly kube: Pick<KubeClient, 'patch'>;
  readonly informer: Informer<ApplicationSet>;
};

const message =
  'not supported yet: ApplicationSets are accepted and generate nothing; create the Applications themselves';

/** Says on every ApplicationSet that nothing will come of it yet, so that nobody waits in vain. */
export function applicationSetController({ kube, informer }: ApplicationSetControllerDeps): Task {
  const tell = async (ctx: Ctx, { metadata, status }: ApplicationSet): Promise<void> => {
    if (status?.conditions?.some((condition) => condition.message === message)) return;
    const { name, namespace } = metadata;
    const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet', namespace, name };
    const lastTransitionTime = printTime(ctx.clock.now());
    const condition = {
      type: 'ErrorOccurred',
      status: 'True',
      reason: 'NotSupported',
      message,
      lastTransitionTime,
    };
    await kube
      .patch(ctx, ref, { type: 'merge', body: { status: { conditions: [condition] } } })
      .catch((error: unknown) => ctx.log.warn('applicationset not told', { name, error }));
  };
  const follow = async (ctx: Ctx): Promise<void> => {
    for await (const { after } of informer.changes(ctx)) if (after) await tell(ctx, after as ApplicationSet);
  };
  return (ctx) => runAll(ctx, [follow, (inner) => informer.run(inner)]);
}
