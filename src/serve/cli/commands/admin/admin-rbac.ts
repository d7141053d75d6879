import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { FairleadError, isObject } from '#base/std';
import {
  actionProblem,
  Enforcer,
  printRule,
  type RbacConfig,
  type RbacPolicy,
  type RbacProblem,
  rbacWarnings,
  readRbacConfig,
  resourceNamed,
} from '#engine';
import { parseAll } from '#lang/yaml';
import type { CliDeps } from '../../cli-deps.ts';
import { exampleTable } from '../../input/examples.ts';
import { ExitError, type Io } from '../../io.ts';
import { onCluster } from '../../session/kube.ts';

type SourceFlags = { policyFile?: string; namespace: string; kubeconfig?: string; context?: string };
type CanFlags = SourceFlags & {
  defaultRole?: string;
  useBuiltinPolicy: string;
  strict: string;
  quiet?: boolean;
  explain?: boolean;
};

type CanArguments = [
  subject: string,
  action: string,
  resource: string,
  object: string | undefined,
  flags: CanFlags,
];

const nothingBuiltIn: RbacPolicy = { rules: [], grants: [] };
const ofProjects = ['applications', 'applicationsets', 'logs', 'exec', 'clusters', 'repositories'];

/** compat server §8.6: evaluates a policy from a file or from the cluster, never through a server. */
export function addAdminRbac(settings: Command, { io, signal }: CliDeps): void {
  const rbac = settings.command('rbac').description('check and try out which user may do what');
  from(rbac.command('can <subject> <action> <resource> [object]'))
    .description(
      'report whether a user, group or role may do something; the exit code is 0 for yes and 1 for no',
    )
    .option('--default-role <role>', 'the role of every user, instead of policy.default')
    .option('--use-builtin-policy [bool]', 'count role:readonly and role:admin as they are built in', 'true')
    .option('--strict [bool]', 'refuse resources and actions that no request is checked against', 'true')
    .option('--explain', 'also print which line decided')
    .option('-q, --quiet', 'say it with the exit code alone')
    .action(async (...[subject, action, resource, object, flags]: CanArguments) => {
      const config = await load(io, signal, flags);
      requireUsable(config);
      const requested = question({ action, resource, object }, flags);
      const decision = enforcerFor(config, flags).judgeSubject(subject, requested);
      if (!flags.quiet) io.out(decision.allowed ? 'Yes\n' : 'No\n');
      if (flags.explain) io.out(`${whyOf(decision)}\n`);
      if (!decision.allowed) throw new ExitError(1, '');
    });
  from(rbac.command('validate'))
    .description(
      'report what is wrong with a policy, and what it may not mean; the exit code is 1 when it cannot be used',
    )
    .action(async (flags: SourceFlags) => {
      const config = await load(io, signal, flags);
      for (const warning of rbacWarnings(config)) io.out(`warning: ${printProblem(warning)}\n`);
      requireUsable(config);
      io.out('Policy is valid.\n');
    });
  exampleTable(rbac, {
    can: [
      'fairlead admin settings rbac can role:readonly sync applications',
      "fairlead admin settings rbac can my-org:team-a sync applications 'team-a/*' --policy-file policy.csv --explain",
    ],
    validate: ['fairlead admin settings rbac validate --policy-file policy.csv'],
  });
}

function from(command: Command): Command {
  return command
    .option('--policy-file <path>', 'a policy as CSV, or a ConfigMap like argocd-rbac-cm as YAML')
    .option('-n, --namespace <name>', 'where argocd-rbac-cm is, when no file is given', 'argocd')
    .option('--kubeconfig <path>', 'how to reach the cluster, when no file is given')
    .option('--context <name>', 'which of its contexts');
}

async function load(io: Io, signal: AbortSignal, flags: SourceFlags): Promise<RbacConfig> {
  if (flags.policyFile !== undefined) return readRbacConfig(await dataInFile(flags.policyFile));
  const name = { apiVersion: 'v1', kind: 'ConfigMap', name: 'argocd-rbac-cm', namespace: flags.namespace };
  return onCluster({ io, signal }, flags, async ({ ctx, kube }) =>
    readRbacConfig(dataOf(await kube.get(ctx, name))),
  );
}

/** compat: a ConfigMap is recognized by its kind; any other file is the policy itself. */
async function dataInFile(path: string): Promise<Record<string, string>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ExitError(
      20,
      `cannot read ${path}: ${error.code === 'ENOENT' ? 'there is no such file' : error.code}`,
    );
  });
  const document = firstDocument(text);
  return isObject(document) && document.kind === 'ConfigMap' ? dataOf(document) : { 'policy.csv': text };
}

function firstDocument(text: string): unknown {
  try {
    return parseAll(text, { name: 'the policy file' })[0]?.value;
  } catch (error) {
    if (error instanceof FairleadError) return undefined;
    throw error;
  }
}

function dataOf(object: object): Record<string, string> {
  const { data } = object as { data?: unknown };
  if (!isObject(data)) return {};
  return Object.fromEntries(
    Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function requireUsable({ problems }: RbacConfig): void {
  if (problems.length > 0) throw new ExitError(1, `invalid policy: ${problems.map(printProblem).join('; ')}`);
}

const printProblem = ({ key, line, message }: RbacProblem): string =>
  `${key}${line === undefined ? '' : ` line ${line}`}: ${message}`;

type Question = { readonly action: string; readonly resource: string; readonly object: string | undefined };

function question({ action, resource: given, object = '' }: Question, { strict }: CanFlags) {
  const resource = resourceNamed(given);
  const problem = strict === 'false' ? undefined : actionProblem(resource, action);
  if (problem) throw new ExitError(1, problem);
  // compat: without an object the rule applies to any
  const isAny = ofProjects.includes(resource) && (object === '' || object === '*');
  return { action, resource, object: isAny ? '*/*' : object };
}

function enforcerFor({ policy, defaultRole, matchMode }: RbacConfig, flags: CanFlags): Enforcer {
  return new Enforcer({
    policy,
    matchMode,
    defaultRole: flags.defaultRole ?? defaultRole,
    ...(flags.useBuiltinPolicy === 'false' && { builtin: nothingBuiltIn }),
  });
}

function whyOf({ subject, rule }: ReturnType<Enforcer['judgeSubject']>): string {
  if (!rule) return 'no line of the policy says anything about it';
  const { source, line } = rule.origin;
  return `decided for ${subject} by ${source}${line > 0 ? ` line ${line}` : ''}: ${printRule(rule)}`;
}
