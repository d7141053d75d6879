import type { Entry, Folder } from './tree.ts';

/** The paths of files, links and submodules that differ between both, in no promised order (sources MGP-6). */
export function changesBetween(before: Folder, after: Folder): string[] {
  const changed: string[] = [];
  compareFolders(before, after, '', changed);
  return changed;
}

function compareFolders(
  before: Folder | undefined,
  after: Folder | undefined,
  dir: string,
  into: string[],
): void {
  if (before?.hash === after?.hash) return;
  for (const name of new Set([...(before?.names ?? []), ...(after?.names ?? [])])) {
    compareEntries(before?.entries.get(name), after?.entries.get(name), `${dir}${name}`, into);
  }
}

function compareEntries(
  before: Entry | undefined,
  after: Entry | undefined,
  path: string,
  into: string[],
): void {
  if (!isFolder(before) || !isFolder(after)) {
    const same =
      before?.hash === after?.hash &&
      before?.kind === after?.kind &&
      before?.executable === after?.executable;
    if (same) return;
    if ((before && !isFolder(before)) || (after && !isFolder(after))) into.push(path);
  }
  compareFolders(before?.folder, after?.folder, `${path}/`, into);
}

const isFolder = (entry: Entry | undefined): boolean => entry?.kind === 'dir';
