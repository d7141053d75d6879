import { JqError } from '../run.ts';
import { article } from '../step.ts';
import { formatTime, parseTime } from '../time-format.ts';
import { isNumber, type JsonValue } from '../value.ts';
import { type Natives, ofInput, ofOne, textFor } from './native.ts';

/** compat gojq: year, month from 0, day, hours, minutes, seconds with fraction, day of the week, day of the year from 0. */
type Broken = [number, number, number, number, number, number, number, number];

function breakDown(seconds: number): Broken {
  const date = new Date(Math.floor(seconds) * 1000);
  if (Number.isNaN(date.getTime())) throw new JqError('a time that no calendar reaches');
  const fraction = Math.trunc((seconds - Math.floor(seconds)) * 1e9) / 1e9;
  const year = date.getUTCFullYear();
  return [
    year,
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds() + fraction,
    date.getUTCDay(),
    Math.round((Date.UTC(year, date.getUTCMonth(), date.getUTCDate()) - Date.UTC(year, 0, 1)) / 86_400_000),
  ];
}

function secondsOf(name: string, value: JsonValue): number {
  if (!Array.isArray(value)) throw new JqError(`${name} needs a time as an array, not ${article(value)}`);
  const parts = value.slice(0, 8).map((part) => {
    if (isNumber(part)) return Number(part);
    throw new JqError(`${name} needs a time made of numbers`);
  });
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  const date = new Date(0);
  date.setUTCFullYear(Math.trunc(year), Math.trunc(month), Math.trunc(day));
  date.setUTCHours(Math.trunc(hour), Math.trunc(minute), Math.trunc(second));
  const seconds = date.getTime() / 1000;
  if (Number.isNaN(seconds)) throw new JqError('a time that no calendar reaches');
  return seconds + Math.trunc((second - Math.floor(second)) * 1e9) / 1e9;
}

function timeFor(name: string, value: JsonValue): Broken {
  return breakDown(isNumber(value) ? Number(value) : secondsOf(name, value));
}

function broken(name: string, value: JsonValue): Broken {
  if (isNumber(value)) return breakDown(Number(value));
  throw new JqError(`${name} needs seconds, not ${article(value)}`);
}

function strptime(value: JsonValue, format: JsonValue): number {
  return parseTime(textFor('strptime', value), textFor('strptime', format));
}

/** An expression gives the same result everywhere, so local time is UTC. */
const strftime = (name: string) =>
  ofOne((run, value, format) => {
    const text = formatTime(timeFor(name, value), textFor(name, format));
    run.take(text.length);
    return text;
  });

const iso = '%Y-%m-%dT%H:%M:%S';
const toDate = ofInput((_run, value) => formatTime(timeFor('todate', value), `${iso}Z`));
const fromDate = ofInput((_run, value) => strptime(value, `${iso}%z`));

export const dateFunctions: Natives = {
  'gmtime/0': ofInput((_run, value) => broken('gmtime', value)),
  'localtime/0': ofInput((_run, value) => broken('localtime', value)),
  'mktime/0': ofInput((_run, value) => secondsOf('mktime', value)),
  'strftime/1': strftime('strftime'),
  'strflocaltime/1': strftime('strflocaltime'),
  'strptime/1': ofOne((_run, value, format) => breakDown(strptime(value, format))),
  'todate/0': toDate,
  'todateiso8601/0': toDate,
  'fromdate/0': fromDate,
  'fromdateiso8601/0': fromDate,
};
