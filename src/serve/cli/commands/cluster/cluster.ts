import type { Command } from 'commander';
import { type ClusterInput, type ClusterView, clusters } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { isConfirmed } from '../../input/confirm.ts';
import { examples } from '../../input/examples.ts';
import { given, pairsOf } from '../../input/flag-values.ts';
import { collect, collectList } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { printAs } from '../../output/print.ts';
import { facts, table } from '../../output/table.ts';
import { addClusterAdd } from './cluster-add.ts';

/** compat server §8.3: the commands for clusters. */
export function addClusters(cluster: Command, deps: CliDeps): void {
  for (const add of [addClusterAdd, addReading, addSet, addRemove, addRotate]) add(cluster, deps);
}

/** A cluster is named by its address or by its name. */
const refOf = (id: string) => ({
  params: { id },
  query: { 'id.type': /^https?:\/\//.test(id) ? 'server' : 'name' },
});

function addReading(cluster: Command, { open }: CliDeps): void {
  const list = cluster
    .command('list')
    .description('list clusters and whether they can be reached')
    .option('-o, --output <format>', 'wide, server, json or yaml', 'wide')
    .action(async ({ output }: { output: string }) => {
      const { io, session } = await open();
      const { items } = await session.call(clusters.list);
      if (output === 'server') io.out(items.map(({ server }) => `${server}\n`).join(''));
      else io.out(output === 'wide' ? clusterTable(items) : printAs(output, items));
    });
  examples(list, 'fairlead cluster list', 'fairlead cluster list -o server');
  const get = cluster
    .command('get <cluster>')
    .description('show one cluster, by its address or its name')
    .option('-o, --output <format>', 'wide, server, json or yaml', 'yaml')
    .action(async (id: string, { output }: { output: string }) => {
      const { io, session } = await open();
      const found = await session.call(clusters.get, refOf(id));
      if (output === 'server') io.out(`${found.server}\n`);
      else io.out(output === 'wide' ? clusterFacts(found) : printAs(output, found));
    });
  examples(get, 'fairlead cluster get in-cluster', 'fairlead cluster get https://10.0.0.1:6443 -o wide');
}

/** compat server §8.2: the columns of the peer. */
function clusterTable(items: readonly ClusterView[]): string {
  const rows = items.map(
    ({ server, namespaces, name, serverVersion = '', connectionState, project = '' }) => [
      namespaces?.length ? `${server} (${namespaces.length} namespaces)` : server,
      name,
      serverVersion,
      connectionState.status,
      connectionState.message,
      project,
    ],
  );
  return table(['SERVER', 'NAME', 'VERSION', 'STATUS', 'MESSAGE', 'PROJECT'], rows);
}

function clusterFacts({ server, name, serverVersion, connectionState, info, ...rest }: ClusterView): string {
  return facts([
    ['Server', server],
    ['Name', name],
    ['Version', serverVersion ?? ''],
    ['Status', connectionState.status],
    ['Message', connectionState.message],
    ['Applications', String(info.applicationsCount)],
    ['Resources', String(info.cacheInfo.resourcesCount ?? 0)],
    ['Namespaces', rest.namespaces?.join(', ')],
    ['Project', rest.project],
    ['Insecure', String(rest.config.tlsClientConfig.insecure)],
  ]);
}

type SetFlags = {
  name?: string;
  namespace?: string[];
  label?: string[];
  annotation?: string[];
};

function addSet(cluster: Command, { open }: CliDeps): void {
  const set = cluster
    .command('set <cluster>')
    .description('change a cluster; what no flag names stays')
    .option('--name <name>', 'its name')
    .option('--namespace <name>', 'manage only this namespace; may be repeated; * for all', collectList)
    .option('--label <name=value>', 'a label of the cluster; may be repeated', collect)
    .option('--annotation <name=value>', 'an annotation of the cluster; may be repeated', collect)
    .action(async (id: string, flags: SetFlags) => {
      const { io, session } = await open();
      const updatedFields = Object.keys(flags).map((key) => fieldOf[key as keyof SetFlags]);
      if (updatedFields.length === 0)
        throw new ExitError(usageExitCode, `nothing to set: give a flag that changes '${id}'`);
      const ref = refOf(id);
      const { server } = await session.call(clusters.get, ref);
      const { namespace, label, annotation, name } = flags;
      const body: ClusterInput = {
        server,
        ...given({
          name,
          namespaces: namespace?.includes('*') ? [] : namespace,
          labels: label && pairsOf(label),
          annotations: annotation && pairsOf(annotation),
        }),
      };
      await session.call(clusters.update, {
        params: ref.params,
        query: { ...ref.query, updatedFields },
        body,
      });
      io.out(`Cluster '${id}' updated.\n`);
    });
  examples(
    set,
    'fairlead cluster set staging --name stage',
    'fairlead cluster set staging --namespace team-a --namespace team-b',
    "fairlead cluster set staging --namespace '*'",
  );
}

const fieldOf = {
  name: 'name',
  namespace: 'namespaces',
  label: 'labels',
  annotation: 'annotations',
} as const;

function addRemove(cluster: Command, deps: CliDeps): void {
  const remove = cluster
    .command('rm <cluster...>')
    .description('remove clusters; nothing in them changes')
    .option('-y, --yes', 'do not prompt')
    .action(async (ids: string[], { yes }: { yes?: boolean }) => {
      const { io, session } = await deps.open();
      for (const id of ids) {
        if (!yes && !(await isConfirmed(deps, `the registration of cluster '${id}'`))) continue;
        await session.call(clusters.delete, refOf(id));
        io.out(`Cluster '${id}' removed\n`);
      }
    });
  examples(remove, 'fairlead cluster rm staging', 'fairlead cluster rm https://10.0.0.1:6443 --yes');
}

function addRotate(cluster: Command, { open }: CliDeps): void {
  const rotate = cluster
    .command('rotate-auth <cluster>')
    .description('replace the token of the service account that a cluster is managed with')
    .action(async (id: string) => {
      const { io, session } = await open();
      await session.call(clusters.rotate, refOf(id));
      io.out(`Cluster '${id}' rotated auth\n`);
    });
  examples(rotate, 'fairlead cluster rotate-auth staging');
}
