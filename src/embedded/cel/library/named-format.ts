import type { Charge, Rows } from '../function-table.ts';
import { matching, sizeOf } from '../meter.ts';
import { parseTimestamp } from '../time.ts';
import { type CelValue, ListValue, none, Opaque, OptionalValue } from '../value.ts';
import { uriProblem } from './url.ts';

/** A named rule for texts. */
class NamedFormat extends Opaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;
  /** The pattern length that the cost model assumes for it. */
  readonly size: number;
  readonly problems: (text: string) => string[];

  constructor(name: string, size: number, problems: (text: string) => string[]) {
    super();
    this.name = name;
    this.size = size;
    this.problems = problems;
  }

  equals(other: Opaque): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const value = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';

const tooLong = (limit: number, unit = 'bytes'): string => `must be no more than ${limit} ${unit}`;

const labelText = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`;
const subdomainText = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`;
const label1035Text = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${label1035}')`;
const valueText = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${value}')`;

const limited =
  (limit: number, pattern: string, sentence: string, unit?: string) =>
  (text: string): string[] => {
    const length = new TextEncoder().encode(text).length;
    return [
      ...(length > limit ? [tooLong(limit, unit)] : []),
      ...(new RegExp(`^(?:${pattern})$`).test(text) ? [] : [sentence]),
    ];
  };

/** A name prefix may end in a dash. */
const prefix =
  (problems: (text: string) => string[]) =>
  (text: string): string[] =>
    problems(text.endsWith('-') && text.length > 1 ? `${text.slice(0, -1)}a` : text);

const namePart = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const nameText = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${namePart}')`;

function qualifiedName(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2) {
    return [
      "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  }
  const [first = '', second] = parts;
  const name = second ?? first;
  const before = second === undefined ? [] : prefixProblems(first);
  if (name === '') return [...before, 'name part must be non-empty', nameText];
  return [
    ...before,
    ...(new TextEncoder().encode(name).length > 63 ? [`name part ${tooLong(63)}`] : []),
    ...(new RegExp(`^(?:${namePart})$`).test(name) ? [] : [nameText]),
  ];
}

function prefixProblems(text: string): string[] {
  if (text === '') return ['prefix part must be non-empty'];
  return dnsSubdomain(text).map((problem) => `prefix part ${problem}`);
}

const undotted =
  (problems: (text: string) => string[]) =>
  (text: string): string[] =>
    text.includes('.') && dnsSubdomain(text).length === 0 ? ['must not contain dots'] : problems(text);

const dnsLabel = undotted(limited(63, label, labelText, 'characters'));
const dnsSubdomain = limited(253, subdomain, subdomainText, 'characters');
const dns1035 = limited(63, label1035, label1035Text, 'characters');

const unless = (holds: (text: string) => boolean, sentence: string) => (text: string) =>
  holds(text) ? [] : [sentence];

const isDate = (text: string): boolean =>
  parseTimestamp(`${text}T00:00:00Z`) !== undefined && /^\d{4}-\d\d-\d\d$/.test(text);
const isBase64 = (text: string): boolean =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text.replaceAll(/[\r\n]/g, '')) &&
  text !== '';
const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text);
const isDateTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text) &&
  parseTimestamp(text.toUpperCase()) !== undefined;

const formats = {
  dns1123Label: new NamedFormat('DNS1123Label', 30, dnsLabel),
  dns1123Subdomain: new NamedFormat('DNS1123Subdomain', 60, dnsSubdomain),
  dns1035Label: new NamedFormat('DNS1035Label', 30, dns1035),
  qualifiedName: new NamedFormat('QualifiedName', 60, qualifiedName),
  dns1123LabelPrefix: new NamedFormat('DNS1123LabelPrefix', 30, prefix(dnsLabel)),
  dns1123SubdomainPrefix: new NamedFormat('DNS1123SubdomainPrefix', 60, prefix(dnsSubdomain)),
  dns1035LabelPrefix: new NamedFormat('DNS1035LabelPrefix', 30, prefix(dns1035)),
  labelValue: new NamedFormat('LabelValue', 40, limited(63, value, valueText)),
  uri: new NamedFormat('URI', 2083, (text) => {
    const problem = uriProblem(text);
    return problem === undefined ? [] : [problem];
  }),
  uuid: new NamedFormat('uuid', 128, unless(isUuid, 'does not match the UUID format')),
  byte: new NamedFormat('byte', 64, unless(isBase64, 'invalid base64')),
  date: new NamedFormat('date', 150, unless(isDate, 'invalid date')),
  datetime: new NamedFormat('datetime', 150, unless(isDateTime, 'invalid datetime')),
} as const;

function validate(format: NamedFormat, text: string): CelValue {
  const problems = format.problems(text);
  return problems.length === 0 ? none : new OptionalValue(new ListValue(problems));
}

const type = 'kubernetes.NamedFormat';

export const namedFormatRows: Rows = {
  ...Object.fromEntries(
    Object.entries(formats).map(([name, format]) => [`format.${name}`, [[`() -> ${type}`, () => format]]]),
  ),
  'format.named': [
    [
      `(string) -> optional(${type})`,
      (name: string) =>
        Object.hasOwn(formats, name) ? new OptionalValue(formats[name as keyof typeof formats]) : none,
    ],
  ],
  validate: [[`${type}.(string) -> optional(list(string))`, validate]],
};

export const namedFormatCharges: Readonly<Record<string, Charge>> = {
  validate: ([format, text]) => matching(sizeOf(text), format instanceof NamedFormat ? format.size : 1),
};
