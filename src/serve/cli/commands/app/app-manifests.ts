import type { Command } from 'commander';
import type { KubeObject } from '#base/model';
import { parseJson } from '#base/std';
import { printAll } from '#lang/yaml';
import { applications } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { collectList } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { type NameFlags, namespaced, refOfName } from './app-flags.ts';
import { localManifests } from './load-local-manifests.ts';
import type { LocalFlags } from './local-manifests.ts';
import { positionsOf, type RevisionFlags } from './revision-flags.ts';

type ManifestFlags = NameFlags & LocalFlags & RevisionFlags & { source: string };

export function addManifests(app: Command, deps: CliDeps): void {
  const manifests = namespaced(app.command('manifests <name>'))
    .description('print the manifests of an application, from Git or as they are in the cluster')
    .option('--source <side>', 'git or live', 'git')
    .option('--revision <rev>', 'at another revision')
    .option('--revisions <rev>', 'of several sources, a revision for each of --source-positions', collectList)
    .option(
      '--source-positions <number>',
      'the sources that --revisions is about; the first is 1',
      collectList,
    )
    .option('--source-names <name>', 'the same, by name', collectList)
    .option('--local <dir>', 'rendered from this folder, on this machine')
    .option(
      '--local-repo-root <dir>',
      'the root of the repository that has the folder (default: where .git is)',
    )
    .action(async (name: string, flags: ManifestFlags) => {
      const { io } = deps;
      if (flags.source !== 'git' && flags.source !== 'live')
        throw new ExitError(usageExitCode, `unknown --source ${flags.source}: use git or live`);
      io.out(
        printAll(flags.source === 'live' ? await live(deps, name, flags) : await target(deps, name, flags)),
      );
    });
  examples(
    manifests,
    'fairlead app manifests guestbook',
    'fairlead app manifests guestbook --revision 0.0.1',
    'fairlead app manifests guestbook --source live',
    'fairlead app manifests shop --revisions v2 --source-positions 1',
  );
}

/** Every live object of the application; Secrets are masked. */
async function live({ open }: CliDeps, name: string, flags: ManifestFlags): Promise<readonly KubeObject[]> {
  const { session } = await open();
  const { items } = await session.call(applications.managedResources, refOfName(name, flags));
  return items.flatMap(({ liveState }) => {
    const object = parseJson(liveState) as KubeObject | null;
    return object ? [object] : [];
  });
}

async function target(deps: CliDeps, name: string, flags: ManifestFlags): Promise<readonly KubeObject[]> {
  const { session } = await deps.open();
  const { params, query } = refOfName(name, flags);
  const { local, revision, revisions } = flags;
  if (local !== undefined || revisions) {
    const app = await session.call(applications.get, { params, query });
    if (local !== undefined) return localManifests(deps, session, app, flags);
    const sourcePositions = positionsOf(app, flags).map(String);
    return parsed(
      await session.call(applications.manifests, { params, query: { ...query, revisions, sourcePositions } }),
    );
  }
  return parsed(await session.call(applications.manifests, { params, query: { ...query, revision } }));
}

const parsed = ({ manifests }: { readonly manifests: readonly string[] }): KubeObject[] =>
  manifests.map((text) => parseJson(text) as KubeObject);
