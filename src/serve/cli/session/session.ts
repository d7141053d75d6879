import { readFile } from 'node:fs/promises';
import { type CallOptions, call, type Endpoint, follow, type Send } from '#serve/api';
import { ExitError, type Io } from '../io.ts';
import type { OpenCore } from '../open-core.ts';
import type { ServerEntry, ServerLogin } from './config-file.ts';
import { configPath, readLogin, replaceTokens } from './config-file.ts';
import type { GlobalFlags } from './global-flags.ts';
import { rootPathOf, type Sending, sendTo } from './send.ts';
import { claimsOf } from './token-claims.ts';

/** An authenticated session with one server. */
export type Session = {
  call<Body, Out>(to: Endpoint<Body, Out>, options?: CallOptions<Body>): Promise<Out>;
  follow<Out>(to: Endpoint<undefined, Out>, options?: CallOptions<undefined>): AsyncGenerator<Out>;
  /** The origin of its web UI. */
  readonly origin: string;
};

type Opened = { readonly session: Session; readonly close?: () => Promise<void> };

/** compat server §8.1: flag over environment over config file. With --core, the API runs in this process until `close`. */
export async function openSession(io: Io, flags: GlobalFlags, openCore?: OpenCore): Promise<Opened> {
  const saved = await readLogin(pathOf(io, flags), flags.argocdContext);
  if (!saved && flags.argocdContext)
    throw new ExitError(20, `there is no login ${flags.argocdContext}: see fairlead context`);
  if (flags.core ?? (flags.server === undefined && saved?.core === true))
    return openCoreSession(io, flags, openCore);
  const server = flags.server ?? saved?.server;
  if (!server)
    throw new ExitError(
      20,
      'no server to talk to: run fairlead login <host:port>, pass --server, or work on the cluster of your kubeconfig with --core',
    );
  if (flags.kubeconfig) io.err('note: --kubeconfig has no effect without --core\n');
  return { session: await serverSession(io, flags, { server, saved }) };
}

type Chosen = { readonly server: string; readonly saved: ServerLogin | undefined };

async function serverSession(io: Io, flags: GlobalFlags, { server, saved }: Chosen): Promise<Session> {
  const known: Partial<ServerLogin> = saved?.server === server ? saved : {};
  const entry = {
    ...known,
    server,
    'plain-text': flags.plaintext ?? known['plain-text'] ?? false,
    insecure: flags.insecure ?? known.insecure ?? false,
    ...(await pinnedIn(flags)),
  };
  const token =
    flags.authToken ?? (saved && known.token ? await currentToken(io, flags, saved) : known.token);
  return sessionOver(sendTo(entry, token, io, sendingOf(flags)), originOf(entry));
}

async function openCoreSession(io: Io, flags: GlobalFlags, openCore: OpenCore | undefined): Promise<Opened> {
  if (!openCore) throw new ExitError(20, 'this program has no --core');
  const { kubeContext: context, controllerNamespace: namespace, kubeconfig } = flags;
  const { url, token, close } = await openCore({ context, namespace, kubeconfig });
  const { host: server, protocol } = new URL(url);
  const entry = { server, 'plain-text': protocol === 'http:' };
  return { session: sessionOver(sendTo(entry, token, io, sendingOf(flags)), originOf(entry)), close };
}

const pathOf = (io: Io, { config }: GlobalFlags): string => config ?? configPath(io.env);

/** The flags about requests themselves. */
export function sendingOf({ header = [], httpRetryMax = '0' }: GlobalFlags): Sending {
  const headers = header.map((text): [string, string] => {
    const [, name, value] = /^([\w-]+)\s*[:=]\s*(.*)$/s.exec(text) ?? [];
    if (!name || value === undefined) throw new ExitError(20, `--header ${name ?? ''}: want 'name: value'`);
    return [name.toLowerCase(), value];
  });
  const retries = Number(httpRetryMax);
  if (!Number.isInteger(retries) || retries < 0)
    throw new ExitError(20, `--http-retry-max ${httpRetryMax} is not a count: use 0 or more`);
  return { headers: Object.fromEntries(headers), retries };
}

/** The saved token; one of an identity provider that has expired is renewed, and kept. */
async function currentToken(io: Io, flags: GlobalFlags, saved: ServerLogin): Promise<string> {
  const { token, refreshToken } = saved;
  const { expires = Number.POSITIVE_INFINITY } = claimsOf(token) ?? {};
  if (!refreshToken || Date.now() < expires * 1000) return token;
  const { ssoRefresh } = await import('./sso-login.ts');
  const renewed = await ssoRefresh(io, saved, refreshToken);
  const { idToken, refreshToken: next } = renewed;
  await replaceTokens(pathOf(io, flags), saved.name, { token: idToken, refreshToken: next });
  return idToken;
}

/** What the flags say about a server beside its address: the certificates of both sides, and its path. */
export async function pinnedIn(flags: GlobalFlags): Promise<Partial<ServerEntry>> {
  const { serverCrt, clientCrt, clientCrtKey, grpcWebRootPath } = flags;
  if ((clientCrt === undefined) !== (clientCrtKey === undefined))
    throw new ExitError(20, '--client-crt and --client-crt-key are a pair: give both');
  return {
    ...(serverCrt && { 'certificate-authority-data': await readPem('--server-crt', serverCrt) }),
    ...(clientCrt && { 'client-certificate-data': await readPem('--client-crt', clientCrt) }),
    ...(clientCrtKey && { 'client-certificate-key-data': await readPem('--client-crt-key', clientCrtKey) }),
    ...(grpcWebRootPath && { 'grpc-web-root-path': grpcWebRootPath }),
  };
}

async function readPem(flag: string, file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new ExitError(20, `${flag} ${file} cannot be read: ${(error as Error).message}`);
  });
  return bytes.toString('base64');
}

/** The address of a server's web UI. */
const originOf = (entry: ServerEntry): string =>
  `${entry['plain-text'] ? 'http' : 'https'}://${entry.server}${rootPathOf(entry)}`;

function sessionOver(send: Send, origin: string): Session {
  return {
    origin,
    call: (to, options) => call(send, to, options),
    follow: (to, options) => follow(send, to, options),
  };
}
