import { type ApplicationSet, printTime } from '#base/model';
import { type Ctx, runAll, type Task } from '#base/std';
import type { Informer } from '#control/live';
import type { KubeClient } from '#kubernetes/client';

export type ApplicationSetControllerDeps = {
  readonly kube: Pick<KubeClient, 'patch'>;
  readonly informer: Informer<ApplicationSet>;
};

const conditionType = 'ResourcesUpToDate';
const message =
  'not supported yet: ApplicationSets are accepted and generate nothing; create the Applications themselves';

/**
 * Records on every ApplicationSet that it generates nothing yet. The condition is not an error: a sync of the application
 * that contains the set must get past its wave.
 */
export function applicationSetController({ kube, informer }: ApplicationSetControllerDeps): Task {
  const report = async (ctx: Ctx, { metadata, status }: ApplicationSet): Promise<void> => {
    const [first] = status?.conditions ?? [];
    if (first?.type === conditionType && first.message === message) return;
    const { name, namespace } = metadata;
    const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet', namespace, name };
    const lastTransitionTime = printTime(ctx.clock.now());
    const condition = {
      type: conditionType,
      status: 'True',
      reason: 'NotSupported',
      message,
      lastTransitionTime,
    };
    await kube
      .patch(ctx, ref, { type: 'merge', body: { status: { conditions: [condition] } } })
      .catch((error: unknown) =>
        ctx.log.warn('applicationset condition not recorded', { namespace, name, error }),
      );
  };
  const follow = async (ctx: Ctx): Promise<void> => {
    for await (const { after } of informer.changes(ctx)) {
      if (after) await report(ctx, after as ApplicationSet);
    }
  };
  return (ctx) => runAll(ctx, [follow, (inner) => informer.run(inner)]);
}
