import type { Command } from 'commander';
import type { Destination, ProjectSpec, ResourceRule } from '#base/model';
import { equal } from '#base/std';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { given } from '../../input/flag-values.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { editProject } from './edit-project.ts';

type Lists = {
  [K in keyof ProjectSpec]-?: NonNullable<ProjectSpec[K]> extends readonly (infer _)[] ? K : never;
}[keyof ProjectSpec];
type EditFlags = { name?: boolean | string; list?: string; serviceAccountNamespace?: string };
type Change = (spec: ProjectSpec, args: readonly string[], flags: EditFlags) => ProjectSpec;

/** A command that changes one list of a project. */
type Edit = {
  readonly name: string;
  /** The arguments after the project. */
  readonly args: string;
  readonly text: string;
  readonly options?: readonly (readonly [string, string, string?])[];
  readonly example: string;
  readonly change: Change;
};

const add = <K extends Lists>(
  spec: ProjectSpec,
  key: K,
  item: NonNullable<ProjectSpec[K]>[number],
): ProjectSpec => {
  const list = (spec[key] ?? []) as readonly unknown[];
  if (list.some((one) => equal(one, item)))
    throw new ExitError(20, `the project has it already: ${words(item)} in ${key}`);
  return { ...spec, [key]: [...list, item] };
};

const remove = <K extends Lists>(
  spec: ProjectSpec,
  key: K,
  item: NonNullable<ProjectSpec[K]>[number],
): ProjectSpec => {
  const list = (spec[key] ?? []) as readonly unknown[];
  if (!list.some((one) => equal(one, item)))
    throw new ExitError(20, `the project does not have it: ${words(item)} in ${key}`);
  return { ...spec, [key]: list.filter((one) => !equal(one, item)) };
};

const words = (item: unknown): string =>
  typeof item === 'object' && item !== null ? Object.values(item).join(' ') : String(item);

const destination = ([server = '', namespace = '']: readonly string[], { name }: EditFlags): Destination =>
  name ? { name: server, namespace } : { server, namespace };
const rule = ([group = '', kind = '', name]: readonly string[]): ResourceRule => ({
  group,
  kind,
  ...(name && { name }),
});
const account = ([server = '', namespace = '', name = '']: readonly string[], flags: EditFlags) => ({
  server,
  namespace,
  defaultServiceAccount: flags.serviceAccountNamespace ? `${flags.serviceAccountNamespace}:${name}` : name,
});

/** compat server §8.3: which of two lists a command is about. */
const listOf = ({ list }: EditFlags): 'allow' | 'deny' => {
  if (list === 'allow' || list === 'deny') return list;
  throw new ExitError(usageExitCode, `unknown --list ${list}: use allow or deny`);
};

const clusterList = [['-l, --list <name>', 'allow or deny: the list to change', 'allow']] as const;
const namespaceList = [['-l, --list <name>', 'allow or deny: the list to change', 'deny']] as const;
const byName = [['--name', 'the destination is the name of a cluster, not its address']] as const;
const accountIn = [['--service-account-namespace <name>', 'where the service account is']] as const;
const nameOption = [['--name <pattern>', 'only resources with this name']] as const;

const orphan = ([group = '', kind = '']: readonly string[], { name }: EditFlags) =>
  given({ group, kind, name: typeof name === 'string' ? name : undefined });

const edits: readonly Edit[] = [
  {
    name: 'add-source',
    args: '<url>',
    text: 'permit a repository',
    example: 'team-a https://github.com/example/team-a.git',
    change: (spec, [url = '']) => add(spec, 'sourceRepos', url),
  },
  {
    name: 'remove-source',
    args: '<url>',
    text: 'no longer permit a repository',
    example: 'team-a https://github.com/example/team-a.git',
    change: (spec, [url = '']) => remove(spec, 'sourceRepos', url),
  },
  {
    name: 'add-source-namespace',
    args: '<namespace>',
    text: 'let applications of the project live in a namespace',
    example: 'team-a team-a-apps',
    change: (spec, [namespace = '']) => add(spec, 'sourceNamespaces', namespace),
  },
  {
    name: 'remove-source-namespace',
    args: '<namespace>',
    text: 'no longer let applications of the project live in a namespace',
    example: 'team-a team-a-apps',
    change: (spec, [namespace = '']) => remove(spec, 'sourceNamespaces', namespace),
  },
  {
    name: 'add-destination',
    args: '<server> <namespace>',
    text: 'permit a destination',
    options: byName,
    example: 'team-a https://kubernetes.default.svc team-a',
    change: (spec, args, flags) => add(spec, 'destinations', destination(args, flags)),
  },
  {
    name: 'remove-destination',
    args: '<server> <namespace>',
    text: 'no longer permit a destination',
    options: byName,
    example: 'team-a https://kubernetes.default.svc team-a',
    change: (spec, args, flags) => remove(spec, 'destinations', destination(args, flags)),
  },
  {
    name: 'add-destination-service-account',
    args: '<server> <namespace> <account>',
    text: 'have a service account sync to a destination',
    options: accountIn,
    example: 'team-a https://kubernetes.default.svc team-a deployer',
    change: (spec, args, flags) => add(spec, 'destinationServiceAccounts', account(args, flags)),
  },
  {
    name: 'remove-destination-service-account',
    args: '<server> <namespace> <account>',
    text: 'no longer have a service account sync to a destination',
    options: accountIn,
    example: 'team-a https://kubernetes.default.svc team-a deployer',
    change: (spec, args, flags) => remove(spec, 'destinationServiceAccounts', account(args, flags)),
  },
  {
    name: 'add-signature-key',
    args: '<key>',
    text: 'require commits to be signed with this key, or another one of the list',
    example: 'team-a 4AEE18F83AFDEB23',
    change: (spec, [keyID = '']) => add(spec, 'signatureKeys', { keyID }),
  },
  {
    name: 'remove-signature-key',
    args: '<key>',
    text: 'no longer accept commits signed with this key',
    example: 'team-a 4AEE18F83AFDEB23',
    change: (spec, [keyID = '']) => remove(spec, 'signatureKeys', { keyID }),
  },
  {
    name: 'add-orphaned-ignore',
    args: '<group> <kind>',
    text: 'pass over a kind of resource that no application declares',
    options: nameOption,
    example: "team-a '' ConfigMap --name kube-root-ca.crt",
    change: (spec, args, flags) => withOrphans(spec, (list) => [...list, orphan(args, flags)]),
  },
  {
    name: 'remove-orphaned-ignore',
    args: '<group> <kind>',
    text: 'no longer pass over a kind of resource that no application declares',
    options: nameOption,
    example: "team-a '' ConfigMap --name kube-root-ca.crt",
    change: (spec, args, flags) =>
      withOrphans(spec, (list) => list.filter((one) => !equal(one, orphan(args, flags)))),
  },
  {
    name: 'allow-cluster-resource',
    args: '<group> <kind> [name]',
    text: 'permit a kind without namespace',
    options: clusterList,
    example: "team-a '' Namespace",
    change: (spec, args, flags) =>
      listOf(flags) === 'allow'
        ? add(spec, 'clusterResourceWhitelist', rule(args))
        : remove(spec, 'clusterResourceBlacklist', rule(args)),
  },
  {
    name: 'deny-cluster-resource',
    args: '<group> <kind> [name]',
    text: 'forbid a kind without namespace',
    options: clusterList,
    example: "team-a '' Namespace --list deny",
    change: (spec, args, flags) =>
      listOf(flags) === 'allow'
        ? remove(spec, 'clusterResourceWhitelist', rule(args))
        : add(spec, 'clusterResourceBlacklist', rule(args)),
  },
  {
    name: 'allow-namespace-resource',
    args: '<group> <kind>',
    text: 'permit a kind that has a namespace',
    options: namespaceList,
    example: 'team-a apps Deployment --list allow',
    change: (spec, args, flags) =>
      listOf(flags) === 'deny'
        ? remove(spec, 'namespaceResourceBlacklist', rule(args))
        : add(spec, 'namespaceResourceWhitelist', rule(args)),
  },
  {
    name: 'deny-namespace-resource',
    args: '<group> <kind>',
    text: 'forbid a kind that has a namespace',
    options: namespaceList,
    example: 'team-a networking.k8s.io NetworkPolicy',
    change: (spec, args, flags) =>
      listOf(flags) === 'deny'
        ? add(spec, 'namespaceResourceBlacklist', rule(args))
        : remove(spec, 'namespaceResourceWhitelist', rule(args)),
  },
];

type Ignored = NonNullable<NonNullable<ProjectSpec['orphanedResources']>['ignore']>;

function withOrphans(spec: ProjectSpec, change: (list: Ignored) => Ignored): ProjectSpec {
  const before = spec.orphanedResources?.ignore ?? [];
  const ignore = change(before);
  if (equal(ignore, before)) throw new ExitError(20, 'the project does not pass over it');
  return { ...spec, orphanedResources: { ...spec.orphanedResources, ignore } };
}

/** compat server §8.3: the commands that add to a list of a project, or remove from it. */
export function addProjectEdits(proj: Command, { open }: CliDeps): void {
  for (const { name, args, text, options = [], example, change } of edits) {
    const command = proj.command(`${name} <project> ${args}`).description(text);
    for (const [flags, about, fallback] of options) command.option(flags, about, fallback);
    command.action(async (project: string) => {
      const rest = command.processedArgs.slice(1).map((one) => (one === undefined ? '' : String(one)));
      const { session } = await open();
      await editProject(session, project, (spec) => change(spec, rest, command.opts<EditFlags>()));
    });
    examples(command, `fairlead proj ${name} ${example}`);
  }
}
