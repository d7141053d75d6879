import { withoutUserInfo } from '#model';
import { FairleadError } from '#std';

/** Who to be at a repository whose URL carries a user; the URL itself is kept without one. */
export type Login = { readonly username: string; readonly password: string };

/** Where a repository is and how it is spoken to. `shown` is safe to print: it holds no user-info. */
export type Remote =
  | { readonly kind: 'local'; readonly shown: string; readonly path: string }
  | { readonly kind: 'http'; readonly shown: string; readonly url: URL; readonly login: Login | undefined };

const sshShaped = /^(?:ssh:\/\/)?[^/:]*?@[^@]+$/;
const badEscape = /%(?![0-9a-f]{2})/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what we look for
const control = /[\u0000-\u0020\u007f]/;

/** Reads a repository URL; throws InvalidSpec for what we do not speak, with the reason and the way out. */
export function parseRemote(repoUrl: string): Remote {
  const text = repoUrl.trim();
  const shown = withoutUserInfo(text);
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
  return { kind: 'http', shown: withoutUserInfo(url.href), url, login };
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * What one mirror and one list of refs are kept under: the URL as it is spoken. The normal form would be wrong
 * here, because on a host that minds case it gives two repositories one name.
 */
export function remoteKey(remote: Remote): string {
  return remote.kind === 'local' ? remote.path : remote.url.href.replace(/\.git$/, '');
}
