import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { FairleadError } from '#base/std';

/** Which folders of this machine may be repositories. */
export type LocalReach = {
  /** The folders they must be below. */
  readonly local: 'any' | readonly string[];
  /**
   * The folders they must not be below, whatever `local` allows: the data folder contains the mirrors of all tenants.
   */
  readonly never?: readonly string[];
  /** Folders below one of `never` that are repositories nevertheless: the demo. */
  readonly except?: readonly string[];
};

type Local = { readonly path: string; readonly shown: string };

/** How far alternates of alternates are followed; Git itself stops at five. */
const deepest = 5;

/**
 * The real path of a local repository that may be read. Links are resolved before the check, and the paths that Git
 * would read objects from (a `.git` file or link, `commondir`, alternates) are checked like the repository itself.
 * Throws NotFound when there is no such folder and PermissionDenied when it, or one of those paths, is not permitted.
 */
export async function reachableFolder(repository: Local, reach: LocalReach): Promise<string> {
  const location = await realPath(repository);
  for (const place of await placesRead(location)) {
    if (!(await isReachable(place, reach))) throw refusal(repository, reach);
  }
  return location;
}

/** Whether a path may be read once its links are resolved; one that does not exist may not. */
export async function isReachable(
  path: string,
  { local, never = [], except = [] }: LocalReach,
): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return false;
  if ((await liesBelow(real, never)) && !(await liesBelow(real, await plainOnes(except)))) return false;
  return local === 'any' || (await liesBelow(real, local));
}

function refusal({ shown }: Local, { local }: LocalReach): FairleadError {
  const why =
    local === 'any'
      ? 'lies in the data folder of Fairlead, where no repositories may be: use another folder'
      : 'is a folder of this machine, and such repositories are not allowed here: use its https URL, or have an operator list its folder in --local-repositories';
  return new FairleadError('PermissionDenied', `repository ${shown} ${why}`);
}

async function realPath({ path, shown }: Local): Promise<string> {
  for (const candidate of [path, `${path}.git`]) {
    try {
      return await realpath(candidate);
    } catch {}
  }
  throw new FairleadError('NotFound', `there is no repository at ${shown}: check repoURL`);
}

/** The folder and all that Git reads for it. If it is no repository, Git continues with the same name plus `.git`. */
async function placesRead(location: string): Promise<readonly string[]> {
  const places = new Set([location]);
  for (const base of [location, `${location}.git`]) {
    if (!(await exists(base))) continue;
    const { own, common } = await gitDirs(base);
    places.add(own).add(common);
    const objects = join(common, 'objects');
    if (await exists(objects)) places.add(objects);
    await addAlternates(places, objects, 0);
    if (await exists(join(own, 'HEAD'))) break;
  }
  return [...places];
}

/** gitrepository-layout(5): a line is a folder of objects, absolute or from the folder that names it. */
async function addAlternates(places: Set<string>, objects: string, depth: number): Promise<void> {
  if (depth >= deepest) return;
  const text = await readFile(join(objects, 'info/alternates'), 'utf8').catch(() => '');
  for (const line of text.split('\n')) {
    const other = line.replace(/^"(.*)"$/, '$1');
    if (other === '' || other.startsWith('#')) continue;
    const place = resolve(objects, other);
    if (!places.has(place) && (await exists(place))) {
      places.add(place);
      await addAlternates(places, place, depth + 1);
    }
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** The folders of HEAD and of the refs: two for a linked work tree, one for any other repository. */
export type GitDirs = { readonly own: string; readonly common: string };

export async function gitDirs(path: string): Promise<GitDirs> {
  const own = await gitDirOf(path);
  const common = await readFile(join(own, 'commondir'), 'utf8').catch(() => '.');
  return { own, common: resolve(own, common.trim()) };
}

async function gitDirOf(path: string): Promise<string> {
  const dotGit = join(path, '.git');
  const found = await stat(dotGit).catch(() => undefined);
  if (found?.isDirectory()) return dotGit;
  if (!found) return path;
  const pointer = /^gitdir: (.*)$/m.exec(await readFile(dotGit, 'utf8'))?.[1] ?? '.';
  return resolve(dirname(dotGit), pointer.trim());
}

/** A link is excluded too: it would open its target. */
async function plainOnes(folders: readonly string[]): Promise<readonly string[]> {
  const links = await Promise.all(
    folders.map((one) =>
      lstat(one).then(
        (at) => at.isSymbolicLink(),
        () => true,
      ),
    ),
  );
  return folders.filter((_folder, at) => !links[at]);
}

async function liesBelow(path: string, roots: readonly string[]): Promise<boolean> {
  for (const root of roots) {
    const from = await realpath(root).catch(() => undefined);
    const way = from === undefined ? undefined : relative(from, path);
    if (way !== undefined && !isAbsolute(way) && way.split('/')[0] !== '..') return true;
  }
  return false;
}
