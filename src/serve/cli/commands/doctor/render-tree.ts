import { basename } from 'node:path';
import { FairleadError, realClock, silent } from '#base/std';
import { type DoctorFile, type DoctorRender, kustomizationRoots } from '#engine/doctor';
import { localTree, type Manifests } from '#sources/manifests';
import type { CliDeps } from '../../cli-deps.ts';
import { type DoctorTree, readOne } from './read-tree.ts';

/** Renders the kustomizations of a tree that no other one builds on. One that fails is a finding, not an end. */
export async function renderTree(
  { signal, openManifests }: Pick<CliDeps, 'signal' | 'openManifests'>,
  { root, files }: DoctorTree,
): Promise<DoctorRender[]> {
  const dirs = kustomizationRoots(files);
  if (dirs.length === 0) return [];
  const ctx = { signal, log: silent, clock: realClock };
  const { manifests, close } = await openManifests(ctx, { plugins: undefined });
  const known = new Map(files.map((file) => [file.path, file]));
  const tree = localTree(root);
  try {
    const renders: DoctorRender[] = [];
    for (const dir of dirs) renders.push(await renderOne(ctx, manifests, { dir, root, known, tree }));
    return renders;
  } finally {
    await close();
  }
}

type Job = {
  readonly dir: string;
  readonly root: string;
  readonly known: Map<string, DoctorFile | undefined>;
  readonly tree: ReturnType<typeof localTree>;
};

async function renderOne(
  ctx: Parameters<Manifests['generate']>[0],
  manifests: Manifests,
  { dir, root, known, tree }: Job,
): Promise<DoctorRender> {
  try {
    const { objects, inputs } = await manifests.generate(ctx, {
      app: { name: basename(dir) || 'doctor', project: 'default' },
      sources: [{ repoURL: root, path: dir === '' ? '.' : dir }],
      destinationNamespace: '',
      kube: { version: '1.36.0', apiVersions: [] },
      filesOf: () => tree,
    });
    const files: DoctorFile[] = [];
    for (const { path, is } of inputs) {
      if (is !== 'file') continue;
      if (!known.has(path)) known.set(path, await readOne(root, path));
      const file = known.get(path);
      if (file) files.push(file);
    }
    return { dir, objects, files: rootFirst(files, dir) };
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return { dir, objects: [], files: [], problem: error.message };
  }
}

/** The kustomization that is rendered comes first: it is the last to change an object. */
const rootFirst = (files: readonly DoctorFile[], dir: string): DoctorFile[] => {
  const isOwn = ({ path }: DoctorFile): boolean => path.slice(0, Math.max(0, path.lastIndexOf('/'))) === dir;
  return [...files.filter(isOwn), ...files.filter((file) => !isOwn(file))];
};
