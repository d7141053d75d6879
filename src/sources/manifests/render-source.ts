import {
  type FileTree,
  normalizeRepoUrl,
  type Recording,
  recordingTree,
  type Source,
  type SourceType,
} from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { slices } from '#platform/workers';
import { engineVersion } from '#sources/kustomize';
import {
  buildEnv,
  buildOptionsOf,
  detectType,
  type Plugin,
  pluginEnv,
  type RefNames,
  remoteValueFiles,
  renderDirectory,
  sourcePath,
  substitute,
  unknownVariable,
  withOverrides,
} from '#sources/render';
import type { Engines } from './engine.ts';
import { isNetworkError } from './network-error.ts';
import type { Output, RecordedTree } from './output.ts';
import type { RemoteTree } from './remote-tree.ts';
import { renderHelm } from './render-helm.ts';
import { optionParts, type RenderKey, renderKeyOf } from './render-key.ts';
import { renderKustomize } from './render-kustomize.ts';
import { pluginFor, renderPlugin } from './render-plugin.ts';
import type { ManifestRequest, RenderSettings } from './request.ts';
import { type RemotePointer, type Trace, type Trees, traceOf } from './trace.ts';
import type { Web } from './web.ts';

/** One source at one commit. `trees` holds its own under '' and those of its value files under their names. */
export type SourceInput = {
  readonly source: Source;
  readonly revision: string;
  readonly trees: Trees;
  readonly refs: RefNames;
  readonly web: Web;
};

/** A source about to be rendered: its type, the cache key of its result, and how to render it. */
export type Prepared = {
  readonly type: SourceType;
  readonly question: RenderKey;
  readonly warnings: readonly string[];
  /** Runs the render; the trace is complete also when it fails. */
  render(ctx: Ctx): Promise<{ readonly trace: Trace; readonly result: Output | FairleadError }>;
};

type Job = {
  /** All parameters that decide the result, beyond the files, by name. */
  readonly parts: Readonly<Record<string, unknown>>;
  run(ctx: Ctx, trees: ReadonlyMap<string, RecordedTree>, borrow: Borrow): Promise<Output>;
};

/** Records that the result depends on a tree that the source's own files name. */
type Borrow = (found: RemoteTree, pointer: RemotePointer) => RecordedTree;

/**
 * Computes everything that needs no render: overrides, type, variables, the key. Throws errors that the user must fix.
 */
export async function prepare(
  ctx: Ctx,
  engines: Engines,
  request: ManifestRequest & { readonly settings: RenderSettings },
  input: SourceInput,
): Promise<Prepared> {
  const { app, destinationNamespace, settings } = request;
  const tree = input.trees.get('');
  if (!tree) throw new FairleadError('Internal', 'a source was to be rendered without its tree');
  const path = sourcePath(tree, input.source.path ?? '');
  const instance = app.instance ?? app.name;
  const overridden = await withOverrides(tree, path, input.source, instance);
  if (request.withoutPlugins) refusePlugins(engines, overridden);
  const plugin = await pluginFor(ctx, engines, { tree, path, source: overridden });
  const { type, warnings } = plugin
    ? { type: 'Plugin' as const, warnings: [] }
    : detectType(tree, path, overridden, settings);
  const env = buildEnv({
    app: instance,
    destinationNamespace,
    project: app.project ?? '',
    revision: input.revision,
    source: input.source,
  });
  const { source, warnings: unknown } = substitute(overridden, env, input.refs);
  const pluginUnknown = new Set<string>();
  const job = plugin
    ? pluginJob(engines, plugin, path, pluginEnv(source.plugin ?? {}, env, request.kube, pluginUnknown))
    : await jobOf(ctx, engines, { request, source, path, type, web: input.web });
  return {
    type,
    question: renderKeyOf(
      [instance, normalizeRepoUrl(input.source.repoURL), path || (input.source.chart ?? '')],
      { type, ...job.parts, ...lentTo(request, type) },
    ),
    warnings: [...warnings, ...unknown, ...[...pluginUnknown].map(unknownVariable)],
    render: (inner) => render(inner, job, input.trees),
  };
}

/**
 * Credentials that a project provides for charts and remote bases are for its own applications, and so are the results.
 */
function lentTo({ app, chartRepositories }: ManifestRequest, type: SourceType): Record<string, unknown> {
  const mayBorrow = chartRepositories !== undefined && (type === 'Helm' || type === 'Kustomize');
  return mayBorrow ? { project: app.project } : {};
}

type JobInput = {
  readonly request: ManifestRequest & { readonly settings: RenderSettings };
  readonly source: Source;
  readonly path: string;
  readonly type: SourceType;
  readonly web: Web;
};

async function jobOf(ctx: Ctx, engines: Engines, input: JobInput): Promise<Job> {
  if (input.type === 'Kustomize') return kustomizeJob(ctx, engines, input);
  if (input.type === 'Helm') return helmJob(ctx, engines, input);
  return directoryJob(input);
}

/** Discovery runs programs too, so every source that a plugin could render is refused before it. */
function refusePlugins({ plugins }: Engines, { plugin, helm, kustomize, directory }: Source): void {
  if (helm || kustomize || directory || (!plugin && plugins.length === 0)) return;
  throw new FairleadError(
    'PermissionDenied',
    'a config management plugin would run on files of your own: that needs the permission override on the application',
  );
}

function pluginJob(engines: Engines, plugin: Plugin, path: string, env: Record<string, string>): Job {
  return {
    parts: { plugin, 'environment of the plugin': env },
    run: async (ctx, trees) => {
      const tree = trees.get('');
      if (!tree) throw new FairleadError('Internal', 'a plugin was to be run without its tree');
      return renderPlugin(ctx, engines, tree, { plugin, path, env });
    },
  };
}

function directoryJob({ request: { settings }, source: { directory = {} }, path }: JobInput): Job {
  const limits = {
    jsonnetEnabled: settings.jsonnetEnabled,
    maxCombinedBytes: settings.maxCombinedDirectoryManifestsSize,
  };
  return {
    parts: { ...optionParts('directory', directory), ...limits },
    run: async (_ctx, trees) => {
      const tree = trees.get('');
      if (!tree) throw new FairleadError('Internal', 'a folder was to be rendered without its tree');
      const paced = { ...limits, pause: slices() };
      return { ...(await renderDirectory(tree.requested, path, directory, paced)), commands: [] };
    },
  };
}

async function kustomizeJob(
  ctx: Ctx,
  engines: Engines,
  { request, source, path, web }: JobInput,
): Promise<Job> {
  const { kustomize: options = {} } = source;
  const { kustomizeBuildOptions, kustomizeVersions } = request.settings;
  const { build, warning } = buildOptionsOf(options.version, kustomizeBuildOptions, kustomizeVersions);
  const versions = [(await engines.tool(ctx, 'kustomize')).version];
  if (build.enableHelm) versions.push((await engines.tool(ctx, 'helm')).version);
  const kube = build.enableHelm ? request.kube : { version: '', apiVersions: [] };
  return {
    parts: {
      ...optionParts('kustomize', options),
      'kustomize.buildOptions': build,
      'kube version': kube.version,
      'API versions': kube.apiVersions,
      'kustomize version': versions[0],
      'version of our own kustomize': engineVersion,
      'helm version': versions[1] ?? '',
    },
    run: async (inner, trees, borrow) => {
      const tree = trees.get('');
      if (!tree) throw new FairleadError('Internal', 'a kustomization was to be built without its tree');
      const job = { path, options, build, kube, web, borrow };
      const output = await renderKustomize(inner, engines, tree, job);
      return warning ? { ...output, warnings: [...output.warnings, warning] } : output;
    },
  };
}

async function helmJob(ctx: Ctx, engines: Engines, { request, source, path, web }: JobInput): Promise<Job> {
  const { helm: options = {} } = source;
  const { version } = await engines.tool(ctx, 'helm');
  const remote = await fetched(ctx, web, remoteValueFiles(options, request.settings.helmValuesFileSchemes));
  const context = {
    remote,
    releaseName: request.app.name,
    namespace: request.destinationNamespace,
    kubeVersion: request.kube.version,
    apiVersions: request.kube.apiVersions,
    valuesFileSchemes: request.settings.helmValuesFileSchemes,
  };
  return {
    parts: {
      ...optionParts('helm', options),
      'helm.valuesFileSchemas': context.valuesFileSchemes,
      'release name': context.releaseName,
      namespace: context.namespace,
      'kube version': context.kubeVersion,
      'API versions': context.apiVersions,
      'helm version': version,
      ...(remote.size > 0 ? { 'value files from URLs': [...remote.values()] } : {}),
    },
    run: (inner, trees) => renderHelm(inner, engines, trees, { path, options, context, web }),
  };
}

/** Value files from URLs, whose content is part of the key: no tree hash changes with it. */
async function fetched(ctx: Ctx, web: Web, urls: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return new Map(await Promise.all(urls.map(async (url) => [url, await web.text(ctx, url)] as const)));
}

async function render(
  ctx: Ctx,
  job: Job,
  trees: Trees,
): Promise<{ trace: Trace; result: Output | FairleadError }> {
  const all = new Map<string, FileTree>();
  const recordings = new Map<string, Recording>();
  const watched = new Map<string, RecordedTree>();
  const remotes: Record<string, RemotePointer> = {};
  const watch = (name: string, files: FileTree): RecordedTree => {
    const recording = recordings.get(name) ?? recordingTree(files);
    recordings.set(name, recording);
    const tree = { requested: recording.tree, files: all.get(name) ?? files };
    all.set(name, tree.files);
    watched.set(name, tree);
    return tree;
  };
  for (const [name, files] of trees) watch(name, files);
  const borrow: Borrow = ({ name, tree }, pointer) => {
    remotes[name] ??= pointer;
    return watch(name, tree);
  };
  const result = await job.run(ctx, watched, borrow).catch((error: unknown) => {
    if (error instanceof FairleadError && lasting.has(error.code) && !isNetworkError(error)) return error;
    throw error;
  });
  const answers = new Map([...recordings].map(([name, recording]) => [name, recording.trace()]));
  const trace = traceOf(answers, all);
  return { trace: Object.keys(remotes).length > 0 ? { ...trace, remotes } : trace, result };
}

/** Failures that come from the files alone, and repeat with the same files. */
const lasting: ReadonlySet<string> = new Set(['RenderFailed', 'InvalidSpec', 'NotFound', 'PermissionDenied']);
