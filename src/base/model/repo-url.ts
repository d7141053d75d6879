import { Lru } from '#base/std';

const sshShaped = /^(?:ssh:\/\/)?[^/:]*?@[^@]+$/;

/** Every reconciliation compares the same few URLs with those that a project permits. */
const known = new Lru<string>({ capacity: 10_000 });

/**
 * The form by which repository URLs are compared (sources.md 1.4.1): lower case, no `.git`, no `ssh://`, and
 * `user@host:path` written as `user@host/path`. An unparsable URL gives ''.
 */
export function normalizeRepoUrl(url: string): string {
  const found = known.get(url);
  if (found !== undefined) return found;
  const normal = normalized(url);
  known.set(url, normal);
  return normal;
}

function normalized(url: string): string {
  let text = url.trim().toLowerCase();
  if (sshShaped.test(text) && !text.startsWith('ssh://')) text = `ssh://${text.replace(':', '/')}`;
  text = text.replace(/\.git$/, '').replace(/#$/, '');
  return isParsable(text) ? printed(text).replace(/^ssh:\/\//, '') : '';
}

/** Two URLs of one repository. An unparsable URL matches none. */
export function sameRepo(a: string, b: string): boolean {
  const normal = normalizeRepoUrl(a);
  return normal !== '' && normal === normalizeRepoUrl(b);
}

/** The URL without user and password, for every log, event and error (sources CRED-11). */
export function withoutUserInfo(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
}

const shape = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?[^#]*)?(?:#.*)?$/s;

/** The URLs that Go's parser accepts, as far as repository URLs are concerned. */
function isParsable(text: string): boolean {
  const [found, scheme, host, path = ''] = shape.exec(text) ?? [];
  if (found === undefined || /\p{Cc}/u.test(text)) return false;
  if (scheme === undefined && host === undefined && /^[^/]*:/.test(path)) return false;
  if (/%(?![0-9a-f]{2})/.test(path)) return false;
  return host === undefined || isHost(host.slice(host.lastIndexOf('@') + 1));
}

function isHost(host: string): boolean {
  const name = host.startsWith('[') ? /^\[[^\]]*\](.*)$/.exec(host)?.[1] : host.replace(/^[^:]*/, '');
  return name !== undefined && /^(?::[0-9]*)?$/.test(name) && !/[ <>"\\^`{|}]/.test(host);
}

// Go prints a path with the characters escaped that a path may not hold
const printed = (text: string): string =>
  text.replace(/[ "<>\\^`{|}]|\P{ASCII}/gu, (char) => encodeURIComponent(char));
