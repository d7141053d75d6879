import type { Command } from 'commander';
import { FairleadError, realClock } from '#base/std';
import { call, session } from '#serve/api';
import type { CliDeps } from '../cli-deps.ts';
import { isAgreed } from '../input/confirm.ts';
import { examples } from '../input/examples.ts';
import { ExitError, type Io, usageExitCode } from '../io.ts';
import {
  configPath,
  readLogin,
  replaceTokens,
  type ServerEntry,
  type ServerLogin,
  writeLogin,
} from '../session/config-file.ts';
import type { GlobalFlags } from '../session/global-flags.ts';
import { isPlainServer, isUntrusted, rootPathOf, sendTo } from '../session/send.ts';
import { pinnedIn, sendingOf } from '../session/session.ts';
import { claimsOf } from '../session/token-claims.ts';

type LoginFlags = GlobalFlags & {
  username?: string;
  password?: string;
  name?: string;
  sso?: boolean;
  ssoPort?: string;
  ssoLaunchBrowser?: boolean;
  skipTestTls?: boolean;
};

const ssoFlags = (command: Command): Command =>
  command
    .option('--password <password>', 'the password of the account; prompted for when missing')
    .option('--sso-port <number>', 'the port of this machine that the identity provider answers to', '8085')
    .option('--sso-launch-browser', 'open the browser; =false prints the address instead', true);

/** compat server §4.4 and §8.1: signs in and keeps the login. */
export function addLogin(login: Command, { io, signal, flags: globals }: CliDeps): void {
  ssoFlags(login.argument('[server]'))
    .option('--username <name>', 'the account; prompted for when missing')
    .option('--sso', 'sign in with the identity provider of the server, in a browser')
    .option('--name <context>', 'keep the login under this name')
    .option('--skip-test-tls', 'do not try first whether the server speaks TLS')
    .action(async (given: string | undefined, own: LoginFlags) => {
      const flags = { ...globals(), ...own };
      if (flags.core) return keepCore(io, flags);
      if (!given)
        throw new ExitError(usageExitCode, 'login needs a server, for example localhost:8080, or --core');
      const wanted = await entryOf(given, flags);
      const entry = flags.skipTestTls ? wanted : await reach(io, wanted);
      await logIn(io, entry, { ...flags, name: flags.name ?? nameOfContext(entry), signal });
    });
  examples(
    login,
    'fairlead login localhost:8080 --username admin --password <password>',
    'fairlead login argocd.example.com --sso',
    'fairlead login argocd.example.com/argo-cd --name production',
    'fairlead login --core',
  );
}

/** The name that the peer gives to the server of a context without one. */
const coreServer = 'kubernetes';

/** compat server §8.1: a context without a server, as the peer keeps it; its commands use the cluster of the kubeconfig. */
async function keepCore(io: Io, { name = coreServer, config }: LoginFlags): Promise<void> {
  await writeLogin(config ?? configPath(io.env), { server: coreServer, core: true, name, token: '' });
  io.out(`Context '${name}' updated\n`);
}

/** As the peer names it: with the path that the server is served at. */
const nameOfContext = (entry: ServerEntry): string => `${entry.server}${rootPathOf(entry)}`;

export function addRelogin(relogin: Command, { io, signal, flags: globals }: CliDeps): void {
  ssoFlags(relogin).action(async (own: LoginFlags) => {
    const flags = { ...globals(), ...own };
    const { name, token, refreshToken: _old, ...entry } = await savedLogin(io, flags);
    if (entry.core) throw new ExitError(20, `context ${name} is --core: there is no server to sign in to`);
    const { issuer, name: username = '' } = claimsOf(token) ?? {};
    const sso = issuer !== undefined && issuer !== 'argocd';
    await logIn(io, entry, { ...flags, name, sso, username: username.replace(/:login$/, ''), signal });
  });
  examples(relogin, 'fairlead relogin', 'fairlead relogin --sso-launch-browser=false');
}

export function addLogout(logout: Command, { io, flags: globals }: CliDeps): void {
  logout.argument('<context>').action(async (context: string) => {
    const flags = globals();
    const { token, ...entry } = await savedLogin(io, flags, context);
    if (token) await call(sendTo(entry, token, io, sendingOf(flags)), session.delete);
    await replaceTokens(flags.config ?? configPath(io.env), context);
    io.out(`Logged out from '${context}'\n`);
  });
  examples(logout, 'fairlead logout localhost:8080');
}

async function savedLogin(io: Io, { config }: LoginFlags, context?: string): Promise<ServerLogin> {
  const found = await readLogin(config ?? configPath(io.env), context);
  if (found) return found;
  throw new ExitError(20, `there is no login ${context ?? 'yet'}: run fairlead login <host:port>`);
}

async function entryOf(given: string, flags: LoginFlags): Promise<ServerEntry> {
  const [server = '', ...path] = given
    .replace(/^https?:\/\//, '')
    .split('/')
    .filter(Boolean);
  return {
    server,
    'plain-text': isPlain(given, flags),
    insecure: flags.insecure === true,
    ...(flags.grpcWeb && { 'grpc-web': true }),
    ...(path.length > 0 && { 'grpc-web-root-path': path.join('/') }),
    ...(await pinnedIn(flags)),
  };
}

type Wanted = LoginFlags & { readonly name: string; readonly signal: AbortSignal };

async function logIn(io: Io, entry: ServerEntry, wanted: Wanted): Promise<void> {
  const { name } = wanted;
  const { user, ...tokens } = wanted.sso
    ? await withProvider(io, entry, wanted)
    : await withPassword(io, entry, wanted);
  await writeLogin(wanted.config ?? configPath(io.env), { ...entry, name, ...tokens });
  io.out(`'${user}' logged in successfully\nContext '${name}' updated\n`);
}

async function withPassword(io: Io, entry: ServerEntry, wanted: Wanted) {
  const username = wanted.username || (await io.prompt('Username: '));
  const password = wanted.password ?? (await io.prompt('Password: ', { hidden: true }));
  const body = { username, password };
  const { token } = await call(sendTo(entry, undefined, io), session.create, { body });
  return { user: `${username}:login`, token };
}

async function withProvider(io: Io, entry: ServerEntry, { ssoPort, ssoLaunchBrowser, signal }: Wanted) {
  const port = Number(ssoPort);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new ExitError(20, `--sso-port ${ssoPort} is not a port: use a number from 1 to 65535`);
  const launchesBrowser = ssoLaunchBrowser !== false;
  const { ssoLogin } = await import('../session/sso-login.ts');
  const options = { port, launchesBrowser, signal, clock: realClock };
  const { idToken, refreshToken } = await ssoLogin(io, entry, options);
  return { user: claimsOf(idToken)?.name ?? '', token: idToken, refreshToken };
}

const isPlain = (given: string, { plaintext }: LoginFlags): boolean =>
  plaintext === true || given.startsWith('http://');

/**
 * A server on this machine that uses plain HTTP is accepted; any other requires the flag. A certificate that is not trusted is
 * accepted by the user at the terminal, as the peer's command does, or by the flag.
 */
async function reach(io: Io, entry: ServerEntry): Promise<ServerEntry> {
  try {
    await call(sendTo(entry, undefined, io), session.version);
    return entry;
  } catch (error) {
    if (isUntrusted(error) && io.isTerminal && (await accepts(io, error)))
      return { ...entry, insecure: true };
    if (!isPlainServer(error)) throw error;
    const host = entry.server.replace(/:\d+$/, '');
    if (!['localhost', '127.0.0.1', '[::1]'].includes(host)) {
      throw new ExitError(
        20,
        `${entry.server} does not speak TLS: pass --plaintext to send your password in the clear`,
      );
    }
    io.err(`${entry.server} speaks plain HTTP, which is fine on this machine\n`);
    return { ...entry, 'plain-text': true };
  }
}

async function accepts(io: Io, error: unknown): Promise<boolean> {
  return isAgreed(await io.prompt(`${FairleadError.from(error).message}\nProceed insecurely (y/n)? `));
}
