import type { SyncWindow } from '#base/model';
import type { Ctx } from '#base/std';
import { resolveDestination } from '#control/comparison';
import { previewWindows } from '#engine';
import type { SyncWindows } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { findApplication } from './find.ts';

/**
 * The sync windows of an application and their current effect. Empty for one without a project or a destination: its
 * conditions report why.
 */
export async function windows({ clock }: Ctx, deps: MethodDeps, call: MethodCall): Promise<SyncWindows> {
  const app = findApplication(deps, call, 'get');
  const placed = resolveDestination(deps.context, app);
  if ('conditions' in placed) return {};
  const { syncWindows } = placed.destination.project.spec;
  const { windows: assigned, automated, manual } = previewWindows(syncWindows, app, clock.now());
  return {
    activeWindows: assigned.filter(({ open }) => open).map(({ window }) => reported(window)),
    assignedWindows: assigned.map(({ window }) => reported(window)),
    canSync: manual.allowed,
    ...(!automated.allowed && { held: automated.why }),
  };
}

function reported({ kind, schedule = '', duration = '', manualSync = false }: SyncWindow) {
  return { kind: kind ?? '', schedule, duration, manualSync };
}
