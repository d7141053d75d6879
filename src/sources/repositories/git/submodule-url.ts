import { FairleadError } from '#base/std';
import { parseRemote, type Remote } from '../repository-url.ts';
import type { GitRepository } from './repository.ts';

/**
 * The repository of a submodule with the credentials it may use. It uses the parent's credentials only where they go to
 * the very same server (sources SUB-1): the author of `.gitmodules` must not be able to send them elsewhere. Only a
 * local repository can name a folder of this machine.
 */
export function submoduleRepository(parent: GitRepository, url: string): GitRepository {
  const child = resolveUrl(parent.url, url);
  const [from, to] = [parseRemote(parent.url), parseRemote(child)];
  if (to.kind === 'local' && from.kind !== 'local') {
    throw new FairleadError(
      'PermissionDenied',
      'its URL names a folder of this machine, which a repository of another may not: use an https URL',
    );
  }
  const { insecure, insecureIgnoreHostKey, credentials, ...rest } = parent;
  const inherited = sameServer(from, to)
    ? {
        ...(credentials ? { credentials } : {}),
        ...(insecure ? { insecure } : {}),
        ...(insecureIgnoreHostKey ? { insecureIgnoreHostKey } : {}),
      }
    : {};
  return { ...rest, ...inherited, url: withLogin(from, to, child), depth: 0 };
}

/**
 * The repository that files of another repository name, with the credentials it may use: by the same rule. A parent
 * that is no Git repository has no credentials to share.
 */
export function lentRepository(parent: GitRepository, url: string): GitRepository {
  return /^oci:\/\//i.test(parent.url.trim()) ? { url } : submoduleRepository(parent, url);
}

function sameServer(a: Remote, b: Remote): boolean {
  if (a.kind === 'http' && b.kind === 'http') return a.url.origin === b.url.origin;
  return a.kind === 'ssh' && b.kind === 'ssh' && a.host === b.host && a.port === b.port;
}

/** A login in the parent's URL is a credential like any other. */
function withLogin(from: Remote, to: Remote, child: string): string {
  if (from.kind !== 'http' || to.kind !== 'http' || !from.login || to.login || !sameServer(from, to))
    return child;
  const url = new URL(child);
  url.username = encodeURIComponent(from.login.username);
  url.password = encodeURIComponent(from.login.password);
  return url.href;
}

/** Git's own rule for `./x` and `../x`: they are relative to the parent's URL, each `../` removing its last part. */
export function resolveUrl(parent: string, url: string): string {
  if (!/^\.\.?\//.test(url)) return url;
  let base = parent.trim().replace(/\/+$/, '');
  let rest = url;
  for (;;) {
    const step = /^(\.\.?)\/+/.exec(rest)?.[0];
    if (step === undefined) break;
    rest = rest.slice(step.length);
    if (step.startsWith('..')) base = withoutLastPart(base, url);
  }
  const separator = base.endsWith(':') ? '' : '/';
  return `${base}${separator}${rest.replace(/\/+$/, '')}`;
}

function withoutLastPart(base: string, url: string): string {
  const shorter = base.includes('://')
    ? /^([a-z]+:\/\/[^/]*.*)\/[^/]+$/i.exec(base)?.[1]
    : (/^(.*)\/[^/]+$/.exec(base)?.[1] ?? /^(.*:)[^:/]+$/.exec(base)?.[1]);
  if (shorter !== undefined && !/^[a-z]+:\/?$/i.test(shorter)) return shorter;
  throw new FairleadError(
    'InvalidSpec',
    `its URL ${url} climbs above the host of its parent: correct .gitmodules`,
  );
}
