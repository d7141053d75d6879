import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type FileTree, isWithin, joinPath, type KubeObject, type KustomizeOptions } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { Tool } from '#platform/exec';
import { inSteps, slices } from '#platform/workers';
import { buildKustomization } from '#sources/kustomize';
import { type BuildOptions, type KustomizePlan, planKustomize, readManifests } from '#sources/render';
import type { Engines, Workspace } from './engine.ts';
import type { Parts } from './materialize.ts';
import type { Output, RecordedTree } from './output.ts';
import type { RemoteTree } from './remote-tree.ts';
import { type Gathered, gather, type Site } from './remote-walk.ts';
import type { RemotePointer } from './trace.ts';
import type { Web } from './web.ts';

export type KustomizeJob = {
  readonly path: string;
  readonly options: KustomizeOptions;
  readonly build: BuildOptions;
  readonly kube: { readonly version: string; readonly apiVersions: readonly string[] };
  readonly web: Web;
  /** Records that the result depends on a remote tree. */
  readonly borrow: (found: RemoteTree, pointer: RemotePointer) => RecordedTree;
};

const everything: Parts = { files: [], folders: [''] };

/**
 * Builds a kustomization: in process where that is sure to print the same (decision 0023), else with the kustomize
 * program, which sees only what the kustomization names.
 */
export async function renderKustomize(
  ctx: Ctx,
  engines: Engines,
  tree: RecordedTree,
  { path, options, build, kube, web, borrow }: KustomizeJob,
): Promise<Output> {
  const context = { build, kubeVersion: kube.version, apiVersions: kube.apiVersions };
  const { edited, args, needsHelm } = await planKustomize(tree.requested, path, options, context);
  const gathered = await gather(ctx, { tree, path, edited, roots, open: web.elsewhere, borrow });
  const { sites } = gathered;
  const shown = `kustomize build ${path || '.'}${needsHelm ? ' --enable-helm' : ''}`;
  const isFree = build.loadRestrictor === 'LoadRestrictionsNone';
  const objects = await inProcess(ctx, await engines.tool(ctx, 'kustomize'), sites, { path, edited, isFree });
  if (objects) return { objects, commands: [shown], warnings: [] };
  const charts = needsHelm ? await fetched(ctx, web, sites) : [];
  const own = partsOf(sites[0]);
  const made = { path, args, needsHelm, shown, sites, charts };
  const text = await buildWith(ctx, engines, made, own).catch((error: unknown) => {
    if (!namesUnseen(error, tree.files, own)) throw inUsersWords(error, gathered);
    ctx.log.warn('kustomization names more than was found; building with the whole repository', { path });
    return buildWith(ctx, engines, made, everything);
  });
  const limits = { bytes: engines.limits.outputBytes };
  return {
    objects: await inSteps(readManifests(text, `output of ${shown}`, limits)),
    commands: [shown],
    warnings: [],
  };
}

/** The kustomize version that the room `kustomize` reproduces. */
const known = 'v5.8.1';

type Own = { readonly path: string; readonly edited: KustomizePlan['edited']; readonly isFree: boolean };

/** The objects, where we are sure that kustomize would print the same; undefined: run kustomize. */
async function inProcess(
  ctx: Ctx,
  tool: Tool,
  [site, ...others]: readonly Site[],
  { path, edited, isFree }: Own,
): Promise<readonly KubeObject[] | undefined> {
  // a configured program is always run, and another version may behave differently
  if (tool.version !== known || tool.origin === 'configured') return undefined;
  const isElsewhere = others.length > 0 || !site || site.placed.size + site.charts.size > 0;
  if (isElsewhere || [...site.edits.keys()].some((file) => file !== edited?.path)) return undefined;
  const { files, folders } = partsOf(site);
  for (const part of [...files, ...folders]) site.tree.requested.hash(part); // as if they had been written for the engine
  const slice = slices();
  const pause = async (): Promise<void> => slice();
  const built = await buildKustomization({ tree: site.tree.requested, path, edited, isFree, pause });
  if ('objects' in built) return built.objects;
  ctx.log.debug('kustomization is left to the real engine', { path, reason: built.declined });
  return undefined;
}

type Build = Pick<KustomizePlan, 'args' | 'needsHelm'> & {
  readonly path: string;
  readonly shown: string;
  readonly sites: readonly Site[];
  readonly charts: readonly Fetched[];
};

async function buildWith(ctx: Ctx, engines: Engines, build: Build, own: Parts): Promise<string> {
  const { path, args, needsHelm, shown, sites, charts } = build;
  const tool = await engines.tool(ctx, 'kustomize');
  const helm = needsHelm ? ['--helm-command', (await engines.tool(ctx, 'helm')).command] : [];
  return engines.inWorkspace(ctx, async (workspace) => {
    for (const [at, site] of sites.entries()) await place(workspace, site, at === 0 ? own : partsOf(site));
    for (const { files, at } of charts) await unpack(workspace, files, join(workspace.root, at));
    return engines.run(ctx, workspace, { tool, args: [...args, ...helm, '.'], dir: path, shown });
  });
}

/** Where the trees of a build are in the folder of a run. */
const roots = { own: 'files', others: 'extra' };

const partsOf = (site: Site | undefined): Parts => ({
  files: [...(site?.files ?? [])].sort(),
  folders: [...(site?.folders ?? [])].sort(),
});

/** Puts a tree where the engine will find it, with kustomizations that name local paths instead of remote URLs. */
async function place(workspace: Workspace, site: Site, parts: Parts): Promise<void> {
  const into = join(workspace.root, site.root);
  await mkdir(into, { recursive: true, mode: 0o700 });
  await workspace.materialize(site.tree, parts, into);
  for (const [path, { requested, files, file }] of site.placed) {
    await unpack(workspace, files, dirname(join(into, path)));
    requested.hash(file);
  }
  for (const [path, text] of site.edits) await replace(join(into, path), text);
}

type Fetched = { readonly files: FileTree; readonly at: string };

/**
 * Remote charts, by the rules for sources: the engine finds them where it would have put them itself (sources KH-2).
 */
function fetched(ctx: Ctx, web: Web, sites: readonly Site[]): Promise<Fetched[]> {
  const charts = sites.flatMap(({ root, charts: some }) =>
    [...some.values()].map((chart) => ({ root, chart })),
  );
  return Promise.all(
    charts.map(async ({ root, chart: { into, ...chart } }) => ({
      files: await web.chartFiles(ctx, chart),
      at: joinPath(root, into, chart.name),
    })),
  );
}

async function unpack(workspace: Workspace, files: FileTree, into: string): Promise<void> {
  await mkdir(into, { recursive: true, mode: 0o700 });
  await workspace.materialize({ requested: files, files }, everything, into);
}

async function replace(at: string, text: string): Promise<void> {
  await rm(at, { force: true }); // it may be a link, whose target must not change
  await writeFile(at, text, { mode: 0o400 });
}

/** The engine's error with the user's URLs in place of our generated names. */
function inUsersWords(error: unknown, { spoken }: Gathered): unknown {
  if (!(error instanceof FairleadError) || spoken.size === 0) return error;
  const names = [...spoken].sort(([a], [b]) => b.length - a.length);
  const message = names.reduce(
    (text, [ours, theirs]) => text.replaceAll(ours, withoutUser(theirs)),
    error.message,
  );
  return new FairleadError(error.code, message, error);
}

const withoutUser = (url: string): string => url.replace(/\/\/[^/?#]*@/, '//');

/** The engine misses something that is in the repository: we did not find every path that the kustomization names. */
function namesUnseen(error: unknown, tree: FileTree, { files, folders }: Parts): boolean {
  if (!(error instanceof FairleadError) || error.code !== 'RenderFailed') return false;
  // a folder has been seen when something in it has: errors name bases by their folder
  const seen = (path: string): boolean =>
    folders.some((dir) => isWithin(path, dir)) || files.some((file) => isWithin(file, path));
  const words = new Set(error.message.match(/[^\s'"`:,;=()]+/g));
  return [...words].some(
    (word) => word.includes('/') && !word.includes('..') && tree.has(word) && !seen(word),
  );
}
