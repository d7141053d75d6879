import { FairleadError } from '#std';

/** Who to be at a repository whose URL carries a user; the URL itself is kept without one. */
export type Login = { readonly username: string; readonly password: string };

/** Where a repository is and how it is spoken to. `shown` is safe to print: it holds no user-info. */
export type Remote =
  | { readonly kind: 'local'; readonly shown: string; readonly path: string }
  | { readonly kind: 'http'; readonly shown: string; readonly url: URL; readonly login: Login | undefined };

const sshShaped = /^(ssh:\/\/)?([^/:]*?)@[^@]+$/;
const badEscape = /%(?![0-9a-f]{2})/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what we look for
const control = /[\u0000-\u0020\u007f]/;

/**
 * The form under which two spellings of a URL are one repository (identity and permission, never transport).
 * Empty when the text is no URL at all.
 */
export function normalizeUrl(repoUrl: string): string {
  // compat 1.4.1: the whole text is lower-cased, the path too
  let url = repoUrl.trim().toLowerCase();
  if (sshShaped.test(url) && !url.startsWith('ssh://')) url = `ssh://${url.replace(':', '/')}`;
  url = url.replace(/\.git$/, '');
  if (!isParsable(url)) return '';
  return url.replace(/^ssh:\/\//, '');
}

/** Tells whether two spellings name one repository; never true of text that is no URL. */
export function sameRepository(a: string, b: string): boolean {
  const normal = normalizeUrl(a);
  return normal !== '' && normal === normalizeUrl(b);
}

/** The URL without user-info, for every log, event and error (CRED-11). */
export function redactUrl(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
}

/** Reads a repository URL; throws InvalidSpec for what we do not speak, with the reason and the way out. */
export function parseRemote(repoUrl: string): Remote {
  const text = repoUrl.trim();
  const shown = redactUrl(text);
  if (text === '') throw new FairleadError('InvalidSpec', 'repoURL is empty: name a Git repository');
  if (text.startsWith('-') || control.test(text)) {
    throw new FairleadError(
      'InvalidSpec',
      `repository URL ${JSON.stringify(shown)} holds a character that no URL may hold: correct repoURL`,
    );
  }
  if (text.startsWith('/')) return localRemote(text, text);
  if (/^file:\/\//i.test(text)) return localRemote(pathOfFileUrl(text, shown), shown);
  if (/^https?:\/\//i.test(text)) return httpRemote(text, shown);
  if (/^ssh:\/\//i.test(text) || sshShaped.test(text)) {
    throw new FairleadError(
      'InvalidSpec',
      `not supported yet: repository ${shown} over ssh; use its https URL`,
    );
  }
  throw new FairleadError(
    'InvalidSpec',
    `repository URL ${shown} is of no kind we speak: use https://, http://, file:// or an absolute path`,
  );
}

function localRemote(path: string, shown: string): Remote {
  const clean = path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');
  if (clean.includes('\0') || clean.split('/').includes('..')) {
    throw new FairleadError('InvalidSpec', `repository path ${shown} may not hold "..": write it out`);
  }
  return { kind: 'local', shown, path: clean };
}

function pathOfFileUrl(text: string, shown: string): string {
  const match = /^file:\/\/(localhost)?(\/.*)$/i.exec(text);
  if (!match || badEscape.test(text)) {
    throw new FairleadError('InvalidSpec', `repository URL ${shown} is not of the form file:///folder`);
  }
  return decodeURIComponent(match[2] ?? '');
}

function httpRemote(text: string, shown: string): Remote {
  const url = parsed(text);
  if (!url) throw new FairleadError('InvalidSpec', `repository URL ${shown} cannot be read: correct repoURL`);
  const login =
    url.username || url.password
      ? { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }
      : undefined;
  url.username = '';
  url.password = '';
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '');
  return { kind: 'http', shown: redactUrl(url.href), url, login };
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** What Go's net/url refuses: control characters, broken escapes, a port that is no number. */
function isParsable(url: string): boolean {
  if (control.test(url.replaceAll(' ', '')) || badEscape.test(url)) return false;
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/.exec(url)?.[1];
  if (authority === undefined) return !/^[^/]*[^a-z0-9+./-][^/]*:/.test(url) && !/^[0-9][^/]*:/.test(url);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return !host.includes(' ') && /^(\[[^\]]*\]|[^:]*)(:\d*)?$/.test(host);
}

/**
 * What one mirror and one list of refs are kept under: the URL as it is spoken. The normal form would be wrong
 * here, because on a host that minds case it gives two repositories one name.
 */
export function remoteKey(remote: Remote): string {
  return remote.kind === 'local' ? remote.path : remote.url.href.replace(/\.git$/, '');
}
