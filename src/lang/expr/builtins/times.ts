import { findTimeZone } from '#base/std';
import { inZone, parseDuration, parseTime, unixOf, utcMoment } from '#lang/go-template';
import { ExprError } from '../errors.ts';
import { ExprDuration, ExprTime, type ExprValue, ExprZone, wallClock } from '../value.ts';
import { textArg } from './arguments.ts';
import type { Builtin } from './builtin.ts';

/** What `date` tries when no layout is given. */
const layouts = [
  '2006-01-02',
  '15:04:05',
  '2006-01-02 15:04:05',
  '2006-01-02T15:04:05Z07:00',
  '02 Jan 06 15:04 MST',
  'Monday, 02-Jan-06 15:04:05 MST',
  'Mon, 02 Jan 2006 15:04:05 MST',
];

function zoneOf(name: string): ExprZone {
  if (name === '' || name === 'UTC' || findTimeZone(name)) return new ExprZone(name || 'UTC');
  throw new ExprError(`the time zone ${name} is unknown`);
}

/** A text without an offset of its own means the clock of the zone. */
function parseIn(layout: string, text: string, zone: ExprZone | undefined): ExprTime {
  const parsed = new ExprTime(parseTime(layout, text));
  if (!zone || /07:?00|MST|-07/.test(layout)) return parsed;
  const wanted = parsed.at.unix;
  const guess = inZone(utcMoment(wanted), zone.name);
  const shift = unixOf(wallClock(new ExprTime(guess))) - wanted;
  return new ExprTime(inZone(utcMoment(wanted - shift), zone.name));
}

function date(args: readonly ExprValue[]): ExprTime {
  const [first, ...others] = args;
  const zone = first instanceof ExprZone ? first : undefined;
  const [text, layout, name] = zone ? others : args;
  const given = textArg('date', text);
  if (layout !== undefined) {
    const named = name === undefined ? zone : zoneOf(textArg('date', name));
    return parseIn(textArg('date', layout), given, named);
  }
  for (const known of layouts) {
    try {
      return parseIn(known, given, zone);
    } catch {
      // the next layout may fit
    }
  }
  throw new ExprError(`date cannot read ${JSON.stringify(given)}`);
}

export const timeFunctions: Readonly<Record<string, Builtin>> = {
  now: {
    arity: [0, 1],
    call: (run, zone) => {
      if (!run.now) throw new ExprError('now is not known here');
      const now = utcMoment(BigInt(Math.trunc(run.now())) * 1_000_000n);
      if (zone === undefined) return new ExprTime(now);
      if (!(zone instanceof ExprZone)) throw new ExprError('now takes a time zone');
      return new ExprTime(inZone(now, zone.name));
    },
  },
  duration: { arity: [1], call: (_run, text) => new ExprDuration(parseDuration(textArg('duration', text))) },
  date: { arity: [1, 4], call: (_run, ...args) => date(args) },
  timezone: { arity: [1], call: (_run, name) => zoneOf(textArg('timezone', name)) },
};
