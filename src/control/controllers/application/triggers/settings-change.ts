import type { Application, ResourceOverride, Settings } from '#base/model';
import { equal } from '#base/std';
import type { LiveCluster, SettingsChange } from '#control/live';
import { glob, invalidatesCaches } from '#engine';

/** compat engine T-21: updates a cluster's cache to the current tracking, resource filters and watch settings. */
export function applyClusterSettings(
  { cache }: Pick<LiveCluster, 'cache'>,
  { before, after }: SettingsChange,
): void {
  if (!invalidatesCaches(before, after)) return;
  if (!equal(before.tracking, after.tracking)) cache.retrack(after.tracking);
  cache.redraw();
}

/**
 * Which applications a change of the settings may affect: all, if it changes how anything is rendered, compared or assessed;
 * those with such a resource, if it is about single kinds; none, if no refresh could see the difference.
 */
export function affectedBySettings({ before, after }: SettingsChange): (app: Application) => boolean {
  if (!equal(seenByAll(before), seenByAll(after))) return () => true;
  const kinds = changedKinds(before.resources.overrides, after.resources.overrides);
  if (kinds.length === 0) return () => false;
  return ({ status }) =>
    (status?.resources ?? []).some(({ group, kind }) => {
      const name = group ? `${group}/${kind}` : kind;
      return kinds.some((pattern) => pattern === name || glob(pattern, name));
    });
}

function seenByAll({ resources, controller, ...settings }: Settings): object {
  const { tracking, application, impersonation, inClusterEnabled, globalProjects, render } = settings;
  const { overrides: _overrides, sensitiveAnnotations: _annotations, ...rules } = resources;
  const { serverSideDiff, jqTimeoutMs, persistResourceHealth } = controller;
  const comparison = { serverSideDiff, jqTimeoutMs, persistResourceHealth };
  return {
    tracking,
    application,
    impersonation,
    inClusterEnabled,
    globalProjects,
    render,
    rules,
    looks: comparison,
  };
}

type Overrides = Readonly<Record<string, ResourceOverride>>;

/** Actions are left out: they are read when a client requests them. */
function changedKinds(before: Overrides, after: Overrides): string[] {
  const judged = (overrides: Overrides, kind: string): object => {
    const { actions: _actions, ...rest } = overrides[kind] ?? {};
    return rest;
  };
  const all = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...all].filter((kind) => !equal(judged(before, kind), judged(after, kind)));
}
