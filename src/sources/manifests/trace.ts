import { answersAlike, type FileTree, parentPath, type TreeAnswer, type TreeTrace } from '#base/model';
import type { RemoteMention } from '#sources/render';

/** What a kustomization says of a place elsewhere. */
export type RemotePointer = Pick<RemoteMention, 'place' | 'as'>;

/** The trees a render looks at: its own under '', those of `$ref`s and of remote bases under their names. */
export type Trees = ReadonlyMap<string, FileTree>;

/**
 * Answers that one folder decides: while it has this hash, they are as they were, however many. Answers that depend on
 * more than one folder, as those about links may, stand in a group without one.
 */
type Group = { readonly dir?: string; readonly hash?: string; readonly answers: TreeTrace };

/** What a render learned, tree by tree, and the root hashes it learned it from. */
export type Trace = {
  readonly roots: Readonly<Record<string, string>>;
  readonly asked: Readonly<Record<string, readonly Group[]>>;
  /** How to find again, as they are now, the trees that its own files led to. */
  readonly remotes?: Readonly<Record<string, RemotePointer>>;
};

/** Puts the answers of a render together, so that a later look at them is short. */
export function traceOf(answers: ReadonlyMap<string, TreeTrace>, trees: Trees): Trace {
  const asked: Record<string, readonly Group[]> = {};
  for (const [name, tree] of trees) {
    const given = answers.get(name) ?? [];
    if (given.length > 0) asked[name] = grouped(given, tree);
  }
  return { roots: rootsOf(trees), asked };
}

function grouped(answers: TreeTrace, tree: FileTree): Group[] {
  const groups = new Map<string | undefined, TreeAnswer[]>();
  for (const answer of answers) {
    const dir = decidingFolder(answer.path, tree);
    const group = groups.get(dir);
    if (group) group.push(answer);
    else groups.set(dir, [answer]);
  }
  return [...groups].map(([dir, some]) => {
    const hash = dir === undefined ? undefined : tree.hash(dir);
    return dir === undefined || hash === undefined ? { answers: some } : { dir, hash, answers: some };
  });
}

/** The folder in which everything about a path is decided: itself, or the one it stands in. Undefined: no one folder. */
function decidingFolder(path: string, tree: FileTree): string | undefined {
  try {
    const dir = tree.kind(path) === 'dir' ? path : parentPath(path);
    const isPlain = tree.resolve(dir) === dir && tree.kind(dir) === 'dir' && tree.kind(path) !== 'symlink';
    return isPlain ? dir : undefined; // a link may lead anywhere, by way of anything
  } catch {
    return undefined; // it leads out of the tree
  }
}

/**
 * Something a result depends on. `names`: which entries a folder has, not what they hold; `absent`: that nothing is
 * there. A path of another source begins with `$` and its name.
 */
export type Input = { readonly path: string; readonly is: 'file' | 'folder' | 'names' | 'absent' };

export function rootsOf(trees: Trees): Record<string, string> {
  return Object.fromEntries([...trees].map(([name, tree]) => [name, tree.hash('') ?? '']));
}

/** The first thing that is no longer as the render found it; undefined when its result still holds. */
export function difference(trace: Trace, trees: Trees): string | undefined {
  for (const [name, asked] of Object.entries(trace.asked)) {
    const tree = trees.get(name);
    if (!tree) return trace.remotes?.[name] ? `${name} cannot be read` : `$${name} is no longer a source`;
    if (tree.hash('') === trace.roots[name]) continue; // the very same files
    const changed = firstChanged(asked, tree);
    if (changed) return told(changed, tree, name);
  }
  return undefined;
}

/** What else must be opened before `difference` can tell: of a result that may still hold, the remote bases. */
export function pointersOf({ remotes, ...trace }: Trace, trees: Trees): readonly RemotePointer[] {
  if (!remotes) return [];
  const asked = Object.fromEntries(Object.entries(trace.asked).filter(([name]) => !(name in remotes)));
  return difference({ ...trace, asked }, trees) === undefined ? Object.values(remotes) : [];
}

function firstChanged(groups: readonly Group[], tree: FileTree): TreeAnswer | undefined {
  for (const { dir, hash, answers } of groups) {
    if (dir !== undefined && realPath(tree, dir) === dir && tree.hash(dir) === hash) continue;
    const changed = answers.find((answer) => !answersAlike(tree, [answer]));
    if (changed) return changed;
  }
  return undefined;
}

/** What a trace depends on, each path once, in the order of their names. `trees` answer as those of the render did. */
export function inputsOf(trace: Trace, trees: Trees): Input[] {
  return Object.entries(trace.asked).flatMap(([name, asked]) => {
    const tree = trees.get(name);
    const found = new Map<string, Input['is']>();
    for (const { ask, path } of asked.flatMap(({ answers }) => answers)) {
      if (tree) found.set(path, stronger(found.get(path), kindOfInput(tree, path, ask)));
    }
    const paths = [...found].map(([path, is]) => ({ path: shownPath(name, path), is }));
    return paths.sort((a, b) => (a.path < b.path ? -1 : 1));
  });
}

/** Asked only whether it is there, a folder matters by that alone, as the names in it would. */
function kindOfInput(tree: FileTree, path: string, ask: TreeAnswer['ask']): Input['is'] {
  const real = realPath(tree, path);
  if (real === undefined) return 'absent';
  if (tree.kind(real) === 'file') return 'file';
  return ask === 'hash' ? 'folder' : 'names';
}

/** Where a path leads; undefined: nowhere, or out of the tree. */
function realPath(tree: FileTree, path: string): string | undefined {
  try {
    return tree.resolve(path);
  } catch {
    return undefined;
  }
}

const stronger = (before: Input['is'] | undefined, now: Input['is']): Input['is'] =>
  before === 'folder' ? before : now;

function shownPath(name: string, path: string): string {
  if (/[:@]/.test(name)) return path === '' ? name : `${name}//${path}`; // a remote base
  return `${name === '' ? '' : `$${name}/`}${path || '.'}`;
}

function told({ ask, path, answer }: TreeAnswer, tree: FileTree, name: string): string {
  const shown = shownPath(name, path);
  const was = answer !== 'undefined' && answer !== 'false' && !answer.startsWith('! ');
  const is = realPath(tree, path) !== undefined;
  if (was && !is) return `${shown} was removed`;
  if (is && !was) return `${shown} was added`;
  return (ask === 'list' && toldNames(answer.split('/'), tree, { name, path })) || `${shown} changed`;
}

/** A folder whose names differ is told by the first that came or went. */
function toldNames(
  before: readonly string[],
  tree: FileTree,
  { name, path }: { readonly name: string; readonly path: string },
): string | undefined {
  const inside = (entry: string): string => shownPath(name, path === '' ? entry : `${path}/${entry}`);
  const real = realPath(tree, path);
  const now = real !== undefined && tree.kind(real) === 'dir' ? tree.list(real) : [];
  const came = now.find((entry) => !before.includes(entry));
  if (came !== undefined) return `${inside(came)} was added`;
  const left = before.find((entry) => !now.includes(entry));
  return left === undefined ? undefined : `${inside(left)} was removed`;
}
