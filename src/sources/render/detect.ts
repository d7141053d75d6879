import {
  explicitSourceType,
  type FileTree,
  joinPath,
  type Settings,
  type Source,
  type SourceType,
} from '#base/model';
import { FairleadError } from '#base/std';

/** Which engines are enabled (sources DET-1). */
export type Switches = Pick<Settings['render'], 'helmEnabled' | 'kustomizeEnabled'>;

export type Detected = { readonly type: SourceType; readonly warnings: readonly string[] };

/** The file names of a kustomization, in the order they are tried. */
export const kustomizationNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'] as const;

/** The type of a source (sources 1.11): the one it declares, else the one its folder indicates. */
export function detectType(tree: FileTree, path: string, source: Source, switches: Switches): Detected {
  const explicit = explicitSourceType(source);
  if (explicit) return { type: enabled(explicit, switches), warnings: [] };
  return discovered(tree, path, switches);
}

/** compat: a disabled type is rendered as plain files. */
function enabled(type: SourceType, { helmEnabled, kustomizeEnabled }: Switches): SourceType {
  const off = (type === 'Helm' && !helmEnabled) || (type === 'Kustomize' && !kustomizeEnabled);
  return off ? 'Directory' : type;
}

function discovered(tree: FileTree, path: string, switches: Switches): Detected {
  const names = tree.list(path);
  const isFile = (name: string): boolean => tree.kind(joinPath(path, name)) !== 'dir';
  const has = (name: string): boolean => names.includes(name) && isFile(name);
  // compat: when both are there Kustomize wins, because the walk finds it later
  if (switches.kustomizeEnabled && kustomizationNames.some(has)) {
    return { type: 'Kustomize', warnings: [] };
  }
  if (switches.helmEnabled && has('Chart.yaml')) return { type: 'Helm', warnings: [] };
  const almost = names.find((name) => name.endsWith('Chart.yaml') && name !== 'Chart.yaml' && isFile(name));
  if (!switches.helmEnabled || almost === undefined) return { type: 'Directory', warnings: [] };
  // dev sources DEV-11: only the exact name makes a chart
  return {
    type: 'Directory',
    warnings: [`${joinPath(path, almost)} is not taken for a chart: name it Chart.yaml, or set source.helm`],
  };
}

/**
 * The folder a source names, cleaned. Throws when it is not a folder inside the tree (sources PATH-1), with Argo CD's
 * sentences.
 */
export function sourcePath(tree: FileTree, path: string): string {
  const fail = (code: 'InvalidSpec' | 'NotFound', what: string): FairleadError =>
    new FairleadError(code, `${path}: app path ${what}: check source.path and the revision`);
  if (path.startsWith('/')) throw fail('InvalidSpec', 'is absolute');
  if (path.includes('\0')) throw fail('InvalidSpec', 'does not exist');
  const clean = cleaned(path);
  if (clean === undefined) throw fail('InvalidSpec', 'outside root');
  const real = tree.resolve(clean);
  if (real === undefined) throw fail('NotFound', 'does not exist');
  const kind = tree.kind(real);
  if (kind !== 'dir' && kind !== 'submodule') throw fail('NotFound', 'is not a directory');
  return real;
}

function cleaned(path: string): string | undefined {
  try {
    return joinPath(path);
  } catch {
    return undefined;
  }
}
