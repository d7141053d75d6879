import { normalizePath, parseDurationOrSeconds } from '#base/model';
import { FairleadError } from '#base/std';

/** A folder of a remote Git repository, as a kustomization names it. */
export type RemoteBase = {
  /** The URL that Git fetches from. */
  readonly repository: string;
  /** The folder within it; '' for all of it. */
  readonly path: string;
  /** '' for HEAD. */
  readonly revision: string;
  readonly submodules: boolean;
  /** Undefined: the timeout of every repository. */
  readonly timeoutMs: number | undefined;
  /** A mark in the URL says where the repository ends: it can only be a repository. */
  readonly isMarked: boolean;
};

/**
 * Parses a URL that kustomize treats as a repository (sources KL-5); undefined for a local path. Throws InvalidSpec for
 * a folder outside its repository.
 */
export function parseRemoteBase(text: string): RemoteBase | undefined {
  if (text.startsWith('/')) return undefined;
  const cut = text.indexOf('?');
  const query = queryOf(cut < 0 ? '' : text.slice(cut + 1));
  const at = hostOf(cut < 0 ? text : text.slice(0, cut));
  const split = at && splitPath(at.rest, at.isFile);
  if (!split || split.repository === '') return undefined;
  return {
    repository: at.host + split.repository,
    path: inside(split.path, text),
    isMarked: split.isMarked,
    ...query,
  };
}

/** Whether a text is fetched over HTTP before it is treated as a repository (sources KL-6). */
export const isWebUrl = (text: string): boolean => /^https?:\/\/[^/?#]/i.test(text);

type Query = Pick<RemoteBase, 'revision' | 'submodules' | 'timeoutMs'>;

/** compat: a value that cannot be parsed counts as absent. */
function queryOf(query: string): Query {
  const values = valuesOf(query);
  return {
    revision: values.get('ref') || values.get('version') || '',
    submodules: !/^(?:0|f|F|FALSE|false|False)$/.test(values.get('submodules') ?? ''),
    timeoutMs: timeoutOf(values.get('timeout') ?? ''),
  };
}

function valuesOf(query: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  try {
    for (const pair of query.split('&')) {
      if (pair.includes(';')) return new Map();
      const [key = '', ...value] = pair
        .split('=')
        .map((part) => decodeURIComponent(part.replace(/\+/g, ' ')));
      if (!values.has(key)) values.set(key, value.join('='));
    }
  } catch {
    return new Map();
  }
  return values;
}

/** dev: the 27 s of kustomize are for a shallow clone each time; a mirror is filled once, and may take longer. */
function timeoutOf(text: string): number | undefined {
  try {
    const ms = parseDurationOrSeconds(text);
    return ms > 0 ? ms : undefined;
  } catch {
    return undefined;
  }
}

const schemes = ['ssh://', 'https://', 'http://', 'file://'];

type Host = { readonly host: string; readonly rest: string; readonly isFile: boolean };

function hostOf(text: string): Host | undefined {
  const plain = text.replace(/^git::/i, '');
  const lower = plain.toLowerCase();
  const scheme = schemes.find((one) => lower.startsWith(one)) ?? '';
  const afterScheme = plain.slice(scheme.length);
  if (scheme === 'file://') return { host: scheme, rest: afterScheme, isFile: true };
  const user = /^[a-zA-Z][a-zA-Z0-9-]*@/.exec(afterScheme)?.[0] ?? '';
  const place = afterScheme.slice(user.length);
  const isGithub = /^github\.com[/:]/i.test(place);
  const isScp = scheme === '' && (user !== '' || isGithub);
  if (scheme === '' && !isScp) return undefined;
  const end = place.search(isScp ? /[/:]/ : /\//);
  if (end <= 0) return undefined;
  const host = isGithub ? githubHost(scheme, user) : scheme + user + place.slice(0, end + 1);
  return { host, rest: place.slice(end + 1), isFile: false };
}

/** compat: GitHub is accessed in one of two ways, however its URL is written. */
const githubHost = (scheme: string, user: string): string =>
  scheme === 'ssh://' || user !== '' ? `${user || 'git@'}github.com:` : 'https://github.com/';

type Split = { readonly repository: string; readonly path: string; readonly isMarked: boolean };

/** Where the repository ends and the path in it begins: by a mark, else after organisation and name. */
function splitPath(rest: string, isFile: boolean): Split | undefined {
  const marked = splitAtMark(rest);
  if (marked) return { ...marked, isMarked: true };
  if (isFile) return { repository: rest, path: '', isMarked: false };
  const segments = rest.split('/');
  if (segments.length < 2) return undefined;
  return { repository: segments.slice(0, 2).join('/'), path: segments.slice(2).join('/'), isMarked: false };
}

function splitAtMark(rest: string): Omit<Split, 'isMarked'> | undefined {
  const azure = /^(.*?_git\/[^/]*)\/?(.*)$/s.exec(rest);
  if (azure) return { repository: azure[1] ?? '', path: azure[2] ?? '' };
  const slashes = rest.indexOf('//');
  if (slashes >= 0) return { repository: rest.slice(0, slashes), path: rest.slice(slashes + 2) };
  const suffix = rest.indexOf('.git');
  if (suffix < 0) return undefined;
  return { repository: rest.slice(0, suffix + 4), path: rest.slice(suffix + 4) };
}

function inside(path: string, text: string): string {
  try {
    return normalizePath(path);
  } catch {
    throw new FairleadError(
      'InvalidSpec',
      `url path exits repo: ${withoutUser(text)}: name a folder inside the repository`,
    );
  }
}

/** A URL without its user, safe to show. */
export const withoutUser = (url: string): string => url.replace(/\/\/[^/?#]*@/, '//').slice(0, 200);
