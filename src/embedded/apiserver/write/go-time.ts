/** The steps of RFC 3339 as Go reads them: a literal text, or a number with the name of its layout. */
type Step = {
  readonly layout: string;
  readonly pattern: RegExp;
  readonly most?: number;
  readonly name?: string;
};

const literal = (layout: string): Step => ({ layout, pattern: new RegExp(`^${layout}`) });
const number = (layout: string, name: string, most: number, pattern = /^\d\d/): Step => ({
  layout,
  pattern,
  most,
  name,
});

const steps: readonly Step[] = [
  { layout: '2006', pattern: /^\d{4}/ },
  literal('-'),
  number('01', 'month', 12),
  literal('-'),
  number('02', 'day', 31),
  literal('T'),
  number('15', 'hour', 23, /^\d\d?/),
  literal(':'),
  number('04', 'minute', 59),
  literal(':'),
  number('05', 'second', 59),
];
const wholeSeconds = '2006-01-02T15:04:05Z07:00';
const microSeconds = '2006-01-02T15:04:05.000000Z07:00';
const usual = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/;

/** Why Go does not parse the text as a time; undefined when it does. `micro`: six digits of a second are required. */
export function timeProblem(text: string, micro: boolean): string | undefined {
  if (!micro && usual.test(text)) return undefined;
  const shown = JSON.stringify(text);
  const found = read(text, micro);
  if (found === undefined) return undefined;
  if ('why' in found) return `parsing time ${shown}: ${found.why}`;
  const layout = JSON.stringify(micro ? microSeconds : wholeSeconds);
  const [rest, as] = [JSON.stringify(found.rest), JSON.stringify(found.as)];
  return `parsing time ${shown} as ${layout}: cannot parse ${rest} as ${as}`;
}

/** The rest at which parsing stopped and the expected layout; or the error in a part. */
type Found = { readonly rest: string; readonly as: string } | { readonly why: string };

function read(text: string, micro: boolean): Found | undefined {
  let rest = text;
  for (const { layout: as, pattern, most = Number.POSITIVE_INFINITY, name = '' } of steps) {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined) return { rest, as };
    if (isOut(name, Number(found), most)) return { why: `${name} out of range` };
    rest = rest.slice(found.length);
  }
  const fraction = micro ? /^[.,]\d{6}/.exec(rest)?.[0] : (/^[.,]\d+/.exec(rest)?.[0] ?? '');
  if (fraction === undefined) return { rest, as: '.000000' };
  return readZone(rest.slice(fraction.length)) ?? (isDay(text) ? undefined : { why: 'day out of range' });
}

function readZone(rest: string): Found | undefined {
  const zone = /^(?:Z|[+-](\d\d):(\d\d))/.exec(rest);
  if (!zone) return { rest, as: 'Z07:00' };
  const [whole, hours = '0', minutes = '0'] = zone;
  if (Number(hours) > 24) return { why: 'time zone offset hour out of range' };
  if (Number(minutes) > 60) return { why: 'time zone offset minute out of range' };
  return rest === whole ? undefined : { why: `extra text: ${JSON.stringify(rest.slice(whole.length))}` };
}

/** Days are checked last, when the month is known. */
const isOut = (name: string, value: number, most: number): boolean =>
  name !== 'day' && (value > most || (name === 'month' && value === 0));

function isDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
