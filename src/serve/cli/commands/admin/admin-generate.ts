import type { Command } from 'commander';
import { clusterSecretName, type KubeObject, repositorySecretName } from '#base/model';
import { printJson } from '#base/std';
import { printAll } from '#lang/yaml';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { printAs } from '../../output/print.ts';
import { onCluster } from '../../session/kube.ts';
import { addMetadataFlags, applicationsFrom, type CreateFlags } from '../app/app-create.ts';
import { type AddFlags, clusterFlags, clusterInput } from '../cluster/cluster-add.ts';
import { tokenFor } from '../cluster/service-account.ts';
import { addProjectFlags, type ProjectFlags } from '../proj/proj-flags.ts';
import { projectsFrom } from '../proj/proj-write.ts';
import { type RepoFlags, repositoryFlags, repositoryOf } from '../repo/repo.ts';

type Output = { output: string };

const printed = (objects: readonly object[], { output }: Output): string =>
  output === 'yaml'
    ? printAll(objects as readonly KubeObject[])
    : objects.map((one) => printAs(output, one)).join('');
const outputFlag = (command: Command): Command =>
  command.option('-o, --output <format>', 'yaml or json', 'yaml');

/** compat server §8.6: prints a manifest from the flags of the command that would store it. */
export function addAppSpec(app: Command, { io }: CliDeps): void {
  const command = outputFlag(addMetadataFlags(app.command('generate-spec [name]')))
    .description('print the manifest of an application from the flags of app create')
    .action(async (name: string | undefined, flags: CreateFlags & Output) => {
      io.out(printed(await applicationsFrom(io, name, flags), flags));
    });
  examples(
    command,
    'fairlead admin app generate-spec guestbook --repo https://git.example.com/a.git --path guestbook --dest-name in-cluster',
  );
}

export function addProjectSpec(proj: Command, { io }: CliDeps): void {
  const command = outputFlag(addProjectFlags(proj.command('generate-spec [name]')))
    .description('print the manifest of a project from the flags of proj create')
    .option('-f, --file <path>', 'an AppProject manifest to begin with')
    .action(async (name: string | undefined, flags: ProjectFlags & Output & { file?: string }) => {
      io.out(printed(await projectsFrom(name, flags), flags));
    });
  examples(
    command,
    'fairlead admin proj generate-spec team-a -s "https://git.example.com/*" -d https://kubernetes.default.svc,team-a',
  );
}

/** As the peer prints it: readable, and without a namespace. */
const secret = (name: string, type: string, fields: Readonly<Record<string, unknown>>): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    labels: { 'argocd.argoproj.io/secret-type': type },
    annotations: { 'managed-by': 'argocd.argoproj.io' },
  },
  stringData: Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([key, value]) => [key, typeof value === 'object' ? printJson(value) : String(value)]),
  ),
});

export function addRepoSpec(repo: Command, { io }: CliDeps): void {
  const command = outputFlag(repositoryFlags(repo.command('generate-spec <url>')))
    .description('print the Secret of a repository from the flags of repo add, with its credentials')
    .action(async (url: string, flags: RepoFlags & Output) => {
      const { repo: shown, ...fields } = await repositoryOf(io, url, flags);
      const name = await repositorySecretName('repo', url, flags.project ?? '');
      io.out(
        printed(
          [secret(name, flags.write ? 'repository-write' : 'repository', { url: shown, ...fields })],
          flags,
        ),
      );
    });
  examples(
    command,
    'fairlead admin repo generate-spec https://git.example.com/a.git --username git --password <token>',
  );
}

type ClusterSpecFlags = AddFlags & Output & { bearerToken?: string; generateBearerToken?: boolean };

export function addClusterSpec(cluster: Command, deps: CliDeps): void {
  const command = outputFlag(clusterFlags(cluster.command('generate-spec <context>')))
    .description('print the Secret of a cluster from the flags of cluster add, with its token')
    .option('--bearer-token <token>', 'the token to use')
    .option('--generate-bearer-token', 'a token of --service-account, which must exist')
    .action(async (context: string, given: ClusterSpecFlags) => {
      const flags = { ...given, context };
      await onCluster(deps, flags, async (on) => {
        const account = {
          namespace: flags.systemNamespace,
          name: flags.serviceAccount ?? 'argocd-manager',
          namespaces: [],
        };
        const token = flags.generateBearerToken ? await tokenFor(on, account) : flags.bearerToken;
        if (!token && !flags.awsClusterName && !flags.execCommand)
          throw new ExitError(
            usageExitCode,
            'a cluster needs --bearer-token, --generate-bearer-token, --aws-cluster-name or --exec-command',
          );
        const { server, name, config, namespaces, clusterResources, shard, project, labels, annotations } =
          await clusterInput(on, flags, token);
        const made = secret(clusterSecretName(server), 'cluster', {
          ...{ name, server, config, shard, project },
          namespaces: namespaces?.join(','),
          clusterResources: clusterResources || undefined,
        }) as { metadata: { labels: object; annotations: object } };
        const { metadata } = made;
        const shown = {
          ...made,
          metadata: {
            ...metadata,
            labels: { ...metadata.labels, ...labels },
            annotations: { ...metadata.annotations, ...annotations },
          },
        };
        deps.io.out(printed([shown], flags));
      });
    });
  examples(command, 'fairlead admin cluster generate-spec staging-context --generate-bearer-token');
}
