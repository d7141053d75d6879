import type { FileTree, KubeObject } from '#model';
import { Build } from './build.ts';
import { Declined, decline, Meter } from './decline.ts';
import { finished, inLegacyOrder } from './finish.ts';
import { contentHash } from './generate.ts';
import { type Edited, Files } from './load.ts';
import { rename } from './names.ts';
import { fixReferences } from './references.ts';
import { nameOf, requireUnique } from './resource.ts';

/** A part of what a result is remembered by: another one makes every result anew. */
export const engineVersion = '1';

/** What came of a kustomization: objects, or the reason why the real engine has to build it. */
export type Built = { readonly objects: readonly KubeObject[] } | { readonly declined: string };

export type BuildInput = {
  readonly tree: FileTree;
  /** The folder to build. */
  readonly path: string;
  /** Takes the place of a file of the tree. */
  readonly edited?: Edited | undefined;
  /** Files may lie beside the kustomizations that name them, if still in the tree (KL-2). */
  readonly isFree?: boolean;
  /** Awaited now and then: a chance for others to use the thread. */
  readonly pause?: () => Promise<void>;
};

const atOnce = async (): Promise<void> => {};

/** Builds a folder, if it is surely understood. Never throws. */
export async function buildKustomization(input: BuildInput): Promise<Built> {
  try {
    return { objects: await built(input) };
  } catch (error) {
    if (error instanceof Declined) return { declined: error.message };
    // whatever went wrong here, the real engine will tell what is wrong there
    return { declined: `a failure: ${error instanceof Error ? error.message : 'unknown'}` };
  }
}

async function built(input: BuildInput): Promise<KubeObject[]> {
  const { tree, path, edited, isFree = false, pause = atOnce } = input;
  const meter = new Meter();
  const files = new Files(tree, edited, { isFree, meter });
  if (tree.resolve(path) !== path) decline('a link on the way to the folder');
  const { resources, kustomization } = await new Build({ files, meter, pause }).folder(path, []);
  // compat KE-1: once, at the root
  for (const resource of resources) {
    if (resource.hashed) rename(resource, `${nameOf(resource)}-${contentHash(resource)}`);
  }
  requireUnique(resources);
  await pause();
  fixReferences(resources, meter);
  await pause();
  const ordered = kustomization.sortOrder === 'fifo' ? resources : inLegacyOrder(resources);
  if (ordered.length === 0) decline('no objects at all');
  return ordered.map(finished);
}
