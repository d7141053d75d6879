import { type FileTree, normalizePath } from '#base/model';
import { FairleadError, isObject } from '#base/std';

type InflatedChart = {
  readonly home: string;
  readonly name: string;
  readonly version: string;
  readonly repo: string;
  readonly devel: boolean;
};

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value ? value : otherwise;

/** compat sources 3.2: kustomize accepts field names in any case, here too. */
function fieldOf(value: unknown, ...names: readonly string[]): unknown {
  if (!isObject(value)) return undefined;
  return Object.entries(value).find(([key]) => names.includes(key.toLowerCase()))?.[1];
}

/**
 * Charts that a kustomization, or a generator's own file, inflates with helm; sources KH-2 defines where they are
 * searched for.
 */
export function inflatedCharts(value: unknown): InflatedChart[] {
  const home = textOr(fieldOf(fieldOf(value, 'helmglobals'), 'charthome'), 'charts');
  const lists = [fieldOf(value, 'helmcharts'), fieldOf(value, 'helmchartinflationgenerator')];
  const entries = lists.filter(Array.isArray).flat();
  if (fieldOf(value, 'kind') === 'HelmChartInflationGenerator') entries.push(value);
  return entries.map((entry) => ({
    home: textOr(fieldOf(entry, 'charthome'), home),
    name: textOr(fieldOf(entry, 'name', 'chartname'), ''),
    version: textOr(fieldOf(entry, 'version', 'chartversion'), ''),
    repo: textOr(fieldOf(entry, 'repo', 'chartrepourl'), ''),
    devel: fieldOf(entry, 'devel') === true,
  }));
}

/** A chart that kustomize would have helm fetch; `into` is the parent of the chart's folder. */
export type AbsentChart = {
  readonly into: string;
  readonly name: string;
  /** '': the newest. */
  readonly version: string;
  readonly repository: string;
};

/**
 * compat sources KH-2: the paths where each folder expects a chart that is missing and whose repository is named.
 * Throws InvalidSpec for a path outside the tree.
 */
export function absentCharts(
  tree: FileTree,
  dirs: readonly string[],
  { home, name, version, repo, devel }: InflatedChart,
  file: string,
): AbsentChart[] {
  if (repo === '' || name === '') return [];
  const newest = devel ? '>0.0.0-0' : ''; // compat sources KH-1: as helm reads it; an explicit version wins
  const folder = version === '' ? home : `${home}/${name}-${version}`;
  return dirs.flatMap((dir) => {
    const into = placeOf(dir, folder);
    const at = placeOf(dir, `${folder}/${name}`);
    const isBelow = at === (into === '' ? name : `${into}/${name}`); // a name with dots leads out of the folder
    if (into === undefined || at === undefined || !isBelow) throw outside(file, name);
    return tree.has(at) ? [] : [{ into, name, version: version || newest, repository: repo }];
  });
}

const outside = (file: string, name: string): FairleadError =>
  new FairleadError(
    'InvalidSpec',
    `${file} inflates chart ${JSON.stringify(name)} into a folder outside the repository: correct name, version or chartHome`,
  );

/** The path that a name leads to from a folder; undefined when it is absolute or climbs out of the tree. */
export function placeOf(dir: string, name: string): string | undefined {
  if (name.startsWith('/')) return undefined;
  try {
    return normalizePath(`${dir}/${name}`);
  } catch {
    return undefined; // it climbs above the root
  }
}
