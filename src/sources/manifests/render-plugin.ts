import type { FileTree, Source } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { inSteps } from '#platform/workers';
import { hasMatch, namedPlugin, type Plugin, readManifests } from '#sources/render';
import type { Engines } from './engine.ts';
import type { Parts } from './materialize.ts';
import type { Output, RecordedTree } from './output.ts';

export type PluginJob = {
  readonly plugin: Plugin;
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
};

const everything: Parts = { files: [], folders: [''] };

/**
 * The plugin that renders a source: the one it names, or the first whose discovery matches its folder when the source
 * names none and has no settings of another type (sources 1.11, CMP-4). Undefined: no plugin renders it.
 */
export async function pluginFor(
  ctx: Ctx,
  engines: Engines,
  { tree, path, source }: { readonly tree: FileTree; readonly path: string; readonly source: Source },
): Promise<Plugin | undefined> {
  if (source.helm || source.kustomize || source.directory) return undefined;
  const place = { tree, path };
  const named = namedPlugin(engines.plugins, source);
  if (named) return atHome(ctx, engines, named, place);
  for (const plugin of engines.plugins) if (await discovers(ctx, engines, plugin, place)) return plugin;
  if (!source.plugin) return undefined;
  throw new FairleadError(
    'InvalidSpec',
    `no config management plugin finds itself at home in ${path || '.'}: set source.plugin.name`,
  );
}

/** compat sources CMP-4: the discovery of a named plugin is run too, if it has one. */
async function atHome(ctx: Ctx, engines: Engines, plugin: Plugin, place: SourceFolder): Promise<Plugin> {
  if (!plugin.discover || (await discovers(ctx, engines, plugin, place))) return plugin;
  throw new FairleadError(
    'InvalidSpec',
    `config management plugin ${plugin.name} does not find what it looks for in ${place.path || '.'}: name another, or none`,
  );
}

type SourceFolder = { readonly tree: FileTree; readonly path: string };

async function discovers(
  ctx: Ctx,
  engines: Engines,
  { name, discover }: Plugin,
  place: SourceFolder,
): Promise<boolean> {
  if (!discover) return false;
  const { tree, path } = place;
  if ('glob' in discover) return hasMatch(tree, path, discover.glob);
  const seen = engines.discoveries.get(`${name} ${tree.hash('')} ${path}`);
  if (seen !== undefined) return seen;
  const said = await engines.inOwnWorkspace(ctx, async (workspace) => {
    await workspace.materialize({ requested: tree, files: tree }, everything, workspace.files);
    const program = { words: discover.command, dir: path, shown: `${name}: ${discover.command[0]}`, env: {} };
    return engines.runForeign(ctx, workspace, program).catch((error: unknown) => {
      if (error instanceof FairleadError && error.code === 'RenderFailed') return ''; // no match
      throw error;
    });
  });
  engines.discoveries.set(`${name} ${tree.hash('')} ${path}`, said.trim() !== '');
  return said.trim() !== '';
}

/** Runs a plugin in a private copy of the repository: `init`, then `generate`, whose output is the manifests (sources CMP-6). */
export async function renderPlugin(
  ctx: Ctx,
  engines: Engines,
  tree: RecordedTree,
  job: PluginJob,
): Promise<Output> {
  const { plugin, path, env } = job;
  const shown = (words: readonly string[]): string => `${plugin.name}: ${words.join(' ')}`;
  const text = await engines.inOwnWorkspace(ctx, async (workspace) => {
    await workspace.materialize(tree, everything, workspace.files);
    const run = (words: readonly string[]): Promise<string> =>
      engines.runForeign(ctx, workspace, { words, dir: path, shown: shown(words), env });
    if (plugin.init) await run(plugin.init);
    return run(plugin.generate);
  });
  const limits = { bytes: engines.limits.outputBytes };
  const objects = await inSteps(readManifests(text, `output of plugin ${plugin.name}`, limits));
  const commands = [...(plugin.init ? [shown(plugin.init)] : []), shown(plugin.generate)];
  return { objects, commands, warnings: [] };
}
