import type { Application, SyncWindow } from '#base/model';
import { describeWindow, judgeWindows, type WindowVerdict } from './judge.ts';
import { windowsFor } from './match.ts';
import { changeAfter, isOpen, timesOf } from './window.ts';

/** The state of one window at a moment. `changesAt` is when it opens, or closes if it is open. */
export type WindowView = {
  readonly window: SyncWindow;
  readonly open: boolean;
  readonly changesAt?: Date;
  readonly problem?: string;
};

/** The current verdict of an application's windows: for automation, for a user, and with the reasons. */
export type WindowPreview = {
  readonly windows: readonly WindowView[];
  readonly automated: WindowVerdict;
  readonly manual: WindowVerdict;
  /** Surprising combinations, such as a deny that overrides an allow. */
  readonly notes: readonly string[];
};

/** Every window of a project at a moment. */
export function viewWindows(windows: readonly SyncWindow[] | undefined, now: Date): readonly WindowView[] {
  return (windows ?? []).map((window) => viewOf(window, now.getTime()));
}

function viewOf(window: SyncWindow, now: number): WindowView {
  const times = timesOf(window);
  if ('problem' in times) return { window, open: false, problem: times.problem };
  const changesAt = changeAfter(times, now);
  return {
    window,
    open: isOpen(times, now, now),
    ...(changesAt !== undefined && { changesAt: new Date(changesAt) }),
  };
}

/** The windows that concern one application, and what they come to. */
export function previewWindows(
  windows: readonly SyncWindow[] | undefined,
  app: Pick<Application, 'metadata' | 'spec'>,
  now: Date,
): WindowPreview {
  const concerned = windowsFor(windows, app);
  const views = viewWindows(concerned, now);
  return {
    windows: views,
    automated: judgeWindows(concerned, { now, initiator: 'automated' }),
    manual: judgeWindows(concerned, { now, initiator: 'manual' }),
    notes: notesOn(views),
  };
}

/** compat engine P-42, X-25 */
function notesOn(views: readonly WindowView[]): string[] {
  const open = views.filter((view) => view.open).map(({ window }) => window);
  const denial = open.find(({ kind }) => kind === 'deny');
  if (!denial) return [];
  return open
    .filter(({ kind }) => kind === 'allow')
    .map(
      (allow) => `the ${describeWindow(denial)} wins over the ${describeWindow(allow)}: a deny always does`,
    );
}
