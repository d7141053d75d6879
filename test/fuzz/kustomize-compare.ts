import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type KubeObject, memoryTree } from '#base/model';
import { printJson } from '#base/std';
import type { Tool } from '#platform/exec';
import { buildKustomization } from '#sources/kustomize';
import { parseManifests } from '#sources/render';
import type { Tree } from './kustomize-tree.ts';

/** `refused`: the real engine fails, and ours declines. `wrong`: ours has objects that the real engine has not. */
export type Verdict = {
  readonly is: 'same' | 'declined' | 'refused' | 'wrong';
  /** Why ours declined, or what differs. */
  readonly detail: string;
};

export type Answer = { readonly objects: readonly KubeObject[] } | { readonly error: string };

const run = promisify(execFile);

/** What the real engine makes of a folder of a tree. */
export async function realAnswer(kustomize: Tool, tree: Tree, path: string): Promise<Answer> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-kustomize-'));
  try {
    for (const [name, content] of Object.entries(tree)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    const { stdout } = await run(kustomize.command, [...kustomize.prefixArgs, join(folder, path)]);
    return { objects: parseManifests(stdout, 'kustomize') };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Builds a tree both ways. Objects, their order and that of their keys must be the same. */
export async function compare(kustomize: Tool, tree: Tree, path = 'app'): Promise<Verdict> {
  const [real, ours] = await Promise.all([
    realAnswer(kustomize, tree, path),
    buildKustomization({ tree: memoryTree(tree), path }),
  ]);
  if ('declined' in ours) return { is: 'error' in real ? 'refused' : 'declined', detail: ours.declined };
  if ('error' in real) return { is: 'wrong', detail: real.error };
  const [theirs, mine] = [real.objects, ours.objects].map((objects) =>
    objects.map((one) => printJson(one, 1)),
  );
  const at = Array.from({ length: Math.max(theirs?.length ?? 0, mine?.length ?? 0) }).findIndex(
    (_, index) => theirs?.[index] !== mine?.[index],
  );
  if (at < 0) return { is: 'same', detail: '' };
  return { is: 'wrong', detail: `object ${at}\nreal: ${theirs?.[at]}\nours: ${mine?.[at]}` };
}
