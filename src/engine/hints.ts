import {
  type Application,
  annotation,
  effectiveSources,
  optionValue,
  type SyncWindow,
  syncOptionsOf,
} from '#base/model';
import { windowsFor } from './windows/match.ts';

/**
 * Options that other sources recommend to application authors and that do nothing. These are hints: nothing
 * is rejected.
 */
export function applicationHints(app: Application, windows: readonly SyncWindow[] | undefined): string[] {
  return [...windowHint(app, windows), ...imageHints(app)];
}

/** engine X-22: RespectIgnoreDifferences=true opens no window; on an Application it is not even read. */
function windowHint(app: Application, windows: readonly SyncWindow[] | undefined): string[] {
  const isSaid = optionValue(syncOptionsOf(app), 'RespectIgnoreDifferences') === 'true';
  if (!isSaid || windowsFor(windows, app).length === 0) return [];
  return [
    `the annotation ${annotation.syncOptions} on an application opens no sync window; ` +
      'set manualSync on the window, or fairlead.io/sync-window-override to a time',
  ];
}

/** engine X-50: nothing is substituted in a spec. */
function imageHints({ spec }: Application): string[] {
  return effectiveSources(spec)
    .flatMap(({ kustomize }) => kustomize?.images ?? [])
    .filter((image) => /\$\{?\w/.test(image))
    .map(
      (image) =>
        `the image ${image} in spec.source.kustomize.images is taken literally; write the tag itself`,
    );
}
