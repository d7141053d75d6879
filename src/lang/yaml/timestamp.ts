/**
 * The four forms of date that go-yaml tries, in Go's reading of them: one or two digits, `,` as well as `.` before
 * fractions, any number of spaces.
 */
const form =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt](\d\d?):(\d\d?):(\d\d?)(?:[.,](\d+))?(Z|[-+]\d\d:\d\d))|(?: +(\d\d?):(\d\d?):(\d\d?)(?:[.,](\d+))?))?$/;

const longMonths = new Set([1, 3, 5, 7, 8, 10, 12]);
const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const two = (digits: string | undefined): string => (digits ?? '0').padStart(2, '0');

function daysIn(month: number, year: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return longMonths.has(month) ? 31 : 30;
}

const isDate = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= daysIn(month, year);
const isTime = (hour: string, minute: string, second: string): boolean =>
  Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;

function zoneText(zone: string | undefined): string {
  return zone === undefined || zone === '+00:00' || zone === '-00:00' ? 'Z' : zone;
}
const isZone = (zone: string | undefined): boolean =>
  zone === undefined || zone === 'Z' || (Number(zone.slice(1, 3)) < 24 && Number(zone.slice(4)) < 60);

/** The date in RFC 3339, as Go prints it; undefined when the text is not one that go-yaml takes for a date. */
export function timestamp(text: string): string | undefined {
  const found = form.exec(text);
  if (!found) return undefined;
  const [, year = '', month = '', day = ''] = found;
  const [hour = '0', minute = '0', second = '0', fraction = ''] =
    found[4] === undefined ? found.slice(9, 13) : found.slice(4, 8);
  const zone = found[8];
  if (!isDate(Number(year), Number(month), Number(day)) || !isTime(hour, minute, second)) return undefined;
  if (!isZone(zone)) return undefined;
  const nanos = fraction.slice(0, 9).replace(/0+$/, '');
  const clock = `${two(hour)}:${two(minute)}:${two(second)}${nanos === '' ? '' : `.${nanos}`}`;
  return `${year}-${two(month)}-${two(day)}T${clock}${zoneText(zone)}`;
}
