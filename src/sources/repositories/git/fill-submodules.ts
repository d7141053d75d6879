import { sha256 } from '#base/std';
import { type Entry, type Folder, gitlinksAt, linksAt, type ReadBlob } from './tree.ts';

/** The replacement of a submodule: the files of another repository. */
export type SubmoduleContent = { readonly folder: Folder; readonly read: ReadBlob };

/**
 * The folder with submodules filled, by their path. Folders on the way get a new hash, so that no result rendered from
 * the unfilled ones is reused for these. The given folder is not changed.
 */
export function withSubmodules(folder: Folder, grafts: ReadonlyMap<string, SubmoduleContent>): Folder {
  if (grafts.size === 0) return folder;
  const entries = new Map(folder.entries);
  let { expanse } = folder;
  const words = [folder.hash];
  for (const [name, below] of byFirstName(grafts)) {
    const before = folder.entries.get(name);
    const after = filled(before, below);
    entries.set(name, after);
    expanse += (after.folder?.expanse ?? 0) - (before?.folder?.expanse ?? 0);
    words.push(name, after.hash);
  }
  const rows = [...entries];
  return {
    hash: sha256(words.join('\0')),
    names: folder.names,
    entries,
    expanse,
    links: rows.flatMap(([name, entry]) => linksAt(name, entry)),
    gitlinks: rows.flatMap(([name, entry]) => gitlinksAt(name, entry)),
  };
}

function filled(before: Entry | undefined, below: ReadonlyMap<string, SubmoduleContent>): Entry {
  const here = below.get('');
  const folder = here?.folder ?? (before?.folder ? withSubmodules(before.folder, below) : undefined);
  return {
    kind: 'dir',
    hash: folder?.hash ?? '',
    executable: false,
    ...(folder ? { folder } : {}),
    ...(here ? { read: here.read } : {}),
  };
}

function byFirstName(
  grafts: ReadonlyMap<string, SubmoduleContent>,
): Map<string, Map<string, SubmoduleContent>> {
  const groups = new Map<string, Map<string, SubmoduleContent>>();
  for (const [path, graft] of grafts) {
    const [first = '', ...rest] = path.split('/');
    const group = groups.get(first) ?? new Map<string, SubmoduleContent>();
    group.set(rest.join('/'), graft);
    groups.set(first, group);
  }
  return groups;
}
