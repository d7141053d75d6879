import { type Application, annotation, effectiveSources, joinPath, type Source } from '#base/model';
import { pathMatch } from '../glob.ts';

/** A webhook notification of a Git host or a registry: a branch or tag of a repository moved. */
export type Push = {
  /** The repository as its web page has it, `https://host/group/name`; of a registry `oci://host/repository`. */
  readonly webUrl: string;
  /** The branch or tag, with or without `refs/heads/`. */
  readonly revision: string;
  /** The default branch is the one that moved. */
  readonly touchedHead: boolean;
  /** Paths relative to the root of the repository; empty: the host sent none. */
  readonly changedFiles: readonly string[];
};

export type PushOptions = {
  /** Whether a version is within a range such as `1.x`; without it ranges match nothing. */
  readonly satisfies?: (version: string, range: string) => boolean;
};

/** compat engine R-11: does a push concern this Application? One source that it touches is enough. */
export function affectedBy(app: Application, push: Push, options: PushOptions = {}): boolean {
  const isPushed = isArtifact(push.webUrl) ? artifactMatcher(push.webUrl) : repositoryMatcher(push.webUrl);
  return effectiveSources(app.spec).some(
    (source) =>
      isPushed(source) &&
      isRevisionTouched(source, push, options) &&
      pathsChanged(refreshPaths(app, source), push.changedFiles),
  );
}

/** compat sources ASQ-5: does a push concern this repository at this revision? */
export const isTouchedBy = (source: Source, push: Push, options: PushOptions = {}): boolean =>
  repositoryMatcher(push.webUrl)(source) && isRevisionTouched(source, push, options);

/**
 * Scheme, user, `.git`, an ssh subdomain and the port do not distinguish repositories. Everything from the
 * URL is compared as text, never as a pattern.
 */
function repositoryMatcher(webUrl: string): (source: Source) => boolean {
  const pushed = locationOf(webUrl);
  if (!pushed) return () => false;
  return ({ repoURL }) => {
    const held = locationOf(repoURL);
    return held !== undefined && held.path === pushed.path && isHost(held.host, pushed.host);
  };
}

const isArtifact = (url: string): boolean => url.startsWith('oci://');

/** compat server §2.7 (7): the repository of an artifact, or of a chart in a registry; the scheme may be left out. */
function artifactMatcher(webUrl: string): (source: Source) => boolean {
  const pushed = withoutScheme(webUrl);
  return ({ repoURL, chart }) =>
    withoutScheme(chart ? `${repoURL.replace(/\/+$/, '')}/${chart}` : repoURL) === pushed;
}

const withoutScheme = (url: string): string =>
  url
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/^[^/@]*@/, '')
    .replace(/\/+$/, '');

const shape =
  /^(?:(?:https?|ssh):\/\/)?(?:[\w.][\w.-]{0,30}[\w.$-]?(?::[^@/]*)?@)?([^/:@]+)(?::\d+)?[:/](.+?)(?:\.git)?$/i;

function locationOf(url: string): { readonly host: string; readonly path: string } | undefined {
  const [, host, path] = shape.exec(url.trim().replace(/\/+$/, '')) ?? [];
  return host && path ? { host: host.toLowerCase(), path: path.toLowerCase() } : undefined;
}

const isHost = (held: string, pushed: string): boolean =>
  held === pushed || held === `ssh.${pushed}` || held === `altssh.${pushed}`;

function isRevisionTouched({ targetRevision = '' }: Source, push: Push, { satisfies }: PushOptions): boolean {
  const wanted = bare(targetRevision);
  if (wanted === '' || wanted === 'HEAD') return push.touchedHead;
  const pushed = bare(push.revision);
  return pushed === wanted || satisfies?.(pushed, wanted) === true;
}

/** `refs/heads/x` and `refs/tags/x` are x. */
const bare = (revision: string): string => revision.replace(/^refs\/(?:heads|tags)\//, '');

/** compat engine R-12: the paths a source depends on, from the root of its repository; empty: the user named none. */
function refreshPaths(app: Application, { path = '' }: Pick<Source, 'path'>): string[] {
  const named = app.metadata.annotations?.[annotation.manifestGeneratePaths] ?? '';
  return named
    .split(';')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .flatMap((item) => (item.startsWith('/') ? item.slice(1) : below(path, item)));
}

/** A path that climbs out of the repository can match nothing in it. */
function below(path: string, item: string): string[] {
  const climbs = `${path}/${item}`.split('/').reduce((depth, part) => {
    if (depth < 0 || part === '' || part === '.') return depth;
    return part === '..' ? depth - 1 : depth + 1;
  }, 0);
  return climbs < 0 ? ['..'] : [joinPath(path, item)];
}

/** compat engine R-12: a changed file is a listed path, is inside one, or matches one. Either list empty: it counts. */
export function pathsChanged(paths: readonly string[], changedFiles: readonly string[]): boolean {
  if (paths.length === 0 || changedFiles.length === 0) return true;
  const listed = paths.map(trimmed);
  return changedFiles.some((file) => {
    const name = trimmed(file);
    return listed.some(
      (path) => path === '' || name === path || name.startsWith(`${path}/`) || pathMatch(path, name),
    );
  });
}

const trimmed = (path: string): string => path.replace(/^(?:\.?\/)+|^\.$|\/+$/g, '');

/**
 * compat engine R-12: whether the new revision may differ in the Application's files. A shallow clone cannot
 * decide (depth > 0).
 */
export function mayHaveChanges(
  app: Application,
  changes: readonly {
    readonly source: Source;
    readonly changedFiles: readonly string[];
    readonly shallow?: boolean;
  }[],
): boolean {
  return changes.some(({ source, changedFiles, shallow }) => {
    const paths = refreshPaths(app, source);
    if (shallow || paths.length === 0) return true;
    return changedFiles.length > 0 && pathsChanged(paths, changedFiles);
  });
}
