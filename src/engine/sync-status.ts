import {
  type Application,
  annotation,
  annotationList,
  type KubeObject,
  type ResourceStatus,
  type SyncStatusCode,
} from '#base/model';
import { equal } from '#base/std';
import type { ObjectDiff } from './diff/diff.ts';
import type { OverrideComparison } from './overrides.ts';

/** The parts of a compared resource that decide the status of its application. */
type Judged = {
  readonly target?: KubeObject;
  readonly live?: KubeObject;
  readonly diff: ObjectDiff;
  readonly managed: boolean;
  readonly status: ResourceStatus;
  readonly override?: OverrideComparison;
};

/** compat engine §2.5 step 12, engine D-29: an extra object may be excused from counting, though it will still be pruned. */
export function statusOf(app: Application, resources: readonly Judged[]): SyncStatusCode {
  const counts = ({ live, target, diff: found, managed }: Judged): boolean =>
    managed && (found.modified || !target || !live) && !(live && !target && isExcused(live));
  const recorded = app.status?.operationState?.syncResult;
  const wanted = app.spec.syncPolicy?.managedNamespaceMetadata;
  if (wanted && recorded && !equal(recorded.managedNamespaceMetadata, wanted)) return 'OutOfSync';
  return resources.some(counts) ? 'OutOfSync' : 'Synced';
}

const isExcused = (extra: KubeObject): boolean =>
  annotationList(extra, annotation.compareOptions).includes('IgnoreExtraneous');

/**
 * The comparison as automation must act on it: an override of traffic that is in effect is what a person wants, though Git
 * declares something else, and self-heal must not undo it.
 */
export function actionable<One extends Judged>(
  app: Application,
  { status, resources }: { readonly status: SyncStatusCode; readonly resources: readonly One[] },
): { readonly status: SyncStatusCode; readonly resources: readonly One[] } {
  if (status !== 'OutOfSync' || !resources.some(({ override }) => override?.isInEffect))
    return { status, resources };
  const rows = resources.map((resource): One => {
    if (!resource.override?.isInEffect) return resource;
    const diff = { modified: false, fields: [] };
    return { ...resource, diff, status: { ...resource.status, status: 'Synced' } };
  });
  return { status: statusOf(app, rows), resources: rows };
}
