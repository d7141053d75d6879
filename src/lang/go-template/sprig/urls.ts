import { fn } from '../functions.ts';
import { types } from '../go-type.ts';
import { quote } from '../quote.ts';
import { fromBytes, toBytes } from '../text.ts';
import { GoError, type GoFunction, GoMap, kindOf, type Value } from '../value.ts';

/** sprig's urlParse and urlJoin: the parts of a URL as Go's net/url finds them. */
export const urlFunctions: [string, GoFunction][] = [
  ['urlParse', fn('string', (_run, text) => parseUrl(text))],
  ['urlJoin', fn('map', (_run, parts) => joinUrl(parts))],
];

const fault = (text: string, reason: string): GoError =>
  new GoError(`unable to parse url: parse ${quote(text)}: ${reason}`);

function parseUrl(text: string): GoMap {
  const hash = text.indexOf('#');
  const [whole, fragment] = hash < 0 ? [text, ''] : [text.slice(0, hash), text.slice(hash + 1)];
  if ([...whole].some((char) => char < ' ' || char === '\x7f'))
    throw fault(whole, 'net/url: invalid control character in URL');
  const { scheme, rest } = splitScheme(whole);
  const mark = rest.indexOf('?');
  const [before, query] = mark < 0 ? [rest, ''] : [rest.slice(0, mark), rest.slice(mark + 1)];
  const parts = {
    scheme,
    query,
    host: '',
    userinfo: '',
    path: '',
    opaque: '',
    fragment: unescaped(fragment, text),
  };
  if (!before.startsWith('/') && scheme !== '') return result({ ...parts, opaque: before });
  if (!before.startsWith('/') && /^[^/]*:/.test(before))
    throw fault(whole, 'first path segment in URL cannot contain colon');
  if (!before.startsWith('//') || before.startsWith('///'))
    return result({ ...parts, path: unescaped(before, whole) });
  const slash = before.indexOf('/', 2);
  const authority = slash < 0 ? before.slice(2) : before.slice(2, slash);
  const at = authority.lastIndexOf('@');
  const host = unescapeHost(authority.slice(at + 1), whole);
  const userinfo = at < 0 ? '' : userText(authority.slice(0, at), whole);
  return result({ ...parts, host, userinfo, path: slash < 0 ? '' : unescaped(before.slice(slash), whole) });
}

function result(parts: Readonly<Record<string, string>>): GoMap {
  const hostname = (parts.host ?? '').replace(/:[0-9]*$/, '').replace(/^\[(.*)\]$/, '$1');
  return new GoMap(types.map, new Map(Object.entries({ ...parts, hostname })));
}

function splitScheme(text: string): { scheme: string; rest: string } {
  const found = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text);
  if (found) return { scheme: (found[1] ?? '').toLowerCase(), rest: text.slice(found[0].length) };
  if (text.startsWith(':')) throw fault(text, 'missing protocol scheme');
  return { scheme: '', rest: text };
}

function unescaped(text: string, whole: string): string {
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text)?.[0];
  if (wrong !== undefined) throw fault(whole, `invalid URL escape ${quote(wrong)}`);
  if (!text.includes('%')) return text;
  const bytes: number[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] === '%') {
      bytes.push(Number.parseInt(text.slice(at + 1, at + 3), 16));
      at += 3;
    } else {
      const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
      bytes.push(...toBytes(char));
      at += char.length;
    }
  }
  return fromBytes(Uint8Array.from(bytes));
}

function unescapeHost(host: string, whole: string): string {
  const port = /:([^:\]]*)$/.exec(host)?.[0];
  if (!host.startsWith('[') && port !== undefined && !/^:[0-9]*$/.test(port))
    throw fault(whole, `invalid port ${quote(host.slice(host.indexOf(':')))} after host`);
  const wrong = /[ <>"`{}|\\^]/.exec(host)?.[0];
  if (wrong === ' ' || wrong !== undefined)
    throw fault(whole, `invalid character ${quote(wrong)} in host name`);
  return unescaped(host, whole);
}

/** The userinfo as Go prints it again. */
function userText(userinfo: string, whole: string): string {
  if (/[^A-Za-z0-9\-._:~!$&'()*+,;=%@]/.test(userinfo)) throw fault(whole, 'net/url: invalid userinfo');
  const colon = userinfo.indexOf(':');
  const [user, password] = colon < 0 ? [userinfo] : [userinfo.slice(0, colon), userinfo.slice(colon + 1)];
  const name = escapedAs(unescaped(user ?? '', whole), user0);
  return password === undefined ? name : `${name}:${escapedAs(unescaped(password, whole), user0)}`;
}

const user0 = /[A-Za-z0-9\-_.~$&+,;=]/;
const inPath = /[A-Za-z0-9\-_.~$&+,/:;=@!*'()[\]]/;
const inFragment = /[A-Za-z0-9\-_.~$&+,/:;=?@!*'()]/;
const inHost = /[A-Za-z0-9\-_.~$&+,;=:[\]!'()*<>"]/;

function escapedAs(text: string, safe: RegExp): string {
  let escaped = '';
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    escaped += byte < 0x80 && safe.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

function textOf(parts: GoMap, key: string): string {
  const value: Value = parts.entries.get(key);
  if (!parts.entries.has(key)) return '';
  if (value === null || value === undefined)
    throw new GoError('runtime error: invalid memory address or nil pointer dereference');
  if (typeof value === 'string') return value;
  throw new GoError(`unable to parse ${key} key, must be of type string, but ${kindOf(value)} found`);
}

function joinUrl(parts: GoMap): string {
  const [scheme = '', host = '', path = '', query = '', opaque = '', fragment = '', userinfo = ''] = [
    'scheme',
    'host',
    'path',
    'query',
    'opaque',
    'fragment',
    'userinfo',
  ].map((key) => textOf(parts, key));
  const user = userinfo && `${userText(userinfo, `proto://${userinfo}@host`)}@`;
  const start = scheme && `${scheme}:`;
  const end = (query && `?${query}`) + (fragment && `#${escapedAs(fragment, inFragment)}`);
  return opaque ? start + opaque + end : start + hierarchy({ scheme, host, path, user }) + end;
}

/** `//user@host/path`; slashes stand before a host, and before a path where a scheme or user is. */
function hierarchy({
  scheme,
  host,
  path,
  user,
}: Readonly<Record<'scheme' | 'host' | 'path' | 'user', string>>): string {
  const named = host !== '' || user !== '';
  const slashes = named || (scheme !== '' && path !== '') ? '//' : '';
  const escaped = escapedAs(path, inPath);
  const separator = escaped !== '' && !escaped.startsWith('/') && host !== '' ? '/' : '';
  const guard = scheme === '' && slashes === '' && /^[^/]*:/.test(escaped) ? './' : '';
  return slashes + user + escapedAs(host, inHost) + separator + guard + escaped;
}
