import { type FileTree, joinPath, type Source, type SourceType, walk } from '#base/model';
import { isObject } from '#base/std';
import { parse } from '#lang/yaml';
import { detectType, kustomizationNames, type Switches } from './detect.ts';

type HelmDetails = {
  readonly name?: string;
  /** The files beside the chart that hold values, by name. */
  readonly valueFiles: readonly string[];
  /** The text of values.yaml. */
  readonly values?: string;
  /** Its values by their paths, as `helm --set` names them. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
};

/** compat server §2.8: what can be set in a source, by its type. */
export type SourceDetails = { readonly type: SourceType; readonly helm?: HelmDetails };

/** The folders of a tree that have a chart or a kustomization, by path; the root is `.`. */
export function foldersWithApps(
  tree: FileTree,
  { helmEnabled, kustomizeEnabled }: Switches,
): readonly { readonly path: string; readonly type: SourceType }[] {
  const found = new Map<string, SourceType>();
  for (const { path, kind } of walk(tree, '')) {
    if (kind === 'dir') continue;
    const at = path.lastIndexOf('/');
    const [folder, name] = [path.slice(0, Math.max(0, at)) || '.', path.slice(at + 1)];
    if (kustomizeEnabled && kustomizationNames.some((one) => one === name)) found.set(folder, 'Kustomize');
    else if (helmEnabled && name === 'Chart.yaml' && !found.has(folder)) found.set(folder, 'Helm');
  }
  return [...found].map(([path, type]) => ({ path, type })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The type of a source and, for a chart, its values. `path` is the folder within the tree, cleaned. */
export async function sourceDetails(
  tree: FileTree,
  path: string,
  source: Source,
  switches: Switches,
): Promise<SourceDetails> {
  const { type } = detectType(tree, path, source, switches);
  return type === 'Helm' ? { type, helm: await helmDetails(tree, path) } : { type };
}

async function helmDetails(tree: FileTree, path: string): Promise<HelmDetails> {
  const text = async (name: string): Promise<string | undefined> => {
    const file = joinPath(path, name);
    return tree.has(file) ? tree.text(file) : undefined;
  };
  const chart = parse((await text('Chart.yaml')) ?? '', { name: 'Chart.yaml' });
  const values = await text('values.yaml');
  const name = isObject(chart) && typeof chart.name === 'string' ? chart.name : undefined;
  return {
    ...(name && { name }),
    valueFiles: tree.list(path).filter((file) => /values.*\.ya?ml$/.test(file)),
    ...(values !== undefined && { values }),
    parameters: flat('', parse(values ?? '', { name: 'values.yaml' })),
  };
}

/** compat: maps by dots, lists by indexes; what is empty has no parameter. */
function flat(name: string, value: unknown): { name: string; value: string }[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => flat(`${name}[${at}]`, item));
  if (isObject(value))
    return Object.entries(value).flatMap(([key, inner]) => flat(name ? `${name}.${key}` : key, inner));
  return value === null || value === undefined || name === '' ? [] : [{ name, value: String(value) }];
}
