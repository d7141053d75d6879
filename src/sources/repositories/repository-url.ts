import { isIP } from 'node:net';
import { withoutUserInfo } from '#base/model';
import { FairleadError } from '#base/std';
import { decoded } from '#platform/http';

/** The credentials in a repository's URL; the URL itself is kept without them. */
export type UrlCredentials = { readonly username: string; readonly password: string };

/** The address and protocol of a repository. `shown` is safe to print: it contains no user-info. */
export type Remote =
  | { readonly kind: 'local'; readonly shown: string; readonly path: string }
  | {
      readonly kind: 'http';
      readonly shown: string;
      readonly url: URL;
      readonly login: UrlCredentials | undefined;
    }
  | SshRemote;

/** `host` is without brackets; `location` is git's argument, without the port, which ssh gets from its settings. */
export type SshRemote = {
  readonly kind: 'ssh';
  readonly shown: string;
  readonly user: string;
  readonly host: string;
  readonly port: number;
  readonly location: string;
};

const sshShaped = /^(?:ssh:\/\/)?[^/:]*?@[^@]+$/;
const badEscape = /%(?![0-9a-f]{2})/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what we look for
const control = /[\u0000-\u0020\u007f]/;

/** Parses a repository URL; throws InvalidSpec for an unsupported one, with the reason and the remedy. */
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
  if (/^ssh:\/\//i.test(text) || sshShaped.test(text)) return sshRemote(text, shown);
  throw new FairleadError(
    'InvalidSpec',
    `repository URL ${shown} is of no kind we speak: use https://, http://, ssh://, user@host:path, file:// or an absolute path`,
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
  return decoded(match[2] ?? '');
}

function httpRemote(text: string, shown: string): Remote {
  const url = parsed(text);
  if (!url) throw new FairleadError('InvalidSpec', `repository URL ${shown} cannot be read: correct repoURL`);
  const login =
    url.username || url.password
      ? { username: decoded(url.username), password: decoded(url.password) }
      : undefined;
  url.username = '';
  url.password = '';
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '');
  return { kind: 'http', shown: withoutUserInfo(url.href), url, login };
}

const sshUrl = /^ssh:\/\/(?:([^@/]*)@)?(\[[^\]@/]*\]|[^:@/]*)(?::(\d{1,5}))?(\/.*)$/i;
const scpShape = /^([^@/:]*)@(\[[^\]@/]*\]|[^:@/]*):(.+)$/;
const sshHost = /^[a-z0-9][a-z0-9._-]*$/i;
const sshUser = /^[a-z0-9_][a-z0-9._+~-]*$/i;

/** Every part of it is passed to the ssh program, so each is validated. */
function sshRemote(text: string, shown: string): Remote {
  const [, login = '', urlHost, digits, urlPath] = sshUrl.exec(text) ?? [];
  const [, scpUser, scpHost, scpPath] = urlHost === undefined ? (scpShape.exec(text) ?? []) : [];
  const user = scpUser ?? (login.split(':')[0] || 'git');
  const host = (urlHost ?? scpHost ?? '').toLowerCase();
  const path = urlPath ?? scpPath ?? '';
  const port = Number(digits ?? 22);
  const bare = host.replace(/^\[|\]$/g, '');
  const isNamed = host.startsWith('[') ? isIP(bare) === 6 : sshHost.test(host);
  if (!isNamed || !sshUser.test(user) || path.startsWith('-') || port < 1 || port > 65_535) {
    throw new FairleadError(
      'InvalidSpec',
      `repository URL ${shown} cannot be read: write it as ssh://user@host:port/path or user@host:path`,
    );
  }
  const location = urlHost === undefined ? `${user}@${host}:${path}` : `ssh://${user}@${host}${path}`;
  return { kind: 'ssh', shown, user, host: bare, port, location };
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * The key of a mirror and of a list of refs: the URL as it is used. The normalized form would be wrong here: on a
 * case-sensitive host it gives two repositories one name.
 */
export function remoteKey(remote: Remote): string {
  if (remote.kind === 'local') return remote.path;
  if (remote.kind === 'http') return remote.url.href.replace(/\.git$/, '');
  return `ssh ${remote.port} ${remote.location.replace(/\/*$/, '').replace(/\.git$/, '')}`;
}

/** The host of a repository, whatever its port; undefined for a folder of this machine. */
export function hostOf(remote: Remote): string | undefined {
  if (remote.kind === 'local') return undefined;
  return remote.kind === 'http' ? remote.url.hostname : remote.host;
}
