import { parse } from '#lang/yaml';
import { type FileTree, joinPath, normalizePath } from '#model';
import { isObject } from '#std';
import type { HelmPlan, MissingDependency } from './helm-plan.ts';

/** Follows dependencies on charts in the same repository; those in `charts/` are there already. */
export async function dependencies(
  tree: FileTree,
  path: string,
): Promise<Pick<HelmPlan, 'folders' | 'missing'>> {
  const folders = new Set<string>();
  const missing: MissingDependency[] = [];
  const pending = [path];
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    if (folders.has(dir)) continue;
    folders.add(dir);
    const absent = (await declared(tree, dir)).filter(({ name }) => !isVendored(tree, dir, name));
    missing.push(...absent);
    pending.push(...absent.flatMap(({ repository }) => localChart(tree, dir, repository) ?? []));
  }
  return { folders: [...folders].sort(), missing };
}

async function declared(tree: FileTree, dir: string): Promise<MissingDependency[]> {
  const files = ['Chart.yaml', 'requirements.yaml'].map((name) => joinPath(dir, name));
  const charts = await Promise.all(files.filter((file) => tree.has(file)).map((file) => tree.text(file)));
  return charts.flatMap((text) => {
    const chart = parsed(text);
    const list = isObject(chart) && Array.isArray(chart.dependencies) ? chart.dependencies : [];
    return list.flatMap(dependencyOf);
  });
}

function dependencyOf(entry: unknown): MissingDependency[] {
  if (!isObject(entry) || typeof entry.name !== 'string') return [];
  return [{ name: entry.name, repository: typeof entry.repository === 'string' ? entry.repository : '' }];
}

/** As a folder or as an archive. */
function isVendored(tree: FileTree, dir: string, name: string): boolean {
  const charts = joinPath(dir, 'charts');
  if (tree.kind(tree.resolve(charts) ?? charts) !== 'dir') return false;
  const isIt = (entry: string): boolean =>
    entry === name || (entry.startsWith(`${name}-`) && entry.endsWith('.tgz'));
  return tree.list(charts).some(isIt);
}

/** The folder of a `file://` dependency, when it is in the tree. */
function localChart(tree: FileTree, dir: string, repository: string): string | undefined {
  const place = /^file:\/\/(?!\/)(.*)$/.exec(repository)?.[1];
  if (place === undefined) return undefined;
  try {
    const at = normalizePath(`${dir}/${place}`);
    return tree.has(joinPath(at, 'Chart.yaml')) ? at : undefined;
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined; // helm will say what is wrong with it
  }
}
