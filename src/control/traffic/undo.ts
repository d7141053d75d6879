import { type KubeObject, keyOf } from '#base/model';
import { type Ctx, equal, FairleadError } from '#base/std';
import { compareApplication } from '#control/comparison';
import {
  currentRevision,
  editTemplate,
  generationOf,
  isReady,
  knativeServicesIn,
  restoredTemplate,
  revisionToRestore,
  templateOf,
  type UndoBase,
} from '#engine/traffic';
import { branchRef } from '#sources/repositories';
import { chooseService, type FoundService, requireLive } from './find-service.ts';
import { closingLines, hashOf, messageFrom, type PlannedChange, planEdit } from './planned-edit.ts';
import type { AppAtDestination, TrafficDeps, TrafficOrder } from './traffic-deps.ts';

/** A request to commit the template of an earlier Revision. */
export type UndoOrder = Pick<
  TrafficOrder,
  'service' | 'namespace' | 'branch' | 'reason' | 'by' | 'expect'
> & {
  /** The generation of the Revision; 0: the previous one. */
  readonly generation: number;
};

/** What an undo would do; nothing is written yet. */
export type PlannedUndo = PlannedChange & {
  readonly revision: string;
  readonly generation: number;
  readonly warnings: readonly string[];
};

/**
 * compat rollouts RK-14: plans the commit that restores the template of an earlier Revision, on the newest commit and the live
 * Service. Throws why it is impossible; so it does while the Service is not as Git declares it, because the current Revision then
 * is not the one of the template in Git.
 */
export async function planUndo(
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  order: UndoOrder,
): Promise<PlannedUndo> {
  if (order.branch !== undefined) branchRef(order.branch);
  const found = await syncedService(ctx, deps, placed, order);
  const base: UndoBase = { service: found.live, revisions: found.revisions, stable: found.stable };
  const current = currentRevision(base);
  const wanted = revisionToRestore(base, order.generation);
  const steps = { current, wanted };
  const [from, to] = [templateOf(found.target), restoredTemplate(found.target, steps)];
  const { name } = wanted.metadata;
  const generation = generationOf(wanted);
  const sentence = `restore the template of ${name} (generation ${generation})`;
  const common = { found, sentence, revision: name, generation, warnings: warningsFor(wanted) };
  if (equal(from, to) && order.branch === undefined)
    return { ...common, isNoChange: true, hash: hashOf(['undo', found.facts.namespace, found.facts.name]) };
  const goal = {
    ...{ target: found.target, branch: order.branch, field: 'template' as const },
    meanwhile: 'pin the traffic with fairlead rollouts undo --now',
    edit: (text: string, at: number) => editTemplate(text, at, { from, to }),
    isReached: (object: KubeObject) => equal(templateOf(object), to),
  };
  const message = messageOf(placed, order, { sentence, ...steps });
  return { ...common, ...(await planEdit(ctx, deps, placed, { goal, message })) };
}

/** The Service as the newest commit declares it, with its live object, which must be the same. */
async function syncedService(
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  order: UndoOrder,
): Promise<FoundService> {
  const options = { resolve: 'fresh', hard: false, given: [] } as const;
  const { target, comparison } = await compareApplication(ctx, deps.context, placed, options);
  const service = chooseService(placed, knativeServicesIn(target.objects), order);
  const found = await requireLive(ctx, deps, placed, service);
  const compared = comparison.resources.find(({ key }) => key === keyOf(service));
  // a recorded override of the traffic is a difference of its own
  if (compared && (!compared.diff.modified || compared.override?.isInEffect)) return found;
  throw new FairleadError(
    'InvalidSpec',
    `Service ${service.metadata.name} is not as Git declares it: sync application ${placed.app.metadata.name} first, then undo`,
  );
}

const warningsFor = (wanted: KubeObject): readonly string[] =>
  isReady(wanted) ? [] : [`Revision ${wanted.metadata.name} is not ready: what made it fail may do so again`];

type Said = { readonly sentence: string; readonly current: KubeObject; readonly wanted: KubeObject };

function messageOf({ app }: AppAtDestination, order: UndoOrder, { sentence, current, wanted }: Said): string {
  const { namespace, labels } = wanted.metadata;
  const service = labels?.['serving.knative.dev/service'] ?? '';
  return messageFrom([
    `undo(${service}): ${sentence}`,
    '',
    `Service ${service} in namespace ${namespace}, application ${app.metadata.name}`,
    `before: ${current.metadata.name}`,
    ...(order.generation === 0 ? ['requested as the previous Revision'] : []),
    ...closingLines(order),
  ]);
}
