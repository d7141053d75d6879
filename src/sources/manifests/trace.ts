import { answersAlike, type FileTree, parentPath, type TreeAnswer, type TreeTrace } from '#base/model';
import type { RemoteMention } from '#sources/render';

/** The URL by which a kustomization names a remote base or file, and which of the two it is. */
export type RemotePointer = Pick<RemoteMention, 'place' | 'as'>;

/** The trees a render reads: its own under '', those of `$ref`s and of remote bases under their names. */
export type Trees = ReadonlyMap<string, FileTree>;

/**
 * Answers that one folder decides: while it has this hash, none of them has changed. Answers that depend on more than
 * one folder, as those about links may, are in a group without one.
 */
type Group = { readonly dir?: string; readonly hash?: string; readonly answers: TreeTrace };

/** What a render read, tree by tree, and the root hashes of the trees. */
export type Trace = {
  readonly roots: Readonly<Record<string, string>>;
  readonly requested: Readonly<Record<string, readonly Group[]>>;
  /** How to open the current trees that its own files name. */
  readonly remotes?: Readonly<Record<string, RemotePointer>>;
};

/** Groups the answers of a render, so that comparing them later is fast. */
export function traceOf(answers: ReadonlyMap<string, TreeTrace>, trees: Trees): Trace {
  const requested: Record<string, readonly Group[]> = {};
  for (const [name, tree] of trees) {
    const given = answers.get(name) ?? [];
    if (given.length > 0) requested[name] = grouped(given, tree);
  }
  return { roots: rootsOf(trees), requested };
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

/** The folder that decides everything about a path: itself, or its parent. Undefined: no single folder. */
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
 * Something a result depends on. `names`: the names in a folder, not their contents; `absent`: a missing path. A path
 * of another source begins with `$` and its name.
 */
export type Input = { readonly path: string; readonly is: 'file' | 'folder' | 'names' | 'absent' };

export function rootsOf(trees: Trees): Record<string, string> {
  return Object.fromEntries([...trees].map(([name, tree]) => [name, tree.hash('') ?? '']));
}

/** The first input that changed since the render; undefined when its result is still valid. */
export function difference(trace: Trace, trees: Trees): string | undefined {
  for (const [name, requested] of Object.entries(trace.requested)) {
    const tree = trees.get(name);
    if (!tree) return trace.remotes?.[name] ? `${name} cannot be read` : `$${name} is no longer a source`;
    if (tree.hash('') === trace.roots[name]) continue; // the very same files
    const changed = firstChanged(requested, tree);
    if (changed) return reported(changed, tree, name);
  }
  return undefined;
}

/** The remote bases that must be opened before `difference` can compare: those of a result that may still be valid. */
export function pointersOf({ remotes, ...trace }: Trace, trees: Trees): readonly RemotePointer[] {
  if (!remotes) return [];
  const requested = Object.fromEntries(
    Object.entries(trace.requested).filter(([name]) => !(name in remotes)),
  );
  return difference({ ...trace, requested }, trees) === undefined ? Object.values(remotes) : [];
}

function firstChanged(groups: readonly Group[], tree: FileTree): TreeAnswer | undefined {
  for (const { dir, hash, answers } of groups) {
    if (dir !== undefined && realPath(tree, dir) === dir && tree.hash(dir) === hash) continue;
    const changed = answers.find((answer) => !answersAlike(tree, [answer]));
    if (changed) return changed;
  }
  return undefined;
}

/** The inputs of a trace, each path once, sorted. `trees` answer as those of the render did. */
export function inputsOf(trace: Trace, trees: Trees): Input[] {
  return Object.entries(trace.requested).flatMap(([name, requested]) => {
    const tree = trees.get(name);
    const found = new Map<string, Input['is']>();
    for (const { question, path } of requested.flatMap(({ answers }) => answers)) {
      if (tree) found.set(path, stronger(found.get(path), kindOfInput(tree, path, question)));
    }
    const paths = [...found].map(([path, is]) => ({ path: shownPath(name, path), is }));
    return paths.sort((a, b) => (a.path < b.path ? -1 : 1));
  });
}

/** A folder that was only tested for existence counts as `names`, not with its contents. */
function kindOfInput(tree: FileTree, path: string, question: TreeAnswer['question']): Input['is'] {
  const real = realPath(tree, path);
  if (real === undefined) return 'absent';
  if (tree.kind(real) === 'file') return 'file';
  return question === 'hash' ? 'folder' : 'names';
}

/** The path behind the links; undefined: nowhere, or out of the tree. */
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

function reported({ question, path, answer }: TreeAnswer, tree: FileTree, name: string): string {
  const shown = shownPath(name, path);
  const was = answer !== 'undefined' && answer !== 'false' && !answer.startsWith('! ');
  const is = realPath(tree, path) !== undefined;
  if (was && !is) return `${shown} was removed`;
  if (is && !was) return `${shown} was added`;
  return (
    (question === 'list' && reportedNames(answer.split('/'), tree, { name, path })) || `${shown} changed`
  );
}

/** Names the first entry that was added to or removed from a folder. */
function reportedNames(
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
