import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  type Application,
  argoApiVersion,
  clusterFrom,
  inClusterName,
  inClusterServer,
  type KubeObject,
  type RegisteredCluster,
} from '#base/model';
import { glob } from '#engine';
import { print } from '#lang/yaml';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { wholeNumber } from '../../input/flag-values.ts';
import { ExitError } from '../../io.ts';
import { table } from '../../output/table.ts';
import { type OnCluster, onCluster } from '../../session/kube.ts';
import { type ClusterFlags, reaching } from './admin-flags.ts';

type KnownCluster = { readonly record: RegisteredCluster; readonly secret: KubeObject };
type Facts = { readonly clusters: readonly KnownCluster[]; readonly apps: readonly Application[] };

/** compat server §8.6: what the cluster says about registered clusters, without a server. */
export function addAdminCluster(cluster: Command, deps: CliDeps): void {
  for (const add of [addKubeconfig, addStats, addNamespaces, addNamespacedModes]) add(cluster, deps);
}

async function factsOf({ ctx, kube }: OnCluster, { namespace }: ClusterFlags): Promise<Facts> {
  const labelSelector = 'argocd.argoproj.io/secret-type=cluster';
  const secrets = await kube.list(ctx, { apiVersion: 'v1', kind: 'Secret', namespace }, { labelSelector });
  const apps = await kube.list(ctx, { apiVersion: argoApiVersion, kind: 'Application', namespace });
  const clusters = secrets.items.map((secret) => ({ record: clusterFrom(secret), secret }));
  return { clusters, apps: apps.items as readonly Application[] };
}

const goesTo = ({ server, name }: { server: string; name: string }, { spec }: Application): boolean =>
  spec.destination.server === server ||
  (spec.destination.server === undefined && spec.destination.name === name);

/** compat server §9: one process manages every cluster; a shard that is stored, for more of them, is ignored. */
const onlyShard = '0';

const inCluster = { server: inClusterServer, name: inClusterName };

function addKubeconfig(cluster: Command, deps: CliDeps): void {
  const command = reaching(cluster.command('kubeconfig <cluster> <file>'))
    .description('write a kubeconfig with the credentials of a registered cluster, by address or name')
    .action(async (wanted: string, file: string, flags: ClusterFlags) => {
      const { clusters } = await onCluster(deps, flags, (on) => factsOf(on, flags));
      const found = clusters.find(({ record }) => record.server === wanted || record.name === wanted);
      if (!found)
        throw new ExitError(20, `no cluster ${wanted} is registered in namespace ${flags.namespace}`);
      const text = print(kubeconfigOf(found.record));
      if (file === '-') deps.io.out(text);
      else {
        await writeFile(file, text, { mode: 0o600 });
        deps.io.err(`${file} written, which holds the credentials of the cluster\n`);
      }
    });
  examples(command, 'fairlead admin cluster kubeconfig staging ./staging.kubeconfig');
}

function kubeconfigOf({ server, name, config }: RegisteredCluster): object {
  const { tlsClientConfig: tls = {}, bearerToken, username, password, execProviderConfig: exec } = config;
  const defined = (fields: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(fields).filter(([, value]) => value !== undefined && value !== '' && value !== false),
    );
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: defined({
          server,
          'certificate-authority-data': tls.caData,
          'insecure-skip-tls-verify': tls.insecure,
          'tls-server-name': tls.serverName,
          'proxy-url': config.proxyUrl,
        }),
      },
    ],
    users: [
      {
        name,
        user: defined({
          token: bearerToken,
          username,
          password,
          'client-certificate-data': tls.certData,
          'client-key-data': tls.keyData,
          exec,
        }),
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}

function addStats(cluster: Command, deps: CliDeps): void {
  const stats = reaching(cluster.command('stats'))
    .description('list clusters with their namespaces and the number of their applications')
    .action(async (flags: ClusterFlags) => {
      const { clusters, apps } = await onCluster(deps, flags, (on) => factsOf(on, flags));
      const rows = [inCluster, ...clusters.map(({ record }) => record)].map((one) => {
        const own = apps.filter((app) => goesTo(one, app));
        const namespaces = new Set(own.map(({ spec }) => spec.destination.namespace ?? ''));
        return [one.server, onlyShard, String(namespaces.size), String(own.length)];
      });
      deps.io.out(table(['SERVER', 'SHARD', 'NAMESPACES COUNT', 'APPS COUNT'], rows));
    });
  examples(stats, 'fairlead admin cluster stats');
  const shards = reaching(cluster.command('shards'))
    .description('list clusters with the shard that manages them: always 0, as there is one process')
    .action(async (flags: ClusterFlags) => {
      const { clusters } = await onCluster(deps, flags, (on) => factsOf(on, flags));
      const rows = [inClusterServer, ...clusters.map(({ record }) => record.server)].map((server) => [
        server,
        onlyShard,
      ]);
      deps.io.out(table(['SERVER', 'SHARD'], rows));
    });
  examples(shards, 'fairlead admin cluster shards');
}

function addNamespaces(cluster: Command, deps: CliDeps): void {
  const command = reaching(cluster.command('namespaces'))
    .description('list the namespaces that the applications on each cluster use')
    .action(async (flags: ClusterFlags) => {
      const { clusters, apps } = await onCluster(deps, flags, (on) => factsOf(on, flags));
      const rows = [inCluster, ...clusters.map(({ record }) => record)].flatMap((one) =>
        namespacesOf(one, apps).map((namespace) => [one.server, namespace]),
      );
      deps.io.out(table(['CLUSTER', 'NAMESPACE'], rows));
    });
  examples(command, 'fairlead admin cluster namespaces');
}

function namespacesOf(one: { server: string; name: string }, apps: readonly Application[]): string[] {
  const used = apps
    .filter((app) => goesTo(one, app))
    .flatMap(({ spec, status }) => [
      spec.destination.namespace ?? '',
      ...(status?.resources ?? []).map(({ namespace = '' }) => namespace),
    ]);
  return [...new Set(used.filter(Boolean))].sort();
}

type ModeFlags = ClusterFlags & {
  dryRun?: boolean;
  clusterResources?: boolean;
  namespacesCount: string;
  maxNamespaceCount?: string;
};

/** Under `namespaces` as well, where the peer has them. */
function addNamespacedModes(cluster: Command, deps: CliDeps): void {
  addNamespacedMode(cluster, deps, 'admin cluster');
  const namespaces = cluster.commands.find((one) => one.name() === 'namespaces');
  if (namespaces) addNamespacedMode(namespaces, deps, 'admin cluster namespaces');
}

function addNamespacedMode(cluster: Command, deps: CliDeps, path: string): void {
  const enable = reaching(cluster.command('enable-namespaced-mode <pattern>'))
    .description(
      'have the clusters that a pattern matches managed in the namespaces that applications use, and no others',
    )
    .option('--cluster-resources', 'manage objects without namespace too')
    .option('--namespaces-count <count>', 'only clusters with at most so many namespaces', '0')
    .addOption(cluster.createOption('--max-namespace-count <count>', 'the same').hideHelp())
    .option('--dry-run', 'only say what would be done')
    .action((pattern: string, flags: ModeFlags) => setMode(deps, pattern, flags, true));
  examples(enable, `fairlead ${path} enable-namespaced-mode "*staging*" --dry-run`);
  const disable = reaching(cluster.command('disable-namespaced-mode <pattern>'))
    .description('have the clusters that a pattern matches managed as a whole')
    .option('--dry-run', 'only say what would be done')
    .action((pattern: string, flags: ModeFlags) => setMode(deps, pattern, flags, false));
  examples(disable, `fairlead ${path} disable-namespaced-mode "*staging*"`);
}

async function setMode(deps: CliDeps, pattern: string, flags: ModeFlags, isEnabled: boolean): Promise<void> {
  const count = flags.maxNamespaceCount ?? flags.namespacesCount;
  const most = isEnabled ? wholeNumber('--namespaces-count', count) : 0;
  const isChosen = ({ record }: KnownCluster): boolean =>
    glob(pattern, record.server) || glob(pattern, record.name);
  await onCluster(deps, flags, async (on) => {
    const { clusters, apps } = await factsOf(on, flags);
    const changes = clusters
      .filter(isChosen)
      .map((cluster) => ({ ...cluster, namespaces: isEnabled ? namespacesOf(cluster.record, apps) : [] }));
    if (changes.length === 0) throw new ExitError(20, `no registered cluster matches ${pattern}`);
    const hasClusterResources = isEnabled && flags.clusterResources === true;
    for (const { record, secret, namespaces } of changes.filter(
      (one) => most === 0 || one.namespaces.length <= most,
    )) {
      if (!flags.dryRun) await storeNamespaces(on, secret, namespaces, hasClusterResources);
      deps.io.out(modeText(record, namespaces, flags));
    }
  });
}

function modeText(
  { server }: RegisteredCluster,
  namespaces: readonly string[],
  { dryRun }: ModeFlags,
): string {
  const what = namespaces.length > 0 ? `namespaces ${namespaces.join(', ')}` : 'the whole cluster';
  return `Setting cluster ${server} to ${what}${dryRun ? ' (dry run)' : ''}\n`;
}

async function storeNamespaces(
  { ctx, kube }: OnCluster,
  { metadata }: KubeObject,
  namespaces: readonly string[],
  hasClusterResources: boolean,
): Promise<void> {
  const { name, namespace = '' } = metadata;
  const stringData = { namespaces: namespaces.join(','), clusterResources: String(hasClusterResources) };
  const ref = { apiVersion: 'v1', kind: 'Secret', name, namespace };
  await kube.patch(ctx, ref, { type: 'merge', body: { stringData } });
}
