import { type LayoutPiece, piecesOf } from './layout.ts';
import { clockOf, type GoMoment, months, offsetSeconds, type WallClock, weekdays } from './moment.ts';

const two = (value: number): string => String(value).padStart(2, '0');
const hour12 = (hour: number): number => hour % 12 || 12;

type Printer = (clock: WallClock, moment: GoMoment, text: string) => string;

const year = (value: number): string =>
  value < 0 ? `-${String(-value).padStart(4, '0')}` : String(value).padStart(4, '0');

/** An offset as `+0130` with as many parts as the layout shows, `Z` for none where the layout has a Z. */
function offset(_clock: WallClock, moment: GoMoment, text: string): string {
  const seconds = offsetSeconds(moment);
  if (text.startsWith('Z') && seconds === 0) return 'Z';
  const size = Math.abs(seconds);
  const parts = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60].map(two);
  const shown = text.replaceAll(':', '').length <= 3 ? 1 : text.replaceAll(':', '').length <= 5 ? 2 : 3;
  return (seconds < 0 ? '-' : '+') + parts.slice(0, shown).join(text.includes(':') ? ':' : '');
}

function fraction({ nanosecond }: WallClock, _moment: GoMoment, text: string): string {
  const digits = String(nanosecond)
    .padStart(9, '0')
    .slice(0, text.length - 1)
    .padEnd(text.length - 1, '0');
  if (!text.includes('9')) return text.charAt(0) + digits;
  const short = digits.replace(/0+$/, '');
  return short && text.charAt(0) + short;
}

/** compat: a zone without a name prints as its offset. */
const zoneName = (clock: WallClock, moment: GoMoment): string =>
  moment.zoneName || offset(clock, moment, '-0700');

const printers: Readonly<Record<LayoutPiece['kind'], Printer>> = {
  literal: (_clock, _moment, text) => text,
  longMonth: (clock) => months[clock.month - 1] ?? '',
  month: (clock) => (months[clock.month - 1] ?? '').slice(0, 3),
  monthNumber: (clock) => String(clock.month),
  zeroMonth: (clock) => two(clock.month),
  longWeekday: (clock) => weekdays[clock.weekday] ?? '',
  weekday: (clock) => (weekdays[clock.weekday] ?? '').slice(0, 3),
  day: (clock) => String(clock.day),
  underDay: (clock) => String(clock.day).padStart(2, ' '),
  zeroDay: (clock) => two(clock.day),
  underYearDay: (clock) => String(clock.yearDay).padStart(3, ' '),
  zeroYearDay: (clock) => String(clock.yearDay).padStart(3, '0'),
  hour: (clock) => two(clock.hour),
  hour12: (clock) => String(hour12(clock.hour)),
  zeroHour12: (clock) => two(hour12(clock.hour)),
  minute: (clock) => String(clock.minute),
  zeroMinute: (clock) => two(clock.minute),
  second: (clock) => String(clock.second),
  zeroSecond: (clock) => two(clock.second),
  longYear: (clock) => year(clock.year),
  year2: (clock) => two(Math.abs(clock.year) % 100),
  PM: (clock) => (clock.hour >= 12 ? 'PM' : 'AM'),
  pm: (clock) => (clock.hour >= 12 ? 'pm' : 'am'),
  zoneName: (clock, moment) => zoneName(clock, moment),
  fraction0: fraction,
  fraction9: fraction,
  Z070000: offset,
  'Z07:00:00': offset,
  Z0700: offset,
  'Z07:00': offset,
  Z07: offset,
  '-070000': offset,
  '-07:00:00': offset,
  '-0700': offset,
  '-07:00': offset,
  '-07': offset,
};

/** Time.Format. */
export function formatTime(moment: GoMoment, layout: string): string {
  const clock = clockOf(moment);
  return piecesOf(layout)
    .map(({ kind, text }) => printers[kind](clock, moment, text))
    .join('');
}
