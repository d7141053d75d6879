import { keyOfObject, type SimulationContext } from '../simulation-context.ts';
import { storedObject } from '../write.ts';
import type { Conditions } from './conditions.ts';
import { configurationKind, revisionKind } from './kinds.ts';
import {
  type Configuration,
  isReadyNow,
  type KnativeRoute,
  type Revision,
  readyOf,
  type TrafficTarget,
} from './view.ts';

/** A target whose revision is known. */
export type ResolvedTraffic = TrafficTarget & { readonly revisionName: string };

type Trouble = { readonly isFailure: boolean; readonly reason: string; readonly message: string };

/**
 * compat cluster 5.6: the revisions of a route's targets, in their order. Undefined when one of them cannot take
 * traffic; then `conditions` has the reason, and traffic stays as it is.
 */
export function resolveTraffic(
  context: SimulationContext,
  route: KnativeRoute,
  conditions: Conditions,
): ResolvedTraffic[] | undefined {
  const resolved: ResolvedTraffic[] = [];
  let trouble: Trouble | undefined;
  for (const target of route.spec?.traffic ?? []) {
    const found = target.configurationName
      ? fromConfiguration(context, route, target, target.configurationName)
      : fromRevision(context, route, target);
    if ('revisionName' in found) resolved.push(found);
    else if (!trouble || (found.isFailure && !trouble.isFailure)) trouble = found;
  }
  if (!trouble) {
    conditions.markTrue('AllTrafficAssigned');
    return resolved;
  }
  const mark = trouble.isFailure ? 'markFalse' : 'markUnknown';
  conditions[mark]('AllTrafficAssigned', trouble.reason, trouble.message);
  return undefined;
}

const missing = (kind: string, name: string): Trouble => ({
  isFailure: true,
  reason: `${kind}Missing`,
  message: `${kind} "${name}" referenced in traffic not found.`,
});

function fromConfiguration(
  context: SimulationContext,
  route: KnativeRoute,
  target: TrafficTarget,
  name: string,
): ResolvedTraffic | Trouble {
  const found = storedObject(context, configurationKind, { ...keyOfObject(route), name }) as
    | Configuration
    | undefined;
  if (!found) return missing('Configuration', name);
  const { latestReadyRevisionName } = found.status ?? {};
  const { configurationName: _name, ...rest } = target;
  if (latestReadyRevisionName) {
    return { ...rest, latestRevision: true, revisionName: latestReadyRevisionName };
  }
  const isFailure = readyOf(found)?.status === 'False';
  const message = isFailure
    ? `Configuration "${name}" does not have any ready Revision.`
    : `Configuration "${name}" is waiting for a Revision to become ready.`;
  return { isFailure, reason: 'RevisionMissing', message };
}

function fromRevision(
  context: SimulationContext,
  route: KnativeRoute,
  target: TrafficTarget,
): ResolvedTraffic | Trouble {
  const name = target.revisionName ?? '';
  const found = storedObject(context, revisionKind, { ...keyOfObject(route), name }) as Revision | undefined;
  if (!found) return missing('Revision', name);
  if (isReadyNow(found)) return { ...target, latestRevision: false, revisionName: name };
  const isFailure = readyOf(found)?.status === 'False';
  const message = isFailure
    ? `Revision "${name}" failed to become ready.`
    : `Revision "${name}" is not yet ready.`;
  return { isFailure, reason: 'RevisionMissing', message };
}
