import { answersAlike, type FileTree, type TreeAnswer, type TreeTrace } from '#model';

/** The trees a render looks at: its own under '', those of `$ref`s under their names. */
export type Trees = ReadonlyMap<string, FileTree>;

/** What a render learned, tree by tree, and the root hashes it learned it from. */
export type Trace = {
  readonly roots: Readonly<Record<string, string>>;
  readonly asked: Readonly<Record<string, TreeTrace>>;
};

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

function told({ path, answer }: TreeAnswer, tree: FileTree, name: string): string {
  const shown = `${name === '' ? '' : `$${name}/`}${path || '.'}`;
  const was = answer !== 'undefined' && answer !== 'false';
  const is = tree.has(path);
  if (was && !is) return `${shown} was removed`;
  return is && !was ? `${shown} was added` : `${shown} changed`;
}
