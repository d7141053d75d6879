import type { SyncWindow } from '#base/model';
import { viewWindows } from '#engine';

/** What the windows that are open at a moment permit. */
export type WindowState = 'none' | 'allow' | 'deny' | 'blocked';

/** A part of a day without a change; both ends in minutes of the clock since midnight. */
type WindowStretch = { readonly from: number; readonly to: number; readonly state: WindowState };

export type CalendarDay = {
  readonly at: number;
  /** `Wed 18` */
  readonly label: string;
  readonly stretches: readonly WindowStretch[];
  /** The present moment in minutes since midnight; undefined: it is on another day. */
  readonly now: number | undefined;
};

const minute = 60_000;
const day = 24 * 60 * minute;
/** Changes that follow each other faster than this are drawn as one stretch, in the strongest state. */
const finest = 5 * minute;

/**
 * Seven days from midnight of `now`'s day, on the clock of `zone`. Where there are allow windows, a time outside of all of them is
 * blocked (compat engine P-40).
 */
export function windowCalendar(windows: readonly SyncWindow[], now: number, zone: string): CalendarDay[] {
  const clock = clockOf(zone);
  const first = Math.floor(clock.wall(now) / day) * day;
  const midnights = Array.from({ length: 8 }, (_, at) => clock.instant(first + at * day));
  return midnights.slice(0, 7).map((at, index) => {
    const until = midnights[index + 1] ?? at + day;
    const minutesOf = (instant: number): number =>
      instant >= until ? 24 * 60 : Math.round((clock.wall(instant) - (first + index * day)) / minute);
    return {
      at,
      label: clock.dayName(at),
      stretches: stretchesOf(windows, at, until).map(({ from, to, state }) => ({
        from: minutesOf(from),
        to: minutesOf(to),
        state,
      })),
      now: at <= now && now < until ? minutesOf(now) : undefined,
    };
  });
}

function stretchesOf(windows: readonly SyncWindow[], from: number, until: number): WindowStretch[] {
  const found: WindowStretch[] = [];
  for (let at = from; at < until; ) {
    const slot = slotAt(windows, at);
    const to = Math.min(slot.to, until);
    const last = found.at(-1);
    if (last?.state === slot.state) found[found.length - 1] = { ...last, to };
    else found.push({ from: at, to, state: slot.state });
    at = to;
  }
  return found;
}

/** The state from a moment to its next change, and at least for the finest step. */
function slotAt(windows: readonly SyncWindow[], from: number): { state: WindowState; to: number } {
  let strongest: WindowState = 'none';
  let at = from;
  do {
    // an open window excludes the moment at which it begins (compat engine P-40)
    const views = viewWindows(windows, new Date(at + 1));
    const state = stateOf(views);
    if (strength[state] > strength[strongest]) strongest = state;
    const changes = views.flatMap(({ changesAt }) => (changesAt ? [changesAt.getTime()] : []));
    at = Math.round(Math.min(...changes) / 1000) * 1000;
  } while (at < from + finest && strongest !== 'deny');
  return { state: strongest, to: Math.max(at, from + finest) };
}

const strength: Readonly<Record<WindowState, number>> = { none: 0, blocked: 1, allow: 2, deny: 3 };

function stateOf(views: ReturnType<typeof viewWindows>): WindowState {
  const isOpen = (kind: string): boolean =>
    views.some(({ open, window }) => open && (window.kind ?? 'allow') === kind);
  if (isOpen('deny')) return 'deny';
  if (isOpen('allow')) return 'allow';
  return views.some(({ window }) => (window.kind ?? 'allow') === 'allow') ? 'blocked' : 'none';
}

/** The clock on the wall of a zone: its time as if it were UTC, and back. */
function clockOf(zone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...({ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' } as const),
    ...({ hour: 'numeric', minute: 'numeric', second: 'numeric' } as const),
  });
  const name = new Intl.DateTimeFormat('en-GB', { timeZone: zone, weekday: 'short', day: 'numeric' });
  const wall = (at: number): number => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const read = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const date = [read('year'), read('month') - 1, read('day')] as const;
    return Date.UTC(...date, read('hour'), read('minute'), read('second'));
  };
  const instant = (target: number): number => {
    const near = target - (wall(target) - target);
    return near + (target - wall(near));
  };
  return { wall, instant, dayName: (at: number): string => name.format(at).replace(',', '') };
}
