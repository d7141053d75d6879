import type { Charge, Rows } from '../function-table.ts';
import { traversal } from '../meter.ts';
import { CelError, type CelValue, ListValue, MapValue, Opaque } from '../value.ts';

/** A URL split as Go splits it: nothing is resolved, lower-cased or added. */
export class Url extends Opaque {
  readonly typeName = 'kubernetes.URL';
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string, parts: { scheme: string; host: string; path: string; query: string }) {
    super();
    this.text = text;
    this.scheme = parts.scheme;
    this.host = parts.host;
    this.path = parts.path;
    this.query = parts.query;
  }

  equals(other: Opaque): boolean {
    return other instanceof Url && other.text === this.text;
  }
}

/** Why a text is not an absolute URL or path, in Go's words; undefined when it is one. */
export function uriProblem(text: string): string | undefined {
  const why = problem(text);
  return why === undefined ? undefined : `parse ${JSON.stringify(text)}: ${why}`;
}

function problem(text: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what Go refuses
  if (/[\x00-\x1f\x7f]/.test(text)) return 'net/url: invalid control character in URL';
  if (text === '') return 'empty url';
  if (text.startsWith(':')) return 'missing protocol scheme';
  const broken = /%(?![0-9a-fA-F]{2})/.exec(text.split('?', 1)[0] ?? '');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text);
  if (!scheme && !text.startsWith('/')) return 'invalid URI for request';
  if (broken) return `invalid URL escape ${JSON.stringify(text.slice(broken.index, broken.index + 3))}`;
  const host = hostOf(text, scheme?.[0].length ?? 0);
  return host === undefined ? undefined : hostProblem(host);
}

function hostOf(text: string, from: number): string | undefined {
  const rest = text.slice(from);
  if (!rest.startsWith('//')) return undefined;
  return rest.slice(2).split(/[/?#]/, 1)[0];
}

function hostProblem(authority: string): string | undefined {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (host.startsWith('[')) {
    const end = host.indexOf(']');
    if (end < 0) return "missing ']' in host";
    return portProblem(host.slice(end + 1));
  }
  const bad = /[ "<>\\^`{|}]/.exec(host);
  if (bad) return `invalid character ${JSON.stringify(bad[0])} in host name`;
  const colon = host.indexOf(':');
  return colon < 0 ? undefined : portProblem(host.slice(colon));
}

const portProblem = (port: string): string | undefined =>
  port === '' || /^:\d*$/.test(port) ? undefined : `invalid port ${JSON.stringify(port)} after host`;

function parse(text: string): Url | CelError {
  const why = uriProblem(text);
  if (why !== undefined) return new CelError(`URL parse error during conversion from string: ${why}`);
  const [plain = ''] = text.split('#', 1);
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(plain);
  const rest = plain.slice(scheme?.[0].length ?? 0);
  const cut = rest.indexOf('?');
  const before = cut < 0 ? rest : rest.slice(0, cut);
  const authority = hostOf(before, 0);
  const path = authority === undefined ? before : before.slice(2 + authority.length);
  return new Url(text, {
    scheme: scheme?.[1]?.toLowerCase() ?? '',
    host: authority?.slice(authority.lastIndexOf('@') + 1) ?? '',
    path: authority === undefined && !before.startsWith('/') ? '' : path,
    query: cut < 0 ? '' : rest.slice(cut + 1),
  });
}

const hostname = ({ host }: Url): string => {
  const bracketed = /^\[(.*)\](?::\d*)?$/.exec(host);
  return bracketed ? (bracketed[1] ?? '') : (host.split(':', 1)[0] ?? '');
};

const port = ({ host }: Url): string => /:(\d*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? '';

/** Characters that a path may contain unescaped; the rest is escaped. */
const escapedPath = ({ path }: Url): string =>
  path.replaceAll(/[^A-Za-z0-9\-_.~$&+,/:;=@%!'()*[\]]/gu, (char) => encodeURIComponent(char));

function queryOf({ query }: Url): CelValue {
  const values = new Map<string, string[]>();
  for (const [key, value] of query.split('&').flatMap(pairOf)) {
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  }
  return MapValue.from([...values].map(([key, list]) => [key, new ListValue(list)] as const));
}

/** Empty for pairs that Go ignores: empty ones, semicolons, broken escapes. */
function pairOf(pair: string): [string, string][] {
  if (pair === '' || pair.includes(';')) return [];
  const cut = pair.indexOf('=');
  const key = decoded(cut < 0 ? pair : pair.slice(0, cut));
  const value = decoded(cut < 0 ? '' : pair.slice(cut + 1));
  return key === undefined || value === undefined ? [] : [[key, value]];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

const read = (part: (url: Url) => CelValue, type = 'string'): Rows[string] => [
  [`kubernetes.URL.() -> ${type}`, part],
];

export const urlRows: Rows = {
  url: [['(string) -> kubernetes.URL', parse]],
  isURL: [['(string) -> bool', (text: string) => uriProblem(text) === undefined]],
  getScheme: read(({ scheme }) => scheme),
  getHost: read(({ host }) => host),
  getHostname: read(hostname),
  getPort: read(port),
  getEscapedPath: read(escapedPath),
  getQuery: read(queryOf, 'map(string, list(string))'),
};

const once: Charge = ([text]) => traversal(text);
export const urlCharges: Readonly<Record<string, Charge>> = { url: once };
