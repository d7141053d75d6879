import { type Application, projectName } from '#base/model';
import { FairleadError } from '#base/std';
import type { MethodDeps } from '../methods/deps.ts';
import { type BadgePart, badgeColours, drawBadge } from './draw-badge.ts';

const nameShape = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

/**
 * compat server §2.9: the badge of an application or of projects, for anyone who may reach us. It shows health and sync status
 * where `statusbadge.enabled` permits it, and nothing else of the application. Throws InvalidSpec for a malformed name.
 */
export function badgeFor(
  { apps, context }: Pick<MethodDeps, 'apps' | 'context'>,
  query: URLSearchParams,
): string {
  const [name, namespace] = [query.get('name') ?? '', query.get('namespace') || context.namespace];
  const projects = query.getAll('project').filter(Boolean);
  requireNames([name, namespace, ...projects].filter(Boolean));
  const width = widthIn(query.get('width'));
  if (!context.settings().server.statusBadgeEnabled)
    return drawBadge([{ text: 'Unknown', colour: badgeColours.grey }], width);
  if (name) return drawBadge(applicationParts(apps.get(namespace, name), query), width);
  const found = apps.list().filter((app) => projects.includes(projectName(app)));
  return drawBadge(projects.length > 0 ? projectParts(found) : unknown, width);
}

const unknown: readonly BadgePart[] = [{ text: 'Unknown', colour: badgeColours.grey }];

function requireNames(names: readonly string[]): void {
  const bad = names.find((name) => !nameShape.test(name));
  if (bad !== undefined)
    throw new FairleadError('InvalidSpec', 'name, namespace and project must be names of Kubernetes');
}

function widthIn(text: string | null): number {
  if (text === null || text === '') return 0;
  const width = Number(text);
  if (!Number.isInteger(width) || width < 0 || width > 2000)
    throw new FairleadError('InvalidSpec', 'width must be a number of pixels from 0 to 2000');
  return width;
}

const healthColours: Readonly<Record<string, string>> = {
  Healthy: badgeColours.green,
  Progressing: badgeColours.blue,
  Suspended: badgeColours.purple,
  Missing: badgeColours.orange,
  Degraded: badgeColours.red,
};
const syncColours: Readonly<Record<string, string>> = {
  Synced: badgeColours.green,
  OutOfSync: badgeColours.orange,
};

const healthPart = (text: string): BadgePart => ({ text, colour: healthColours[text] ?? badgeColours.grey });
const syncPart = (text: string): BadgePart => ({ text, colour: syncColours[text] ?? badgeColours.grey });

function applicationParts(app: Application | undefined, query: URLSearchParams): BadgePart[] {
  if (!app) return [{ text: 'Not Found', colour: badgeColours.grey }];
  const { health, sync, operationState } = app.status ?? {};
  const revision = operationState?.syncResult?.revision ?? sync?.revision ?? '';
  const shown = query.get('keepFullRevision') === 'true' ? revision : revision.slice(0, 7);
  return [
    ...(query.get('showAppName') === 'true' ? [{ text: app.metadata.name, colour: badgeColours.grey }] : []),
    healthPart(health?.status ?? 'Unknown'),
    syncPart(sync?.status ?? 'Unknown'),
    ...(query.get('revision') === 'true' && shown ? [{ text: `(${shown})`, colour: badgeColours.grey }] : []),
  ];
}

/** compat server §2.9: any application that is not Synced makes it OutOfSync, any that is not Healthy makes it Degraded. */
function projectParts(apps: readonly Application[]): readonly BadgePart[] {
  if (apps.length === 0) return unknown;
  const isHealthy = apps.every(({ status }) => status?.health?.status === 'Healthy');
  const isSynced = apps.every(({ status }) => status?.sync?.status === 'Synced');
  return [healthPart(isHealthy ? 'Healthy' : 'Degraded'), syncPart(isSynced ? 'Synced' : 'OutOfSync')];
}
