import type { Command } from 'commander';
import type { Destination, DestinationServiceAccount, ProjectSpec, ResourceRule } from '#base/model';
import { given } from '../../input/flag-values.ts';
import { collect, collectList } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';

/** Flags that set the fields of a project, with the names of `argocd proj create`. */
export type ProjectFlags = {
  description?: string;
  dest?: string[];
  src?: string[];
  signatureKeys?: string[];
  sourceNamespaces?: string[];
  orphanedResources?: boolean;
  orphanedResourcesWarn?: boolean;
  allowClusterResource?: string[];
  denyClusterResource?: string[];
  allowNamespacedResource?: string[];
  denyNamespacedResource?: string[];
  destServiceAccounts?: string[];
};

export function addProjectFlags(command: Command): Command {
  return command
    .option('--description <text>', 'what the project is for')
    .option('-d, --dest <server,namespace>', 'a permitted destination; may be repeated', collect)
    .option('-s, --src <url>', 'a permitted repository; may be repeated', collect)
    .option('--signature-keys <id>', 'a key that commits must be signed with; may be repeated', collectList)
    .option(
      '--source-namespaces <namespace>',
      'where applications of it may live; may be repeated',
      collectList,
    )
    .option('--orphaned-resources', 'monitor resources that no application declares')
    .option('--orphaned-resources-warn', 'and warn about them')
    .option(
      '--allow-cluster-resource <group/kind>',
      'a permitted kind without namespace; may be repeated',
      collectList,
    )
    .option(
      '--deny-cluster-resource <group/kind>',
      'a forbidden kind without namespace; may be repeated',
      collectList,
    )
    .option('--allow-namespaced-resource <group/kind>', 'a permitted kind; may be repeated', collectList)
    .option('--deny-namespaced-resource <group/kind>', 'a forbidden kind; may be repeated', collectList)
    .option(
      '--dest-service-accounts <server,namespace,account>',
      'the account that syncs there; may be repeated',
      collect,
    );
}

/** The spec with the values of the flags; lists are replaced as a whole. */
export function withProjectFlags(spec: ProjectSpec, flags: ProjectFlags): ProjectSpec {
  const { orphanedResources: monitors, orphanedResourcesWarn: warn } = flags;
  const orphaned =
    monitors || warn !== undefined ? { ...spec.orphanedResources, ...given({ warn }) } : undefined;
  return {
    ...spec,
    ...given({
      description: flags.description,
      sourceRepos: flags.src,
      destinations: flags.dest?.map(destinationOf),
      signatureKeys: flags.signatureKeys?.map((keyID) => ({ keyID })),
      sourceNamespaces: flags.sourceNamespaces,
      orphanedResources: orphaned,
      clusterResourceWhitelist: flags.allowClusterResource?.map(ruleOf),
      clusterResourceBlacklist: flags.denyClusterResource?.map(ruleOf),
      namespaceResourceWhitelist: flags.allowNamespacedResource?.map(ruleOf),
      namespaceResourceBlacklist: flags.denyNamespacedResource?.map(ruleOf),
      destinationServiceAccounts: flags.destServiceAccounts?.map(accountOf),
    }),
  };
}

function destinationOf(text: string): Destination {
  const [server, namespace, ...more] = text.split(',');
  if (!server || !namespace || more.length > 0)
    throw new ExitError(usageExitCode, `--dest ${text}: want server,namespace`);
  return { server, namespace };
}

function ruleOf(text: string): ResourceRule {
  const [group, kind, ...more] = text.split('/');
  if (group === undefined || !kind || more.length > 0)
    throw new ExitError(usageExitCode, `${text} is not group/kind; the core group is empty: /ConfigMap`);
  return { group, kind };
}

function accountOf(text: string): DestinationServiceAccount {
  const [server, namespace, account, ...more] = text.split(',');
  if (!server || !account || more.length > 0)
    throw new ExitError(usageExitCode, `--dest-service-accounts ${text}: want server,namespace,account`);
  return { server, ...(namespace && { namespace }), defaultServiceAccount: account };
}
