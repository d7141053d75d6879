import { withoutUserInfo } from '#base/model';
import { FairleadError } from '#base/std';

/**
 * The path of an API, with each name encoded as one segment. Throws InvalidSpec for a name that would change which
 * resource the path names: it comes from a user, and goes out with credentials.
 */
export function apiPath(parts: TemplateStringsArray, ...names: readonly string[]): string {
  return parts
    .map((part, index) => `${part}${index < names.length ? segment(names[index] ?? '') : ''}`)
    .join('');
}

/** The segments of a file's path, encoded; '' for the root of the repository. Throws InvalidSpec as `apiPath` does. */
export function filePath(path: string): string {
  return path.split('/').filter(Boolean).map(segment).join('/');
}

function segment(name: string): string {
  if (name === '' || name === '.' || name === '..') {
    throw new FairleadError(
      'InvalidSpec',
      `${JSON.stringify(name)} is neither a name nor a part of a path: correct it`,
    );
  }
  return encodeURIComponent(name);
}

/** The URL of an API as a user wrote it. Throws InvalidSpec for one that is not http or https, or has a user in it. */
export function parseApi(text: string, field: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new FairleadError(
      'InvalidSpec',
      `${field} ${JSON.stringify(withoutUserInfo(text))} is no URL of an API: write https://host/path, without a user`,
    );
  }
  return new URL(`${url.origin}${url.pathname.replace(/\/+$/, '')}`);
}

/** The same URL with a longer path. */
export const under = (base: URL, path: string): URL =>
  new URL(`${base.origin}${base.pathname.replace(/\/+$/, '')}${path}`);
