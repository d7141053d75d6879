import type { FileTree, KubeObject } from '#base/model';
import { Build } from './build.ts';
import { BuildMeter, Declined, decline } from './decline.ts';
import { finished, inLegacyOrder } from './finish.ts';
import { contentHash } from './generate.ts';
import { type Edited, Files } from './load.ts';
import { rename } from './names.ts';
import { writeNotes } from './provenance.ts';
import { fixReferences } from './references.ts';
import { isLocal, nameOf, requireUnique } from './resource.ts';
import { resolveVars } from './vars.ts';

/** Part of the cache key: a new version renders every source again. */
export const engineVersion = '2';

/** The result of a build: objects, or the reason why the kustomize program has to build it. */
export type Built = { readonly objects: readonly KubeObject[] } | { readonly declined: string };

export type BuildInput = {
  readonly tree: FileTree;
  /** The folder to build. */
  readonly path: string;
  /** Replaces a file of the tree. */
  readonly edited?: Edited | undefined;
  /** Files may be outside the folder of the kustomization that names them, if still in the tree (sources KL-2). */
  readonly isFree?: boolean;
  /** Awaited at intervals, to yield the thread to other work. */
  readonly pause?: () => Promise<void>;
};

const atOnce = async (): Promise<void> => {};

/** Builds a folder, if the result is sure to match kustomize's. Never throws. */
export async function buildKustomization(input: BuildInput): Promise<Built> {
  try {
    return { objects: await built(input) };
  } catch (error) {
    if (error instanceof Declined) return { declined: error.message };
    // whatever failed here, the kustomize program reports the user's error
    return { declined: `a failure: ${error instanceof Error ? error.message : 'unknown'}` };
  }
}

async function built(input: BuildInput): Promise<KubeObject[]> {
  const { tree, path, edited, isFree = false, pause = atOnce } = input;
  const meter = new BuildMeter();
  const files = new Files(tree, edited, { isFree, meter });
  if (tree.resolve(path) !== path) decline('a link on the way to the folder');
  const { resources, kustomization, config, vars } = await new Build({ files, meter, pause }).root(path);
  // compat sources KE-1: once, at the root
  for (const resource of resources) {
    if (resource.hashed) rename(resource, `${nameOf(resource)}-${contentHash(resource)}`);
  }
  requireUnique(resources);
  await pause();
  fixReferences(resources, config.nameReference, meter);
  await pause();
  resolveVars(resources, vars, config.varReference);
  const kept = resources.filter((resource) => !isLocal(resource));
  const ordered = kustomization.sortOrder === 'fifo' ? kept : inLegacyOrder(kept);
  if (ordered.length === 0) decline('no objects at all');
  if (kustomization.notes) for (const resource of ordered) writeNotes(resource, kustomization.notes);
  return ordered.map(finished);
}
