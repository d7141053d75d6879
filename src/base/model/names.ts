import { encodeText } from './text.ts';

/*
 * Which names, labels and keys Kubernetes accepts. Each function returns the errors, in the wording of
 * Kubernetes, because clients and users compare them; an empty list means valid.
 */

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const dns1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const keyName = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${keyName})?`;
const configKey = '[-._a-zA-Z0-9]+';

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const tests = {
  label: whole(label),
  subdomain: whole(subdomain),
  dns1035: whole(dns1035),
  keyName: whole(keyName),
  labelValue: whole(labelValue),
  configKey: whole(configKey),
};

const edges = 'and must start and end with an alphanumeric character';
const labelRule = explain(
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${edges}`,
  label,
  ['my-name', '123-abc'],
);
const subdomainRule = explain(
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${edges}`,
  subdomain,
  ['example.com'],
);
const dns1035Rule = explain(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  dns1035,
  ['my-name', 'abc-123'],
);
const keyRule = explain(`must consist of alphanumeric characters, '-', '_' or '.', ${edges}`, keyName, [
  'MyName',
  'my.name',
  '123-abc',
]);
const valueRule = explain(
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${edges}`,
  labelValue,
  ['MyValue', 'my_value', '12345'],
);
const configKeyRule = explain(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configKey,
  ['key.name', 'KEY_NAME', 'key-name'],
);

function explain(rule: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

/** Namespaces, container names: up to 63 characters. */
export function dnsLabelProblems(name: string): string[] {
  const tooLong = longer(name, 63, 'characters');
  if (tests.label.test(name)) return tooLong;
  return [...tooLong, tests.subdomain.test(name) ? 'must not contain dots' : labelRule];
}

/** Most object names, Applications among them (engine A-2): up to 253 characters. */
export function dnsSubdomainProblems(name: string): string[] {
  return [...longer(name, 253, 'characters'), ...(tests.subdomain.test(name) ? [] : [subdomainRule])];
}

/** Service names: a label that begins with a letter. */
export function dns1035LabelProblems(name: string): string[] {
  return [...longer(name, 63, 'characters'), ...(tests.dns1035.test(name) ? [] : [dns1035Rule])];
}

/** RBAC names: anything that can stand between two slashes of a URL. */
export function pathSegmentProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

/** A generateName as it is validated: its closing dash will not be the last character. */
export function maskedPrefix(generateName: string): string {
  const ends = generateName.length > 1 && generateName.endsWith('-');
  return ends ? `${generateName.slice(0, -2)}a` : generateName;
}

/** A label or annotation key: `name` or `prefix/name`. Annotations are checked in lower case. */
export function labelKeyProblems(key: string): string[] {
  const [first = '', second, ...more] = key.split('/');
  if (more.length > 0) {
    return [
      `a valid label key ${keyRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = second ?? first;
  return [...(second === undefined ? [] : prefixProblems(first)), ...keyNameProblems(name)];
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  const wrong = tests.subdomain.test(prefix) ? [] : [subdomainRule];
  return [...longer(prefix, 253, 'bytes'), ...wrong].map((problem) => `prefix part ${problem}`);
}

function keyNameProblems(name: string): string[] {
  const size = name === '' ? ['must be non-empty'] : longer(name, 63, 'bytes');
  return [...size, ...(tests.keyName.test(name) ? [] : [keyRule])].map((problem) => `name part ${problem}`);
}

export function labelValueProblems(value: string): string[] {
  return [...longer(value, 63, 'bytes'), ...(tests.labelValue.test(value) ? [] : [valueRule])];
}

/** A key in the data of a ConfigMap or Secret. */
export function configKeyProblems(key: string): string[] {
  return [
    ...longer(key, 253, 'characters'),
    ...(tests.configKey.test(key) ? [] : [configKeyRule]),
    ...(key === '.' || key === '..' ? [`must not be '${key}'`] : []),
    ...(key.startsWith('..') && key !== '..' ? ["must not start with '..'"] : []),
  ];
}

/** The name of a port in a container or a Service. */
export function portNameProblems(name: string): string[] {
  return [
    ...longer(name, 15, 'characters'),
    ...(/^[-a-z0-9]+$/.test(name)
      ? []
      : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(/^-|-$/.test(name) ? ['must not begin or end with a hyphen'] : []),
  ];
}

// compat: Kubernetes counts bytes everywhere, but reports so only in some messages
function longer(text: string, limit: number, unit: 'characters' | 'bytes'): string[] {
  const fits = text.length <= limit / 4 || encodeText(text).length <= limit;
  return fits ? [] : [`must be no more than ${limit} ${unit}`];
}
