import type { Command } from 'commander';
import { collect } from '../input/lists.ts';
import { ExitError, type Io, usageExitCode } from '../io.ts';
import { shellWords } from './shell-words.ts';

/** Flags of every command. */
export type GlobalFlags = {
  server?: string;
  authToken?: string;
  plaintext?: boolean;
  insecure?: boolean;
  config?: string;
  serverCrt?: string;
  clientCrt?: string;
  clientCrtKey?: string;
  header?: string[];
  httpRetryMax?: string;
  argocdContext?: string;
  core?: boolean;
  kubeContext?: string;
  /** Of a flag that only some commands take. */
  kubeconfig?: string;
  controllerNamespace?: string;
  promptsEnabled?: boolean;
  grpcWebRootPath?: string;
  grpcWeb?: boolean;
};

/** Accepted from scripts for the peer's command line; nothing in this one reads them. */
const withoutEffect: Readonly<Record<string, string>> = {
  '--grpc-web': 'requests go over REST, which needs no wrapping; login keeps it for argocd',
  '--redis <address>': 'there is no Redis',
  '--redis-name <name>': 'there is no Redis',
  '--redis-haproxy-name <name>': 'there is no Redis',
  '--redis-compress <kind>': 'there is no Redis',
  '--controller-name <name>': 'the parts are found without their names',
  '--repo-server-name <name>': 'there is no repository server of its own',
  '--server-name <name>': 'the parts are found without their names',
  '--loglevel <level>': 'set FAIRLEAD_LOG_LEVEL',
  '--logformat <format>': 'the log is text on a terminal and JSON elsewhere',
};

/**
 * They change which server a command speaks to, so it must not run without them. A cluster forwards a port inside SPDY alone, which
 * no library here speaks.
 */
const refused: Readonly<Record<string, string>> = {
  '--port-forward': 'run kubectl port-forward and give its address with --server, or use --core',
  '--port-forward-namespace <namespace>': 'run kubectl port-forward and give its address with --server',
};

export function addGlobalFlags(program: Command): Command {
  program
    .option('--server <host:port>', 'the server to talk to')
    .option('--auth-token <token>', 'a token instead of a login')
    .option('--argocd-context <name>', 'the login to use, instead of the current one')
    .option('--config <path>', 'the file with your logins')
    .option('--plaintext', 'the server speaks plain HTTP')
    .option('--insecure', 'accept a certificate that is not trusted')
    .option('--server-crt <file>', 'the certificate, or its authority, that the server must have (PEM)')
    .option('--client-crt <file>', 'a certificate to identify with (PEM)')
    .option('--client-crt-key <file>', 'the key of --client-crt (PEM)')
    .option('-H, --header <name: value>', 'a header for every request; may be repeated', collect)
    .option('--http-retry-max <count>', 'how often to repeat a read that could not be sent', '0')
    .option('--grpc-web-root-path <path>', 'the path that the server is served at')
    .option('--core', 'work on the cluster of a kubeconfig, without a server')
    .option('--kube-context <name>', 'the context of the kubeconfig for --core')
    .option('--controller-namespace <name>', 'where the control plane keeps its objects, for --core')
    .option(
      '--prompts-enabled',
      'prompt on a terminal before something is deleted; =false: do not (default: as set by configure)',
    );
  for (const [flags, why] of Object.entries(withoutEffect)) {
    program.addOption(program.createOption(flags, `no effect: ${why}`).hideHelp());
  }
  for (const [flags, why] of Object.entries(refused)) {
    program.addOption(program.createOption(flags, `not supported: ${why}`).hideHelp());
  }
  return program;
}

/** compat server §8.1: the flags of the command line, else those in FAIRLEAD_OPTS or ARGOCD_OPTS. */
export function flagsOf(io: Io, given: Readonly<Record<string, unknown>>): GlobalFlags {
  const { env } = io;
  const fallback = optionsIn(env.FAIRLEAD_OPTS ?? env.ARGOCD_OPTS ?? '');
  const chosen = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (chosen.httpRetryMax === '0' && fallback.httpRetryMax) delete chosen.httpRetryMax;
  const flags = { ...fallback, ...chosen } as GlobalFlags;
  for (const [long, why] of givenOf(refused, flags))
    throw new ExitError(usageExitCode, `${long} is not supported: ${why}`);
  reportIgnored(io, flags);
  return {
    ...flags,
    ...pick('server', flags.server ?? env.FAIRLEAD_SERVER ?? env.ARGOCD_SERVER),
    ...pick('authToken', flags.authToken ?? env.FAIRLEAD_AUTH_TOKEN ?? env.ARGOCD_AUTH_TOKEN),
  };
}

const pick = (name: string, value: string | undefined) => (value ? { [name]: value } : {});

/** The flags of a table that are given, and what the table says of each; `--port-forward=false` is not given. */
const givenOf = (table: Readonly<Record<string, string>>, flags: Readonly<Record<string, unknown>>) =>
  Object.entries(table)
    .map(([words, why]): [string, string] => [words.split(' ')[0] ?? '', why])
    .filter(([long]) => (flags[camel(long.slice(2))] ?? false) !== false);

/** What scripts written for `argocd` give every command, where it costs nothing: only at a terminal is it named. */
const harmless = '--grpc-web';

/** Names each flag without effect once, on stderr. */
function reportIgnored(io: Io, flags: Readonly<Record<string, unknown>>): void {
  for (const [long, why] of givenOf(withoutEffect, flags)) {
    if (reported.has(long) || (long === harmless && !io.isTerminal)) continue;
    reported.add(long);
    io.err(`note: ${long} has no effect: ${why}\n`);
  }
}

const reported = new Set<string>();

/** Long options only: `--grpc-web --header 'a: b' --server=host`. A word that is none is the value of the option before. */
function optionsIn(text: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const headers: string[] = [];
  let last = '';
  for (const word of shellWords(text)) {
    const [, name = '', value] = /^--([a-z][a-z-]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name) last = camel(name);
    const given = name ? value : word;
    if (last === 'header' && given !== undefined) headers.push(given);
    else if (last) found[last] = optionValue(given);
  }
  return { ...found, ...(headers.length > 0 && { header: headers }) };
}

const optionValue = (text: string | undefined): unknown =>
  text === undefined || text === 'true' ? true : text === 'false' ? false : text;

const camel = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
