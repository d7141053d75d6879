import { relative, resolve, sep } from 'node:path';
import {
  type Application,
  effectiveSources,
  hasMultipleSources,
  instanceName,
  isRefOnly,
  type KubeObject,
  projectName,
  sameRepo,
} from '#base/model';
import { FairleadError, realClock, silent } from '#base/std';
import { clusters } from '#serve/api';
import { localTree } from '#sources/manifests';
import type { CliDeps } from '../../cli-deps.ts';
import { workTreeOf } from '../../input/work-tree.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import type { Session } from '../../session/session.ts';

export type LocalFlags = { local?: string; localRepoRoot?: string };

/** The version for a chart where the cluster's own is not known. */
const assumedVersion = '1.36.0';

/** The manifests of an application rendered from a folder of this machine instead of its repository. */
export async function localManifests(
  { io, signal, openManifests }: CliDeps,
  session: Session,
  app: Application,
  { local = '.', localRepoRoot }: LocalFlags,
): Promise<readonly KubeObject[]> {
  const folder = resolve(local);
  const root = localRepoRoot === undefined ? workTreeOf(folder) : resolve(localRepoRoot);
  const path = relative(root, folder);
  if (path === '..' || path.startsWith(`..${sep}`))
    throw new ExitError(
      usageExitCode,
      `--local ${local} is not inside ${root}: give another --local-repo-root`,
    );
  const sources = effectiveSources(app.spec);
  const main = sources.findIndex((source) => !isRefOnly(source));
  const own = sources[main]?.repoURL ?? '';
  const files = localTree(root);
  const moved = { path: path === '' ? '.' : path.split(sep).join('/') };
  const ctx = { signal, log: silent, clock: realClock };
  const kube = await kubeOf(session, app);
  if (!kube.isKnown)
    io.err(`note: rendered for Kubernetes ${kube.version}, as you may not get the cluster\n`);
  const { manifests, close } = await openManifests(ctx, { plugins: undefined });
  try {
    const { objects, warnings } = await manifests.generate(ctx, {
      app: { name: app.metadata.name, instance: instanceName(app, 'argocd'), project: projectName(app) },
      sources: sources.map((source, at) => (at === main ? { ...source, ...moved } : source)),
      multiSource: hasMultipleSources(app.spec),
      destinationNamespace: app.spec.destination.namespace ?? '',
      kube: { version: kube.version, apiVersions: kube.apiVersions },
      filesOf: ({ repoURL }) => (sameRepo(repoURL, own) ? files : undefined),
    });
    for (const warning of warnings) io.err(`warning: ${warning}\n`);
    if (objects.length === 0)
      throw new ExitError(20, `--local ${local} renders no manifests: nothing to compare`);
    return objects;
  } finally {
    await close();
  }
}

/** The version and the APIs of the destination; a token for pipelines rarely may read them. */
async function kubeOf(session: Session, { spec }: Application) {
  const { server, name } = spec.destination;
  try {
    const found = await session.call(clusters.get, {
      params: { id: server ?? name ?? '' },
      query: { 'id.type': server === undefined ? 'name' : 'server' },
    });
    const { serverVersion = assumedVersion, info } = found;
    return { version: serverVersion, apiVersions: info.apiVersions ?? [], isKnown: true };
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return { version: assumedVersion, apiVersions: [], isKnown: false };
  }
}
