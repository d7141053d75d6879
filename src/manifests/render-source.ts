import { normalizeRepoUrl, type Recording, recordingTree, type Source, type SourceType } from '#model';
import {
  buildEnv,
  detectType,
  parseBuildOptions,
  type RefNames,
  renderDirectory,
  sourcePath,
  substitute,
  withOverrides,
} from '#render';
import { type Ctx, FairleadError } from '#std';
import type { Engines } from './engine.ts';
import type { Output, Watched } from './output.ts';
import { optionParts, type Question, questionOf } from './question.ts';
import { renderHelm } from './render-helm.ts';
import { renderKustomize } from './render-kustomize.ts';
import type { ManifestRequest, RenderSettings } from './request.ts';
import { rootsOf, type Trace, type Trees } from './trace.ts';

/** One source at one commit. `trees` holds its own under '' and those its value files come from under their names. */
export type SourceInput = {
  readonly source: Source;
  readonly revision: string;
  readonly trees: Trees;
  readonly refs: RefNames;
};

/** A source about to be rendered: what it is, what its result is remembered by, and how to get it. */
export type Prepared = {
  readonly type: SourceType;
  readonly question: Question;
  readonly warnings: readonly string[];
  /** Runs the render; the trace is complete also when it fails. */
  render(ctx: Ctx): Promise<{ readonly trace: Trace; readonly result: Output | FairleadError }>;
};

type Job = {
  /** All that decides the result, beyond the files, by name. */
  readonly parts: Readonly<Record<string, unknown>>;
  run(ctx: Ctx, trees: ReadonlyMap<string, Watched>): Promise<Output>;
};

/** Works out everything that needs no render: overrides, type, variables, the key. Throws what a user must mend. */
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
  const { type, warnings } = detectType(tree, path, overridden, settings);
  const env = buildEnv({
    app: instance,
    destinationNamespace,
    project: app.project ?? '',
    revision: input.revision,
    source: input.source,
  });
  const { source, warnings: unknown } = substitute(overridden, env, input.refs);
  const job = await jobOf(ctx, engines, { request, source, path, type });
  return {
    type,
    question: questionOf([instance, normalizeRepoUrl(input.source.repoURL), path], { type, ...job.parts }),
    warnings: [...warnings, ...unknown],
    render: (inner) => render(inner, job, input.trees),
  };
}

type JobInput = {
  readonly request: ManifestRequest & { readonly settings: RenderSettings };
  readonly source: Source;
  readonly path: string;
  readonly type: SourceType;
};

async function jobOf(ctx: Ctx, engines: Engines, input: JobInput): Promise<Job> {
  if (input.type === 'Kustomize') return kustomizeJob(ctx, engines, input);
  if (input.type === 'Helm') return helmJob(ctx, engines, input);
  return directoryJob(input);
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
      return { ...(await renderDirectory(tree.asked, path, directory, limits)), commands: [] };
    },
  };
}

async function kustomizeJob(ctx: Ctx, engines: Engines, { request, source, path }: JobInput): Promise<Job> {
  const { kustomize: options = {} } = source;
  const build = parseBuildOptions(request.settings.kustomizeBuildOptions);
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
      'helm version': versions[1] ?? '',
    },
    run: async (inner, trees) => {
      const tree = trees.get('');
      if (!tree) throw new FairleadError('Internal', 'a kustomization was to be built without its tree');
      return renderKustomize(inner, engines, tree, { path, options, build, kube });
    },
  };
}

async function helmJob(ctx: Ctx, engines: Engines, { request, source, path }: JobInput): Promise<Job> {
  const { helm: options = {} } = source;
  const { version } = await engines.tool(ctx, 'helm');
  const context = {
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
    },
    run: (inner, trees) => renderHelm(inner, engines, trees, { path, options, context }),
  };
}

async function render(
  ctx: Ctx,
  job: Job,
  trees: Trees,
): Promise<{ trace: Trace; result: Output | FairleadError }> {
  const recordings = new Map([...trees].map(([name, tree]) => [name, recordingTree(tree)]));
  const watched = new Map<string, Watched>();
  for (const [name, files] of trees) watched.set(name, { asked: recordings.get(name)?.tree ?? files, files });
  const result = await job.run(ctx, watched).catch((error: unknown) => {
    if (error instanceof FairleadError && lasting.has(error.code)) return error;
    throw error;
  });
  return { trace: traceOf(recordings, trees), result };
}

/** Failures that come from the files alone, and will come again from the same files. */
const lasting: ReadonlySet<string> = new Set(['RenderFailed', 'InvalidSpec', 'NotFound', 'PermissionDenied']);

function traceOf(recordings: ReadonlyMap<string, Recording>, trees: Trees): Trace {
  const asked = [...recordings].map(([name, recording]) => [name, recording.trace()] as const);
  return { roots: rootsOf(trees), asked: Object.fromEntries(asked.filter(([, trace]) => trace.length > 0)) };
}
