import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileTree, isWithin, type KustomizeOptions } from '#model';
import {
  type BuildOptions,
  type KustomizePlan,
  kustomizeClosure,
  parseManifests,
  planKustomize,
} from '#render';
import { type Ctx, FairleadError } from '#std';
import type { Engines } from './engine.ts';
import type { Parts } from './materialize.ts';
import type { Output, Watched } from './output.ts';

export type KustomizeJob = {
  readonly path: string;
  readonly options: KustomizeOptions;
  readonly build: BuildOptions;
  readonly kube: { readonly version: string; readonly apiVersions: readonly string[] };
};

const everything: Parts = { files: [], folders: [''] };

/** Builds a kustomization with the real engine, which sees only what the kustomization names. */
export async function renderKustomize(
  ctx: Ctx,
  engines: Engines,
  tree: Watched,
  { path, options, build, kube }: KustomizeJob,
): Promise<Output> {
  const context = { build, kubeVersion: kube.version, apiVersions: kube.apiVersions };
  const plan = await planKustomize(tree.asked, path, options, context);
  const parts = await kustomizeClosure(tree.asked, path, plan.edited);
  const shown = `kustomize build ${path || '.'}${plan.needsHelm ? ' --enable-helm' : ''}`;
  const text = await buildWith(parts).catch((error: unknown) => {
    if (!namesUnseen(error, tree.files, parts)) throw error;
    ctx.log.warn('kustomization names more than was found; building with the whole repository', { path });
    return buildWith(everything);
  });
  const limits = { bytes: engines.limits.outputBytes };
  return { objects: parseManifests(text, `output of ${shown}`, limits), commands: [shown], warnings: [] };

  async function buildWith(seen: Parts): Promise<string> {
    const tool = await engines.tool(ctx, 'kustomize');
    const helm = plan.needsHelm ? ['--helm-command', (await engines.tool(ctx, 'helm')).command] : [];
    return engines.inWorkspace(ctx, async (workspace) => {
      await workspace.materialize(tree, seen, workspace.files);
      await replaceRoot(workspace.files, plan);
      return engines.run(ctx, workspace, { tool, args: [...plan.args, ...helm, '.'], dir: path, shown });
    });
  }
}

async function replaceRoot(files: string, { edited }: KustomizePlan): Promise<void> {
  if (!edited) return;
  const at = join(files, edited.path);
  await rm(at, { force: true }); // it may be a link, and what it leads to must stay as it is
  await writeFile(at, edited.text, { mode: 0o400 });
}

/** The engine misses something that is in the repository: what we followed was not all there is to follow. */
function namesUnseen(error: unknown, tree: FileTree, { files, folders }: Parts): boolean {
  if (!(error instanceof FairleadError) || error.code !== 'RenderFailed') return false;
  // a folder has been seen when something in it has: complaints name bases by their folder
  const seen = (path: string): boolean =>
    folders.some((dir) => isWithin(path, dir)) || files.some((file) => isWithin(file, path));
  const words = new Set(error.message.match(/[^\s'"`:,;=()]+/g));
  return [...words].some(
    (word) => word.includes('/') && !word.includes('..') && tree.has(word) && !seen(word),
  );
}
