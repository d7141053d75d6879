import { type FileTree, joinPath, normalizePath } from '#base/model';
import { isObject, type JsonObject } from '#base/std';
import { parse } from '#lang/yaml';
import { type ChartLock, readLock } from './helm-lock.ts';
import type { HelmPlan, MissingDependency } from './helm-plan.ts';

type Declared = Pick<HelmPlan, 'declared' | 'lock'>;

/** Follows dependencies on charts in the same repository; those in `charts/` need no download. */
export async function dependencies(
  tree: FileTree,
  path: string,
): Promise<Pick<HelmPlan, 'folders' | 'missing'> & Declared> {
  const folders = new Set<string>();
  const pending = [path];
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    if (folders.has(dir)) continue;
    folders.add(dir);
    for (const { repository } of absent(tree, dir, await declaredIn(tree, dir))) {
      pending.push(...(localChart(tree, dir, repository) ?? []));
    }
  }
  // helm requires only what the chart itself declares; a local chart provides its own dependencies
  const own = await declaredIn(tree, path);
  return { folders: [...folders].sort(), missing: absent(tree, path, own), ...own };
}

function absent(tree: FileTree, dir: string, { declared, lock }: Declared): MissingDependency[] {
  const wishes = declared.map(({ name, repository, version }, at) => ({
    name: textOf(name),
    repository: textOf(repository),
    version: textOf(lock?.dependencies[at]?.version) || textOf(version), // compat sources HDP-3
  }));
  return wishes.filter(({ name }) => name !== '' && !isVendored(tree, dir, name));
}

/** compat sources 4.3: a chart of apiVersion v1 declares them in a file of their own. */
async function declaredIn(tree: FileTree, dir: string): Promise<Declared> {
  const declared: JsonObject[] = [];
  let lock: ChartLock | undefined;
  for (const name of ['Chart', 'requirements']) {
    const chart = await content(tree, joinPath(dir, `${name}.yaml`));
    const list = isObject(chart) && Array.isArray(chart.dependencies) ? chart.dependencies : [];
    declared.push(...list.filter(isObject));
    lock ??= readLock(`${name}.lock`, await content(tree, joinPath(dir, `${name}.lock`)));
  }
  return { declared, ...(lock ? { lock } : {}) };
}

async function content(tree: FileTree, file: string): Promise<unknown> {
  return tree.has(file) ? parsed(await tree.text(file)) : undefined;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** As a folder or as an archive. */
function isVendored(tree: FileTree, dir: string, name: string): boolean {
  const charts = joinPath(dir, 'charts');
  if (tree.kind(tree.resolve(charts) ?? charts) !== 'dir') return false;
  const isIt = (entry: string): boolean =>
    entry === name || (entry.startsWith(`${name}-`) && entry.endsWith('.tgz'));
  return tree.list(charts).some(isIt);
}

/** The folder of a `file://` dependency, when it is in the tree. */
function localChart(tree: FileTree, dir: string, repository: string): [string] | undefined {
  const place = /^file:\/\/(?!\/)(.*)$/.exec(repository)?.[1];
  if (place === undefined) return undefined;
  try {
    const at = normalizePath(`${dir}/${place}`);
    return tree.has(joinPath(at, 'Chart.yaml')) ? [at] : undefined;
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined; // helm reports the error
  }
}
