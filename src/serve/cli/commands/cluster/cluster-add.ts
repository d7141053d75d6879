import type { Command } from 'commander';
import { type ClusterInput, clusters } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { mayProceed } from '../../input/confirm.ts';
import { examples } from '../../input/examples.ts';
import { given, pairsOf, unlessEmpty, wholeNumber } from '../../input/flag-values.ts';
import { collect, collectList } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { authorityOf, type KubeFlags, type OnCluster, onCluster } from '../../session/kube.ts';
import { type AccountWish, installAccount, tokenFor } from './service-account.ts';

export type AddFlags = KubeFlags & {
  name?: string;
  namespace?: string[];
  clusterResources?: boolean;
  serviceAccount?: string;
  systemNamespace: string;
  label?: string[];
  annotation?: string[];
  shard?: string;
  project?: string;
  inCluster?: boolean;
  clusterEndpoint?: string;
  upsert?: boolean;
  yes?: boolean;
  awsClusterName?: string;
  awsRoleArn?: string;
  awsProfile?: string;
  execCommand?: string;
  execCommandArgs?: string[];
  execCommandEnv?: string[];
  execCommandApiVersion?: string;
  execCommandInstallHint?: string;
  proxyUrl?: string;
  disableCompression?: boolean;
};

/** The flags that describe a cluster; `admin cluster generate-spec` has them too. */
export const clusterFlags = (command: Command): Command =>
  command
    .option('--name <name>', 'its name; the context when missing')
    .option('--kubeconfig <path>', 'the file that has the context')
    .option('--namespace <name>', 'manage only this namespace; may be repeated', collectList)
    .option('--cluster-resources', 'with --namespace, manage objects without namespace too')
    .option('--service-account <name>', 'an account that exists, instead of one that is made')
    .option('--system-namespace <name>', 'where the service account is', 'kube-system')
    .option('--label <name=value>', 'a label of the cluster; may be repeated', collect)
    .option('--annotation <name=value>', 'an annotation of the cluster; may be repeated', collect)
    .option('--shard <number>', 'no effect here, where one process manages every cluster; stored for argocd')
    .option('--project <name>', 'only for this project')
    .option('--in-cluster', 'reach it at https://kubernetes.default.svc')
    .option('--cluster-endpoint <kind>', 'the address to use: kubeconfig or internal')
    .option('--aws-cluster-name <name>', 'authenticate at this EKS cluster')
    .option('--aws-role-arn <arn>', 'with this role')
    .option('--aws-profile <file>', 'with this profile')
    .option('--exec-command <path>', 'a program that prints credentials')
    .option('--exec-command-args <text>', 'an argument for it; may be repeated', collectList)
    .option('--exec-command-env <name=value>', 'a variable for it; may be repeated', collectList)
    .option('--exec-command-api-version <version>', 'the version of what it prints')
    .option('--exec-command-install-hint <text>', 'where the program can be had')
    .option('--proxy-url <url>', 'reach the cluster through this proxy')
    .option('--disable-compression', 'do not compress the answers of the cluster');

export function addClusterAdd(cluster: Command, deps: CliDeps): void {
  const { io } = deps;
  const add = clusterFlags(cluster.command('add <context>'))
    .description('register the cluster of a kubeconfig context, with a service account that is made there')
    .option('--upsert', 'replace a cluster that is registered with other settings')
    .option('-y, --yes', 'do not prompt')
    .action(async (context: string, flags: AddFlags) => {
      const { session } = await deps.open();
      if (flags.shard !== undefined)
        io.err(
          'note: --shard has no effect: there is one process, without shards; it is stored for argocd\n',
        );
      await onCluster(deps, { ...flags, context }, async (on) => {
        const body = await clusterOf(deps, on, { ...flags, context });
        if (!body) return;
        const { name, server } = await session.call(clusters.create, {
          query: { upsert: flags.upsert },
          body,
        });
        io.out(`Cluster '${server}' added${name ? ` as '${name}'` : ''}\n`);
      });
    });
  examples(
    add,
    'fairlead cluster add staging-context --name staging',
    'fairlead cluster add staging-context --namespace team-a --namespace team-b --yes',
    'fairlead cluster add staging-context --service-account deployer --system-namespace ops',
    'fairlead cluster add eks --aws-cluster-name staging --aws-role-arn arn:aws:iam::123456789012:role/deployer',
  );
}

/** The cluster as it is registered; undefined: the user does not agree to the service account. */
async function clusterOf(deps: CliDeps, on: OnCluster, flags: AddFlags): Promise<ClusterInput | undefined> {
  const isOwnWay = flags.awsClusterName !== undefined || flags.execCommand !== undefined;
  if (isOwnWay) return clusterInput(on, flags, undefined);
  const wish: AccountWish = {
    namespace: flags.systemNamespace,
    name: flags.serviceAccount ?? 'argocd-manager',
    namespaces: flags.namespace ?? [],
  };
  if (flags.serviceAccount === undefined) {
    if (!(await mayInstall(deps, wish, flags))) return undefined;
    for (const made of await installAccount(on, wish)) deps.io.err(`${made} applied\n`);
  }
  return clusterInput(on, flags, await tokenFor(on, wish));
}

/** compat server §8.2: rights in the whole cluster are not handed out without a question; rights in namespaces are. */
async function mayInstall(deps: CliDeps, wish: AccountWish, { context, yes }: AddFlags): Promise<boolean> {
  if (yes || wish.namespaces.length > 0) return true;
  const text = `a service account ${wish.name} with full rights in the whole cluster of context '${context}'`;
  return mayProceed(deps, { question: `This makes ${text}. Continue? [y/n] `, doing: `making ${text}` });
}

/** What the flags and the kubeconfig say about a cluster. */
export async function clusterInput(
  { access }: OnCluster,
  flags: AddFlags,
  bearerToken: string | undefined,
): Promise<ClusterInput> {
  const { clusterEndpoint = '' } = flags;
  if (!['', 'kubeconfig', 'internal'].includes(clusterEndpoint))
    throw new ExitError(
      usageExitCode,
      `unknown --cluster-endpoint ${clusterEndpoint}: use kubeconfig or internal`,
    );
  const isInternal = flags.inCluster === true || clusterEndpoint === 'internal';
  const { insecure, serverName } = access.tls;
  const authority = await authorityOf(access);
  const caData = authority && Buffer.from(authority).toString('base64');
  return {
    server: isInternal ? 'https://kubernetes.default.svc' : access.server,
    config: {
      tlsClientConfig: given({ insecure: insecure === true, serverName, caData }),
      ...given({
        bearerToken,
        awsAuthConfig: awsOf(flags),
        execProviderConfig: execOf(flags),
        proxyUrl: flags.proxyUrl ?? access.proxyUrl,
        disableCompression: flags.disableCompression,
      }),
    },
    ...given({
      name: flags.name ?? flags.context,
      namespaces: flags.namespace,
      clusterResources: flags.clusterResources,
      shard: flags.shard === undefined ? undefined : wholeNumber('--shard', flags.shard),
      project: flags.project,
      labels: flags.label && pairsOf(flags.label),
      annotations: flags.annotation && pairsOf(flags.annotation),
    }),
  };
}

const awsOf = ({ awsClusterName: clusterName, awsRoleArn: roleARN, awsProfile: profile }: AddFlags) =>
  clusterName === undefined ? undefined : given({ clusterName, roleARN, profile });

const execOf = (flags: AddFlags) =>
  flags.execCommand === undefined
    ? undefined
    : unlessEmpty(
        given({
          command: flags.execCommand,
          args: flags.execCommandArgs,
          env: flags.execCommandEnv && pairsOf(flags.execCommandEnv),
          apiVersion: flags.execCommandApiVersion,
          installHint: flags.execCommandInstallHint,
        }),
      );
