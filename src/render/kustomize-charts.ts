import { type FileTree, normalizePath } from '#model';
import { FairleadError, isObject } from '#std';

type InflatedChart = {
  readonly home: string;
  readonly name: string;
  readonly version: string;
  readonly repo: string;
};

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value ? value : otherwise;

/** compat 3.2: kustomize takes field names in any case, here too. */
function fieldOf(value: unknown, ...names: readonly string[]): unknown {
  if (!isObject(value)) return undefined;
  return Object.entries(value).find(([key]) => names.includes(key.toLowerCase()))?.[1];
}

/** Charts that a kustomization, or a generator's own file, asks helm for; KH-2 says where they are looked for. */
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
  }));
}

/** A chart that is not in the repository would be fetched by helm itself, past every rule about where we may fetch. */
export function refuseAbsent(
  tree: FileTree,
  dirs: readonly string[],
  chart: InflatedChart,
  file: string,
): void {
  const { home, name, version, repo } = chart;
  if (repo === '') return;
  const places = [`${home}/${name}`, `${home}/${name}-${version}/${name}`];
  const isThere = (dir: string, place: string): boolean => {
    const at = placeOf(dir, `${place}/Chart.yaml`);
    return at !== undefined && tree.has(at);
  };
  if (dirs.some((dir) => places.some((place) => isThere(dir, place)))) return;
  throw new FairleadError(
    'PermissionDenied',
    `${file} inflates chart ${name} from ${withoutUser(repo)}, which is not supported yet: put the chart into ${home}/${name}`,
  );
}

/** Where a name leads from a folder; undefined when it is absolute or climbs out of the tree. */
export function placeOf(dir: string, name: string): string | undefined {
  if (name.startsWith('/')) return undefined;
  try {
    return normalizePath(`${dir}/${name}`);
  } catch {
    return undefined; // above the root there is nothing for anybody
  }
}

/** A URL that may be shown. */
export const withoutUser = (url: string): string => url.replace(/\/\/[^/@]*@/, '//').slice(0, 200);
