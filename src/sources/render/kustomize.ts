import { compareBytes, type FileTree, joinPath, type KustomizeOptions, normalizePath } from '#base/model';
import { FairleadError, isObject, printJson } from '#base/std';
import { parse } from '#lang/yaml';
import { kustomizationNames } from './detect.ts';
import { plainVersion } from './kube-version.ts';
import { type ImageOverride, withImages } from './kustomize-image.ts';
import type { BuildOptions } from './kustomize-options.ts';

/** How to run Kustomize for a source: which file to replace first, and what to add to the command line. */
export type KustomizePlan = {
  readonly edited: { readonly path: string; readonly text: string } | undefined;
  readonly args: readonly string[];
  /** The build inflates charts and needs the path of helm. */
  readonly needsHelm: boolean;
};

export type KustomizeContext = {
  readonly build: BuildOptions;
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
};

type Kustomization = Record<string, unknown>;

/** The kustomization file of a folder; undefined when there is none or more than one: kustomize reports that better. */
function kustomizationIn(tree: FileTree, dir: string): string | undefined {
  const found = kustomizationNames.map((name) => joinPath(dir, name)).filter((file) => tree.has(file));
  return found.length === 1 ? found[0] : undefined;
}

/** Plans the build of a folder (sources 3.1). The variables in the options have been replaced already. */
export async function planKustomize(
  tree: FileTree,
  path: string,
  options: KustomizeOptions,
  context: KustomizeContext,
): Promise<KustomizePlan> {
  const edits = editsOf(tree, path, options, context.build);
  const { enableHelm } = context.build;
  const args = commandLine(context, options);
  if (edits.length === 0) return { edited: undefined, args, needsHelm: enableHelm };
  const file = kustomizationIn(tree, path);
  if (file === undefined) {
    throw new FairleadError('RenderFailed', `kustomization file not found in the path ${path || '.'}`);
  }
  const kustomization = parse(await tree.text(file), { name: file }) ?? {}; // an empty file can be edited too
  if (!isObject(kustomization)) {
    throw new FairleadError('RenderFailed', `invalid Kustomization ${file}: it must be a map`);
  }
  const edited = { ...kustomization };
  for (const edit of edits) edit(edited);
  // JSON is YAML, and survives every reader unchanged
  return { edited: { path: file, text: `${printJson(edited, 2)}\n` }, args, needsHelm: enableHelm };
}

function commandLine(
  { build, kubeVersion, apiVersions }: KustomizeContext,
  options: KustomizeOptions,
): string[] {
  const args = ['--load-restrictor', build.loadRestrictor];
  if (!build.enableHelm) return args;
  const kube = build.helmKubeVersion ?? options.kubeVersion ?? kubeVersion;
  const apis =
    build.helmApiVersions.length > 0 ? build.helmApiVersions : (options.apiVersions ?? apiVersions);
  args.push('--enable-helm');
  if (kube) args.push('--helm-kube-version', plainVersion(kube));
  for (const api of apis) args.push('--helm-api-versions', api);
  if (build.helmDebug) args.push('--helm-debug');
  return args;
}

type Edit = (kustomization: Kustomization) => void;

/** compat sources 3.1: the order is observable. */
function editsOf(tree: FileTree, path: string, options: KustomizeOptions, build: BuildOptions): Edit[] {
  const edits: (Edit | undefined | false)[] = [
    setText('namePrefix', options.namePrefix),
    setText('nameSuffix', options.nameSuffix),
    (options.images ?? []).length > 0 && ((file) => setImages(file, options.images ?? [])),
    (options.replicas ?? []).length > 0 && ((file) => setReplicas(file, options.replicas ?? [])),
    isFilled(options.commonLabels) && ((file) => addLabels(file, options)),
    isFilled(options.commonAnnotations) &&
      ((file) => {
        const force = options.forceCommonAnnotations ?? false;
        addTo(file, 'commonAnnotations', options.commonAnnotations ?? {}, { what: 'annotation', force });
      }),
    setText('namespace', options.namespace),
    (options.patches ?? []).length > 0 && ((file) => append(file, 'patches', options.patches ?? [])),
    (options.components ?? []).length > 0 && ((file) => addComponents(tree, path, file, options)),
    // kubectl has no such options; a field of the kustomization does the same
    build.reorder !== undefined && ((file) => setSort(file, build.reorder === 'none' ? 'fifo' : 'legacy')),
    build.managedByLabel && ((file) => appendNew(file, 'buildMetadata', ['managedByLabel'])),
  ];
  return edits.filter((edit) => typeof edit === 'function');
}

const isFilled = (map: Record<string, string> | undefined): boolean => Object.keys(map ?? {}).length > 0;

const setText = (field: string, text: string | undefined): Edit | undefined =>
  text ? (file) => Object.assign(file, { [spelled(file, field)]: text }) : undefined;

/** compat sources 3.2: kustomize accepts field names in any case; ours must not become a second field. */
function spelled(file: Kustomization, field: string): string {
  const lower = field.toLowerCase();
  return Object.keys(file).find((name) => name.toLowerCase() === lower) ?? field;
}

function listOf(file: Kustomization, field: string): unknown[] {
  const list = file[spelled(file, field)];
  return Array.isArray(list) ? list : [];
}

function append(file: Kustomization, field: string, items: readonly unknown[]): void {
  file[spelled(file, field)] = [...listOf(file, field), ...items];
}

function appendNew(file: Kustomization, field: string, items: readonly string[]): void {
  const present = new Set(listOf(file, field));
  append(
    file,
    field,
    items.filter((item) => !present.has(item)),
  );
}

function setImages(file: Kustomization, overrides: readonly string[]): void {
  const isEntry = (entry: unknown): entry is ImageOverride =>
    isObject(entry) && typeof entry.name === 'string';
  const before = [...listOf(file, 'images'), ...listOf(file, 'imageTags')].filter(isEntry); // compat sources KX-1
  delete file[spelled(file, 'imageTags')];
  file[spelled(file, 'images')] = withImages(before, overrides);
}

function setReplicas(file: Kustomization, replicas: NonNullable<KustomizeOptions['replicas']>): void {
  const byName = new Map<string, unknown>();
  for (const entry of listOf(file, 'replicas')) if (isObject(entry)) byName.set(String(entry.name), entry);
  for (const { name, count } of replicas) byName.set(name, { name, count: countOf(count) });
  file[spelled(file, 'replicas')] = [...byName]
    .sort(([a], [b]) => compareBytes(a, b))
    .map(([, entry]) => entry);
}

function countOf(count: number | string): number {
  if (/^[+-]?\d+$/.test(String(count))) return Number(count);
  throw new FairleadError('InvalidSpec', `expected integer value for count. Received: ${count}`);
}

function addLabels(file: Kustomization, options: KustomizeOptions): void {
  const labels = options.commonLabels ?? {};
  const force = options.forceCommonLabels ?? false;
  if (!options.labelWithoutSelector) {
    if (options.labelIncludeTemplates) {
      throw new FairleadError(
        'InvalidSpec',
        '--without-selector flag must be specified for --include-templates to work',
      );
    }
    addTo(file, 'commonLabels', labels, { what: 'label', force });
    return;
  }
  // compat sources KUS-1: they are added to the first entry with the same flags
  const templates = options.labelIncludeTemplates ?? false;
  const entries = listOf(file, 'labels');
  const at = entries.findIndex(
    (entry) => isObject(entry) && !entry.includeSelectors && Boolean(entry.includeTemplates) === templates,
  );
  const entry = isObject(entries[at]) ? { ...entries[at] } : templates ? { includeTemplates: true } : {};
  addTo(entry, 'pairs', labels, { what: 'label', force });
  file[spelled(file, 'labels')] = at < 0 ? [...entries, entry] : entries.with(at, entry);
}

function addTo(
  file: Kustomization,
  field: string,
  pairs: Readonly<Record<string, string>>,
  { what, force }: { what: 'label' | 'annotation'; force: boolean },
): void {
  const name = spelled(file, field);
  const before = isObject(file[name]) ? file[name] : {};
  for (const key of Object.keys(pairs)) {
    if (!force && Object.hasOwn(before, key)) {
      throw new FairleadError(
        'RenderFailed',
        `${what} ${key} already in kustomization file. Use --force to override.`, // compat sources 3.1
      );
    }
  }
  file[name] = {
    ...before,
    ...Object.fromEntries(Object.entries(pairs).map(([key, value]) => [key, unquoted(value)])),
  };
}

/** compat sources KUS-3: they are words of a command line, where double quotes may enclose a value. */
const unquoted = (value: string): string => (/^".*"$/s.test(value) ? value.slice(1, -1) : value);

function addComponents(tree: FileTree, path: string, file: Kustomization, options: KustomizeOptions): void {
  const isThere = (component: string): boolean => {
    const at = below(path, component);
    return at !== undefined && tree.has(at);
  };
  const wanted = options.components ?? [];
  appendNew(file, 'components', options.ignoreMissingComponents ? wanted.filter(isThere) : wanted);
}

/** compat: a component outside the repository counts as missing. */
function below(path: string, relative: string): string | undefined {
  try {
    return normalizePath(`${path}/${relative}`);
  } catch {
    return undefined;
  }
}

function setSort(file: Kustomization, order: 'fifo' | 'legacy'): void {
  const name = spelled(file, 'sortOptions');
  file[name] ??= { order };
}
