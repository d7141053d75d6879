import { readFile } from 'node:fs/promises';
import { type CallOptions, call, type Endpoint, follow, type Send } from '#serve/api';
import type { ServerEntry, ServerLogin } from './config-file.ts';
import { configPath, readLogin, writeLogin } from './config-file.ts';
import { ExitError, type Io } from './io.ts';
import { rootPathOf, sendTo } from './send.ts';
import { ssoRefresh } from './sso-login.ts';
import { claimsOf } from './token-claims.ts';

/** Flags of every command. */
export type GlobalFlags = {
  server?: string;
  authToken?: string;
  plaintext?: boolean;
  insecure?: boolean;
  config?: string;
  serverCrt?: string;
  grpcWebRootPath?: string;
};

/** An authenticated session with one server. */
export type Session = {
  call<Body, Out>(to: Endpoint<Body, Out>, options?: CallOptions<Body>): Promise<Out>;
  follow<Out>(to: Endpoint<undefined, Out>, options?: CallOptions<undefined>): AsyncGenerator<Out>;
  /** The origin of its web UI. */
  readonly origin: string;
};

/** compat server §8.1: flag over environment over config file. */
export async function openSession(io: Io, flags: GlobalFlags): Promise<Session> {
  const saved = await readLogin(flags.config ?? configPath(io.env));
  const server = flags.server ?? io.env.ARGOCD_SERVER ?? saved?.server;
  if (!server)
    throw new ExitError(20, 'no server to talk to: run fairlead login <host:port>, or pass --server');
  const known: Partial<ServerLogin> = saved?.server === server ? saved : {};
  const entry = {
    ...known,
    server,
    'plain-text': flags.plaintext ?? known['plain-text'] ?? false,
    insecure: flags.insecure ?? known.insecure ?? false,
    ...(await pinnedIn(flags)),
  };
  const given = flags.authToken ?? io.env.ARGOCD_AUTH_TOKEN;
  const token = given ?? (saved && known.token ? await currentToken(io, flags, saved) : known.token);
  return sessionOver(sendTo(entry, token, io), originOf(entry));
}

/** The saved token; one of an identity provider that has expired is renewed, and kept. */
async function currentToken(io: Io, flags: GlobalFlags, saved: ServerLogin): Promise<string> {
  const { token, refreshToken } = saved;
  const { expires = Number.POSITIVE_INFINITY } = claimsOf(token) ?? {};
  if (!refreshToken || Date.now() < expires * 1000) return token;
  const renewed = await ssoRefresh(io, saved, refreshToken);
  const login = { ...saved, token: renewed.idToken, refreshToken: renewed.refreshToken };
  await writeLogin(flags.config ?? configPath(io.env), login);
  return renewed.idToken;
}

/** What the flags say about a server beside its address: its certificate, and its path. */
export async function pinnedIn({ serverCrt, grpcWebRootPath }: GlobalFlags): Promise<Partial<ServerEntry>> {
  const read = async (file: string): Promise<string> => {
    const bytes = await readFile(file).catch((error: unknown) => {
      throw new ExitError(20, `--server-crt ${file} cannot be read: ${(error as Error).message}`);
    });
    return bytes.toString('base64');
  };
  return {
    ...(serverCrt && { 'certificate-authority-data': await read(serverCrt) }),
    ...(grpcWebRootPath && { 'grpc-web-root-path': grpcWebRootPath }),
  };
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
