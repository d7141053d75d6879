import { type Command, Option } from 'commander';
import { ExitError, type Io, usageExitCode } from './io.ts';

/** Flags of the peer's commands, by what stands before the words that explain them. */
type Reasons = Readonly<Record<string, string>>;
type Rule = {
  /** The commands, by their words: `app sync`. */
  readonly on: RegExp;
  readonly flags: Reasons;
};

const inKubeconfig = 'name a context of the kubeconfig that has it, with --kubeconfig and --kube-context';
const ofProcess = 'there is one process, without shards or Redis';
const hydrator = 'the source hydrator is not supported yet';
const onlySources = 'this command changes the sources; use app set';
const noRepoServer = 'there is no repository server of its own';

/** Would change whom a command speaks as, or what it does: the command fails, and names the flag. */
const refused: readonly Rule[] = [
  {
    on: /^(?:account|admin|app|appset|cert|cluster|configure|gpg|proj|repo|repocreds|version)\b/,
    flags: {
      '--as <user>': inKubeconfig,
      '--as-group <group>': inKubeconfig,
      '--as-uid <uid>': inKubeconfig,
      '--certificate-authority <file>': inKubeconfig,
      '--client-certificate <file>': inKubeconfig,
      '--client-key <file>': inKubeconfig,
      '--cluster <name>': inKubeconfig,
      '--insecure-skip-tls-verify': inKubeconfig,
      '--password <password>': inKubeconfig,
      '--proxy-url <url>': inKubeconfig,
      '--tls-server-name <name>': inKubeconfig,
      '--token <token>': inKubeconfig,
      '--user <name>': inKubeconfig,
      '--username <name>': inKubeconfig,
    },
  },
  {
    on: /^(?:app (?:create|set|add-source)|admin app generate-spec)$/,
    flags: {
      '--dry-source-path <dir>': hydrator,
      '--dry-source-repo <url>': hydrator,
      '--dry-source-revision <rev>': hydrator,
      '--hydrate-to-branch <name>': hydrator,
      '--sync-source-branch <name>': hydrator,
      '--sync-source-path <dir>': hydrator,
      '--env <name>': 'environments of ksonnet are gone, in the peer as well',
    },
  },
  {
    on: /^app add-source$/,
    flags: {
      '--allow-empty': onlySources,
      '--auto-prune': onlySources,
      '--dest-name <name>': onlySources,
      '--dest-namespace <name>': onlySources,
      '--dest-server <url>': onlySources,
      '--project <name>': onlySources,
      '--revision-history-limit <count>': onlySources,
      '--self-heal': onlySources,
      '--sync-option <option>': onlySources,
      '--sync-policy <policy>': onlySources,
      '--sync-retry-backoff-duration <duration>': onlySources,
      '--sync-retry-backoff-factor <number>': onlySources,
      '--sync-retry-backoff-max-duration <duration>': onlySources,
      '--sync-retry-limit <count>': onlySources,
      '--sync-retry-refresh': onlySources,
    },
  },
  {
    on: /^(?:admin cluster (?:shards|stats))$/,
    flags: { '--shard <number>': ofProcess, '--replicas <count>': ofProcess },
  },
  {
    on: /^admin (?:app|proj) generate-spec$/,
    flags: { '-i, --inline': 'redirect the output into the file instead' },
  },
  { on: /^appset get$/, flags: { '--show-params': 'use appset generate, which evaluates the parameters' } },
  {
    on: /^admin app get-reconcile-results$/,
    flags: { '--server-side-diff': 'set it on the controller: controller.diff.server.side' },
  },
  { on: /^(?:login|relogin)$/, flags: { '--callback <host:port>': 'it is localhost with --sso-port' } },
];

/** Without effect, and without harm: named once, and the command runs. */
const ignored: readonly Rule[] = [
  {
    on: /^(?:account|admin|app|appset|cert|cluster|configure|gpg|proj|repo|repocreds|version)\b/,
    flags: {
      '--request-timeout <duration>': 'every request has a limit of its own',
      '--disable-compression': 'requests to a cluster are not compressed',
    },
  },
  {
    on: /^(?:app sync|admin app get-reconcile-results|admin settings resource-overrides ignore-resource-updates)$/,
    flags: { '--ignore-normalizer-jq-execution-timeout <duration>': 'expressions are limited by steps' },
  },
  {
    on: /^app sync$/,
    flags: {
      '--server-side-diff-concurrency <count>': 'the server compares all resources at once',
      '--server-side-diff-max-batch-kb <size>': 'the server compares all resources at once',
    },
  },
  {
    on: /^admin cluster (?:shards|stats)$/,
    flags: {
      '--app-state-cache-expiration <duration>': ofProcess,
      '--default-cache-expiration <duration>': ofProcess,
      '--port-forward-redis': ofProcess,
      '--redis-ca-certificate <file>': ofProcess,
      '--redis-client-certificate <file>': ofProcess,
      '--redis-client-key <file>': ofProcess,
      '--redis-insecure-skip-tls-verify': ofProcess,
      '--redis-use-tls': ofProcess,
      '--redisdb <number>': ofProcess,
      '--sentinel <address>': ofProcess,
      '--sentinelmaster <name>': ofProcess,
      '--sharding-method <name>': ofProcess,
    },
  },
  {
    on: /^(?:admin notifications|admin app get-reconcile-results)\b/,
    flags: {
      '--argocd-repo-server <address>': noRepoServer,
      '--argocd-repo-server-plaintext': noRepoServer,
      '--argocd-repo-server-strict-tls': noRepoServer,
      '--repo-server <address>': noRepoServer,
      '--repo-server-ca-cert-path <file>': noRepoServer,
      '--repo-server-client-cert-key-path <file>': noRepoServer,
      '--repo-server-client-cert-path <file>': noRepoServer,
    },
  },
  {
    on: /^admin settings rbac\b/,
    flags: {
      '--argocd-cm-path <file>': 'the policy is in argocd-rbac-cm, or in --policy-file',
      '--argocd-secret-path <file>': 'the policy is in argocd-rbac-cm, or in --policy-file',
      '--load-cluster-settings': 'the policy is read from the cluster when no file is given',
    },
  },
  {
    on: /^(?:repo add|admin repo generate-spec)$/,
    flags: { '--webhook-manifest-cache-warm-disabled': 'a webhook renders only what its applications need' },
  },
];

/** For --core: which cluster, and where on it. Each sets a flag of every command. */
const ofCore: Readonly<Record<string, string>> = {
  '--kubeconfig <file>': 'kubeconfig',
  '--context <name>': 'kubeContext',
  '-n, --namespace <name>': 'controllerNamespace',
};
const withCore = /^(?:account|app|appset|cert|cluster|configure|gpg|proj|repo|repocreds|version)\b/;

/**
 * compat server §8.3: every flag of the peer's commands is accepted or refused by its name, with the reason; none is an unknown
 * one. Adds them, hidden, to the commands that are loaded.
 */
export function addPeerOnly(program: Command, io: Pick<Io, 'err'>): void {
  for (const command of program.commands) addBelow(program, command, { io, path: command.name() });
}

type At = { readonly io: Pick<Io, 'err'>; readonly path: string };

function addBelow(program: Command, command: Command, { io, path }: At): void {
  for (const child of command.commands) addBelow(program, child, { io, path: `${path} ${child.name()}` });
  if (command.commands.length > 0 && path !== 'admin cluster namespaces') return;
  if (withCore.test(path))
    for (const [flags, name] of Object.entries(ofCore))
      addHidden(command, flags, (_flag, value) => void program.setOptionValue(name, value));
  for (const [flags, why] of reasonsFor(refused, path))
    addHidden(command, flags, (flag) => {
      throw new ExitError(usageExitCode, `${flag} is not supported by fairlead ${path}: ${why}`);
    });
  for (const [flags, why] of reasonsFor(ignored, path))
    addHidden(command, flags, (flag) => io.err(`note: ${flag} has no effect: ${why}\n`));
}

const reasonsFor = (rules: readonly Rule[], path: string): readonly (readonly [string, string])[] =>
  rules.filter(({ on }) => on.test(path)).flatMap(({ flags }) => Object.entries(flags));

/** Unless the command has a flag of that name already. */
function addHidden(command: Command, flags: string, given: (flag: string, value: unknown) => void): void {
  const option = new Option(flags).hideHelp();
  const isTaken = (name: string | undefined) =>
    name !== undefined && command.options.some(({ long, short }) => name === long || name === short);
  if (isTaken(option.long)) return;
  if (isTaken(option.short)) {
    addHidden(command, flags.replace(/^-\w, /, ''), given);
    return;
  }
  command.addOption(option);
  command.on(`option:${option.name()}`, (value: unknown) => given(option.long ?? '', value));
}
