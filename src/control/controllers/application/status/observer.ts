import type { Application, OperationState } from '#base/model';
import { type Ctx, equal } from '#base/std';
import type { QueueHooks } from '#control/runtime';
import type { KubeClient } from '#kubernetes/client';

/** Receives what happens, for metrics. Must not throw and must not wait. */
export type Observer = {
  /** compat server §7.1: for each queue, by Argo CD's name for it. */
  queue(name: string): QueueHooks;
  reconciled(app: Application, ms: number): void;
  finished(app: Application, state: OperationState): void;
  /** dev engine A-37: the application was deleted and its resources were left in place. */
  abandoned(app: Application): void;
  /** The same client; its requests are counted for the application. */
  client(app: Application, kube: KubeClient): KubeClient;
  /** The number of orphaned objects in its namespaces (engine T-8); 0 where the project does not watch for them. */
  orphaned(app: Application, count: number): void;
  gone(app: Application): void;
};

/** Logs one line for a pass that changed what users read of an application; none for any other. */
export function logChange(ctx: Ctx, before: Application, after: Application): void {
  const [was, is] = [stateOf(before), stateOf(after)];
  if (!equal(was, is)) ctx.log.info('application changed', { ...is, app: after.metadata.name });
}

function stateOf({ status }: Application) {
  const { sync, health, conditions = [] } = status ?? {};
  return {
    sync: sync?.status ?? 'Unknown',
    health: health?.status ?? 'Unknown',
    revision: sync?.revision ?? sync?.revisions?.join(',') ?? '',
    conditions: conditions.map(({ type }) => type).join(','),
  };
}
