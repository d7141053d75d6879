import {
  type Application,
  type ApplicationSet,
  annotation,
  argoGroup,
  controllerOf,
  groupOf,
  type SetGenerator,
} from '#base/model';
import { equal } from '#base/std';
import type { ObjectChange } from '#control/live';

/** What a change of an application requests of its set: a pass now, or the application's state in the set's status. */
type SetWake = 'pass' | 'status';

export const keyOfSet = ({ metadata }: Pick<ApplicationSet, 'metadata'>): string =>
  `${metadata.namespace ?? ''}/${metadata.name}`;

/** compat sources ASA-9: the set that owns an application; undefined when none does. */
export function ownerOf(app: Application): string | undefined {
  const owner = controllerOf(app);
  return owner?.kind === 'ApplicationSet' && groupOf(owner) === argoGroup
    ? `${app.metadata.namespace ?? ''}/${owner.name}`
    : undefined;
}

/** compat sources ASQ-2: a set is evaluated when its wishes change; its status is our own writing. */
export function isSetChange({ before, after }: ObjectChange): boolean {
  if (!before || !after) return true;
  return (
    before.metadata.uid !== after.metadata.uid ||
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    !equal(before.metadata.labels, after.metadata.labels) ||
    !equal(before.metadata.annotations, after.metadata.annotations) ||
    !equal(before.spec, after.spec)
  );
}

/** Annotations that other actors set and that a pass keeps anyway (sources ASA-5). */
const passing: readonly string[] = [
  annotation.refresh,
  annotation.refreshTimestamp,
  annotation.hydrate,
  'notified.notifications.argoproj.io',
];

/**
 * compat sources ASQ-2: the deletion of an application wakes its set, its creation does not. During a progressive sync every
 * step of an application counts; otherwise its health and sync status are only reported.
 */
export function wakeFor(change: ObjectChange, isProgressive: boolean): SetWake | undefined {
  const { before, after } = change as { readonly before?: Application; readonly after?: Application };
  if (!after) return 'pass';
  if (!before) return undefined;
  if (!equal(wishOf(before), wishOf(after))) return 'pass';
  if (isProgressive && !equal(progressOf(before), progressOf(after))) return 'pass';
  return equal(stateOf(before), stateOf(after)) ? undefined : 'status';
}

const wishOf = ({ spec, metadata }: Application) => ({
  spec,
  labels: metadata.labels,
  annotations: Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(([key]) => !passing.includes(key)),
  ),
  finalizers: metadata.finalizers,
  owners: metadata.ownerReferences,
});

const stateOf = ({ status }: Application) => [status?.health?.status, status?.sync?.status];

const progressOf = (app: Application) => [
  ...stateOf(app),
  app.status?.operationState?.phase,
  app.status?.operationState?.startedAt,
  app.status?.reconciledAt,
  app.status?.sync?.revision,
  app.status?.sync?.revisions,
];

/** Every generator of a set, nested ones included, without those that a matrix interpolates later. */
export function* generatorsOf(generators: readonly SetGenerator[]): Generator<SetGenerator> {
  for (const item of generators) {
    yield item;
    yield* generatorsOf(item.matrix?.generators ?? []);
    yield* generatorsOf(item.merge?.generators ?? []);
  }
}

/** compat sources ASQ-2: whether the registered clusters decide what a set generates. */
export const readsClusters = ({ spec }: ApplicationSet): boolean =>
  [...generatorsOf(spec.generators)].some((item) => item.clusters || item.clusterDecisionResource);
