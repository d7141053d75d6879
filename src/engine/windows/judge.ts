import { printTime, type SyncWindow } from '#base/model';
import { changeAfter, isOpen, timesOf } from './window.ts';

/** Whether automation or a user starts a sync. compat engine P-41 */
type Initiator = 'automated' | 'manual';

export type WindowOptions = {
  readonly now: Date;
  readonly initiator: Initiator;
  /** When the operation began; absent for one that has not (engine P-45). */
  readonly startedAt?: Date;
  /** Until when a person with the right to do so has lifted the windows (engine X-22). */
  readonly overriddenUntil?: Date;
};

/** `opensAt` is when the caller should check again; absent when no change is in sight. */
export type WindowVerdict =
  | { readonly allowed: true; readonly overrun?: true }
  | { readonly allowed: false; readonly why: string; readonly opensAt?: Date };

const allowed: WindowVerdict = { allowed: true };

/**
 * compat engine P-41 … P-45: whether a sync of an application with these windows (those of windowsFor) may
 * begin or continue now. `--force` never matters (engine P-47).
 */
export function judgeWindows(windows: readonly SyncWindow[], options: WindowOptions): WindowVerdict {
  if (windows.length === 0 || isOverridden(options)) return allowed;
  const unread = unreadable(windows);
  if (unread) return { allowed: false, why: explain(unread, options, undefined) };
  const now = options.now.getTime();
  const blockerAt = (at: number): Blocker | undefined =>
    blockerOf(windows, (window) => isOpenAt(window, at, now), options.initiator);
  const blocker = blockerAt(now);
  if (!blocker) return allowed;
  if (mayOverrun(blocker, (at) => !blockerAt(at), options.startedAt)) return { allowed: true, overrun: true };
  const opensAt = opening(windows, blocker, options);
  return {
    allowed: false,
    why: explain(blocker, options, opensAt),
    ...(opensAt !== undefined && { opensAt: new Date(opensAt) }),
  };
}

/** dev engine X-22: an explicit, dated way through, for people only. */
const isOverridden = ({ initiator, overriddenUntil, now }: WindowOptions): boolean =>
  initiator === 'manual' && overriddenUntil !== undefined && now < overriddenUntil;

type Blocker =
  | { readonly by: 'deny' | 'allow'; readonly windows: readonly SyncWindow[] }
  | { readonly by: 'unread'; readonly windows: readonly SyncWindow[]; readonly problem: string };

/** compat engine P-43: one unreadable window is enough. */
function unreadable(windows: readonly SyncWindow[]): Blocker | undefined {
  for (const window of windows) {
    const times = timesOf(window);
    if ('problem' in times) return { by: 'unread', windows: [window], problem: times.problem };
  }
  return undefined;
}

/** compat engine P-41, P-42: what keeps a sync out while these windows are open and the others are not. */
function blockerOf(
  windows: readonly SyncWindow[],
  isActive: (window: SyncWindow) => boolean,
  initiator: Initiator,
): Blocker | undefined {
  const passes = (some: readonly SyncWindow[]): boolean =>
    initiator === 'manual' && some.every(({ manualSync }) => manualSync);
  const denials = windows.filter((window) => window.kind === 'deny' && isActive(window));
  if (denials.length > 0) return passes(denials) ? undefined : { by: 'deny', windows: denials };
  const allows = windows.filter(({ kind }) => kind === 'allow');
  if (allows.length === 0 || allows.some(isActive) || passes(allows)) return undefined;
  return { by: 'allow', windows: allows };
}

/** compat engine P-45 */
function mayOverrun(
  blocker: Blocker,
  wasFree: (at: number) => boolean,
  startedAt: Date | undefined,
): boolean {
  if (!startedAt || !blocker.windows.every(({ syncOverrun }) => syncOverrun)) return false;
  // a start is recorded to the second, and one that followed an opening at once lies before it on paper
  return wasFree(startedAt.getTime()) || wasFree(startedAt.getTime() + 999);
}

/** How many blocking windows in a row the search for an opening follows. */
const maxSteps = 50;

/**
 * When the windows next permit a sync, or how far the search went; undefined when nothing will change. The
 * search starts when the current blocker can have ended.
 */
function opening(
  windows: readonly SyncWindow[],
  first: Blocker,
  { initiator, now }: WindowOptions,
): number | undefined {
  let at = now.getTime();
  let blocker: Blocker | undefined = first;
  for (let tries = 0; blocker && tries < maxSteps; tries++) {
    at = blocker.by === 'deny' ? endOfDenials(blocker, initiator, at) : firstWayIn(windows, initiator, at);
    if (at === never) return undefined;
    blocker = standing(windows, initiator, at);
  }
  return at;
}

/** What blocks from a moment on. Where one window ends and another begins, the instant between them is no opening. */
function standing(windows: readonly SyncWindow[], initiator: Initiator, at: number): Blocker | undefined {
  const blockerAt = (time: number): Blocker | undefined =>
    blockerOf(windows, (window) => isOpenAt(window, time, time), initiator);
  return blockerAt(at) ?? blockerAt(at + 1);
}

/** When all denials that keep this initiator out are over. */
function endOfDenials({ windows }: Blocker, initiator: Initiator, at: number): number {
  const strict = windows.filter(({ manualSync }) => initiator === 'automated' || !manualSync);
  return Math.max(...strict.map((window) => changeOf(window, at)));
}

/** compat engine P-41: an allow window that opens; for people also a denial with manualSync, which lets them in while it lasts. */
function firstWayIn(windows: readonly SyncWindow[], initiator: Initiator, at: number): number {
  const ways = windows.filter(
    ({ kind, manualSync }) => kind === 'allow' || (initiator === 'manual' && manualSync),
  );
  return Math.min(...ways.map((window) => changeOf(window, at)));
}

const never = Number.POSITIVE_INFINITY;

function changeOf(window: SyncWindow, at: number): number {
  const times = timesOf(window);
  return 'problem' in times ? never : (changeAfter(times, at) ?? never);
}

function isOpenAt(window: SyncWindow, at: number, now: number): boolean {
  const times = timesOf(window);
  return !('problem' in times) && isOpen(times, at, now);
}

function explain(blocker: Blocker, { initiator }: WindowOptions, opensAt: number | undefined): string {
  const [window] = blocker.windows;
  const named = window ? describeWindow(window) : 'a window';
  if (blocker.by === 'unread') {
    return `sync is blocked: ${named} cannot be judged: ${blocker.problem}; correct it in the project's spec.syncWindows`;
  }
  const more = blocker.windows.length > 1 ? ` and ${blocker.windows.length - 1} more` : '';
  const what =
    blocker.by === 'deny'
      ? `${named}${more} is active`
      : `none of its allow windows is open: ${named}${more}`;
  const next =
    opensAt === undefined ? 'no opening is in sight' : `it may pass from ${printTime(new Date(opensAt))}`;
  const help = initiator === 'manual' ? '; manualSync on the window would let people through' : '';
  return `sync is blocked: ${what}; ${next}${help}`;
}

/** A window as text. It has no name of its own, so its settings identify it. */
export function describeWindow(window: SyncWindow): string {
  const { kind = 'unknown', schedule = '', duration = '', timeZone, description } = window;
  const zone = timeZone ? ` ${timeZone}` : '';
  const said = description ? ` (${description})` : '';
  return `${kind} window "${schedule}" for ${duration}${zone}${said}`;
}
