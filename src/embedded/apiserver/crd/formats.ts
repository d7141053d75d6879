import { isIP, isIPv4, isIPv6 } from 'node:net';

const hex = (pattern: string): RegExp => new RegExp(`^${pattern}$`, 'i');
const uuid = (version: string): RegExp =>
  hex(`[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}`);

const date = /^(\d{4})-(\d\d)-(\d\d)$/;
const dateTime =
  /^(\d{4}-\d\d-\d\d)[Tt](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function isDate(text: string): boolean {
  const found = date.exec(text);
  if (!found) return false;
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  const made = new Date(Date.UTC(2000, month - 1, 1));
  made.setUTCFullYear(year, month - 1, day);
  return made.getUTCMonth() === month - 1 && made.getUTCDate() === day;
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  const limit = isIPv4(address) ? 32 : 128;
  return more.length === 0 && isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= limit;
}

function isUri(text: string): boolean {
  return text.startsWith('/') || /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(text);
}

const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

/** compat cluster 3.15: the formats that kube-openapi knows; any other name has no effect. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: matches(hex('[0-9a-f]{24}')),
  uri: isUri,
  email: matches(/^[^\s@<>"]+@[^\s@<>"]+$/),
  hostname: matches(
    /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\.?$/i,
  ),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: matches(
    hex('(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\\1){4,6}[0-9a-f]{2}|(?:[0-9a-f]{4}\\.){2,3}[0-9a-f]{4}'),
  ),
  uuid: matches(uuid('[0-9a-f]')),
  uuid3: matches(uuid('3')),
  uuid4: matches(hex('[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}')),
  uuid5: matches(hex('[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}')),
  hexcolor: matches(hex('#?(?:[0-9a-f]{3}|[0-9a-f]{6})')),
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/),
  date: isDate,
  'date-time': (text) => dateTime.test(text) && isDate(text.slice(0, 10)),
  duration: matches(/^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)\s*(?:ns|us|µs|μs|ms|s|m|h|d|w|[a-z]+))+)$/i),
};

/** Whether a text has the format; an unknown format accepts every text. */
export const matchesFormat = (format: string, text: string): boolean =>
  Object.hasOwn(formats, format) ? formats[format]?.(text) !== false : true;

/** Formats that are known and accept every text. */
const silent = new Set(
  'int32 int64 float double password isbn isbn10 isbn13 creditcard ssn rgbcolor datetime k8s-short-name k8s-long-name'.split(
    ' ',
  ),
);

/** compat cluster 3.15: a definition may name an unknown format; its author gets a warning. */
export const isKnownFormat = (format: string): boolean =>
  Object.hasOwn(formats, format) || silent.has(format);
