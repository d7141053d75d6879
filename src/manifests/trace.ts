import { answersAlike, type FileTree, type TreeAnswer, type TreeTrace } from '#model';

/** The trees a render looks at: its own under '', those of `$ref`s under their names. */
export type Trees = ReadonlyMap<string, FileTree>;

/** What a render learned, tree by tree, and the root hashes it learned it from. */
export type Trace = {
  readonly roots: Readonly<Record<string, string>>;
  readonly asked: Readonly<Record<string, TreeTrace>>;
};

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
    if (!tree) return `$${name} is no longer a source`;
    if (tree.hash('') === trace.roots[name]) continue; // the very same files
    const changed = asked.find((answer) => !answersAlike(tree, [answer]));
    if (changed) return told(changed, tree, name);
  }
  return undefined;
}

/** What a trace depends on, each path once, in the order of their names. `trees` answer as those of the render did. */
export function inputsOf(trace: Trace, trees: Trees): Input[] {
  return Object.entries(trace.asked).flatMap(([name, asked]) => {
    const tree = trees.get(name);
    const found = new Map<string, Input['is']>();
    for (const { ask, path } of asked) {
      if (tree) found.set(path, stronger(found.get(path), kindOfInput(tree, path, ask)));
    }
    const paths = [...found].map(([path, is]) => ({ path: shownPath(name, path), is }));
    return paths.sort((a, b) => (a.path < b.path ? -1 : 1));
  });
}

/** Asked only whether it is there, a folder matters by that alone, as the names in it would. */
function kindOfInput(tree: FileTree, path: string, ask: TreeAnswer['ask']): Input['is'] {
  const real = tree.resolve(path);
  if (real === undefined) return 'absent';
  if (tree.kind(real) === 'file') return 'file';
  return ask === 'hash' ? 'folder' : 'names';
}

const stronger = (before: Input['is'] | undefined, now: Input['is']): Input['is'] =>
  before === 'folder' ? before : now;

const shownPath = (name: string, path: string): string => `${name === '' ? '' : `$${name}/`}${path || '.'}`;

function told({ ask, path, answer }: TreeAnswer, tree: FileTree, name: string): string {
  const shown = shownPath(name, path);
  const was = answer !== 'undefined' && answer !== 'false';
  const is = tree.has(path);
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
  const now = tree.kind(tree.resolve(path) ?? path) === 'dir' ? tree.list(path) : [];
  const came = now.find((entry) => !before.includes(entry));
  if (came !== undefined) return `${inside(came)} was added`;
  const left = before.find((entry) => !now.includes(entry));
  return left === undefined ? undefined : `${inside(left)} was removed`;
}
