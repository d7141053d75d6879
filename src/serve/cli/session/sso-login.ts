import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, FairleadError, joined } from '#base/std';
import { call, type OidcView, session } from '#serve/api';
import { newLoginSecrets, OidcProvider, type OidcTokens } from '#serve/oidc';
import { ExitError, type Io } from '../io.ts';
import type { ServerEntry } from './config-file.ts';
import { sendTo } from './send.ts';

export type SsoOptions = {
  readonly port: number;
  /** False: the address is printed, and the user opens it. */
  readonly launchesBrowser: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
};

/** How long the login in the browser may take: a command that waits without end blocks the script that runs it. */
const longestMinutes = 10;

/**
 * compat server §4.4: logs in with the identity provider in a browser. The provider sends the browser back to a port of this
 * machine, with a code that is worth nothing without the verifier that stays in this process.
 */
export async function ssoLogin(io: Io, entry: ServerEntry, options: SsoOptions): Promise<OidcTokens> {
  const { provider, oidc } = await providerOf(io, entry);
  const secrets = newLoginSecrets();
  const redirectUri = `http://localhost:${options.port}/auth/callback`;
  const scopes = new Set([...oidc.scopes, ...(provider.hasOfflineAccess ? ['offline_access'] : [])]);
  const claims = oidc.idTokenClaims ? JSON.stringify({ id_token: oidc.idTokenClaims }) : '';
  const request = { ...secrets, redirectUri, scopes: [...scopes], more: { claims } };
  const url = await provider.authorizationUrl(request);
  const exchange = (callback: URL) => provider.exchange(callback, secrets);
  const waiting = awaitCallback(options, { state: secrets.state, exchange });
  await waiting.listening;
  const isOpened = options.launchesBrowser && io.openBrowser !== undefined;
  if (isOpened) io.openBrowser?.(url);
  io.out(`${isOpened ? 'Opening your browser to log in. Otherwise open' : 'To log in, open'}\n${url}\n`);
  io.out(`Waiting for the login, for at most ${longestMinutes} minutes\n`);
  return waiting.tokens;
}

/** New tokens for a refresh token of an earlier login. */
export async function ssoRefresh(io: Io, entry: ServerEntry, refreshToken: string): Promise<OidcTokens> {
  const { provider } = await providerOf(io, entry);
  return provider.refresh(refreshToken);
}

async function providerOf(io: Io, entry: ServerEntry): Promise<{ provider: OidcProvider; oidc: OidcView }> {
  const { oidcConfig: oidc } = await call(sendTo(entry, undefined, io), session.settings);
  if (!oidc)
    throw new ExitError(20, `${entry.server} has no single sign-on: log in with --username and --password`);
  const { request } = io;
  if (!request) throw new ExitError(20, 'the identity provider cannot be reached from here');
  const authorities = Buffer.from(entry['certificate-authority-data'] ?? '', 'base64').toString('utf8');
  const provider = await OidcProvider.discover({
    issuer: oidc.issuer,
    clientId: oidc.cliClientID ?? oidc.clientID,
    request: request({ insecure: entry.insecure === true, authorities }),
  });
  return { provider, oidc };
}

type Awaited = {
  readonly state: string;
  exchange(callback: URL): Promise<OidcTokens>;
};

/** Listens on this machine only, for the one callback of this login. */
function awaitCallback({ port, signal, clock }: SsoOptions, { state, exchange }: Awaited) {
  const done = new AbortController();
  const { signal: over, release } = joined(signal, done.signal);
  const late = clock.sleep(longestMinutes * 60_000, over).then(
    () => Promise.reject(tooLate),
    () => new Promise<never>(() => {}),
  );
  const server = createServer();
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => void sockets.add(socket));
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(busy(port, error)));
    server.listen(port, 'localhost', resolve);
  });
  const answered = new Promise<OidcTokens>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const target = `http://localhost:${port}${request.url ?? '/'}`;
      const url = new URL(URL.canParse(target) ? target : `http://localhost:${port}`);
      // another page of this machine's user may send anything here: only the answer to this login counts
      if (url.pathname !== '/auth/callback' || url.searchParams.get('state') !== state)
        return void response.writeHead(404, plain).end('Not Found\n');
      exchange(url).then(
        (found) => {
          response
            .writeHead(200, plain)
            .end('You are logged in. You can close this page.\n', () => resolve(found));
        },
        (error: unknown) => {
          response.writeHead(400, plain).end('The login failed: see the terminal.\n', () => reject(error));
        },
      );
    });
  });
  const tokens = Promise.race([answered, late]).finally(() => {
    done.abort();
    release();
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  tokens.catch(() => {}); // awaited by the caller, after the port is open
  return { listening, tokens };
}

const tooLate = new ExitError(
  20,
  `no login arrived within ${longestMinutes} minutes: run the command again, and finish the login in the browser`,
);

const plain = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };

const busy = (port: number, error: NodeJS.ErrnoException): Error =>
  error.code === 'EADDRINUSE'
    ? new ExitError(
        20,
        `port ${port} is in use: choose another one with --sso-port, which the provider must know`,
      )
    : new FairleadError('Unavailable', `cannot listen at localhost:${port}: ${error.message}`, error);
