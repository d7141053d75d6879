import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const patienceMs = 120_000;

/** One API server, and the unmodified `argocd` logged in to it with a token of the same user. */
export type ListingServer = {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  /** Runs `argocd` as a user types it, and returns what it prints. */
  type(...words: string[]): Promise<string>;
  list(): Promise<string>;
};

export type PeerServer = { readonly pid: number; readonly url: string; stop(): Promise<void> };

type PeerOptions = {
  /** The program of the peer, which is all of its parts. */
  readonly argocd: string;
  readonly folder: string;
  readonly kubeconfig: string;
};

/** The peer's own API server with the Redis that it needs, on loopback, for the namespace that fairlead has prepared. */
export async function startPeer({ argocd, folder, kubeconfig }: PeerOptions): Promise<PeerServer> {
  const [port = 0, metrics = 0, redis = 0, nothing = 0] = await freePorts(4);
  const home = join(folder, 'peer');
  mkdirSync(home, { recursive: true });
  const cache = start('redis-server', ['--bind', '127.0.0.1', '--port', `${redis}`, '--save', ''], home);
  const server = start(
    argocd,
    [
      ...['--insecure', '--address', '127.0.0.1', '--port', `${port}`, '--loglevel', 'warn'],
      ...['--metrics-address', '127.0.0.1', '--metrics-port', `${metrics}`, '--redis', `127.0.0.1:${redis}`],
      ...['--kubeconfig', kubeconfig, '--namespace', 'argocd', '--staticassets', home],
      ...['--repo-server', `127.0.0.1:${nothing}`, '--dex-server', `http://127.0.0.1:${nothing}`],
    ],
    home,
    { ARGOCD_BINARY_NAME: 'argocd-server', ARGOCD_SSH_DATA_PATH: home, ARGOCD_TLS_DATA_PATH: home },
  );
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    await Promise.all([server.stop(), cache.stop()]);
  };
  try {
    await untilHealthy(url, () => server.failure() ?? cache.failure());
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: server.pid, url, stop };
}

export type Login = { readonly username: string; readonly password: string };

/** Logs the unmodified `argocd` in, with a configuration of its own. */
export async function signedIn(
  { pid, url }: Pick<PeerServer, 'pid' | 'url'>,
  { argocd, folder, username, password }: Login & Pick<PeerOptions, 'argocd' | 'folder'>,
): Promise<ListingServer> {
  const { host } = new URL(url);
  const home = join(folder, `${username}-${pid}`);
  mkdirSync(home, { recursive: true });
  const env = { HOME: home, ARGOCD_CONFIG_DIR: home, PATH: process.env.PATH ?? '' };
  const type = async (...words: string[]): Promise<string> =>
    (await run(argocd, words, { env, maxBuffer: 64 * 1024 * 1024 })).stdout;
  // a server reads a new account a moment after it was created
  await retried(() => type('login', host, '--plaintext', '--username', username, '--password', password));
  const answer = await fetch(new URL('/api/v1/session', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const { token } = (await answer.json()) as { token: string };
  return { pid, url, token, type, list: () => type('app', 'list') };
}

type Started = { readonly pid: number; failure(): string | undefined; stop(): Promise<void> };

function start(
  command: string,
  args: readonly string[],
  cwd: string,
  more: Record<string, string> = {},
): Started {
  const env = { HOME: cwd, PATH: process.env.PATH ?? '', ...more };
  const child: ChildProcess = spawn(command, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, failure]: [string, string | undefined] = ['', undefined];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      printed = `${printed}${chunk}`.slice(-4_000);
    });
  const ended = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      failure = `${command} cannot be started: ${error.message}`;
      resolve();
    });
    child.on('exit', (code) => {
      failure ??= `${command} ended with ${code}: ${printed}`;
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return { pid: child.pid ?? 0, failure: () => failure, stop };
}

/** Throws at once when the server has ended. */
const untilHealthy = (url: string, failure: () => string | undefined): Promise<void> =>
  retried(async () => {
    const { ok, status } = await fetch(new URL('/healthz', url));
    if (!ok) throw new Error(`${url} answered ${status}`);
  }, failure);

/** Repeats what fails, until it succeeds or there is a reason why it never will. */
async function retried(attempt: () => Promise<unknown>, failure = (): string | undefined => undefined) {
  const began = performance.now();
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      const reason = failure();
      if (reason) throw new Error(reason);
      if (performance.now() - began > patienceMs) throw error;
    }
    await sleep(200);
  }
}

/** As many free ports of the loopback interface, all different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return (server.address() as AddressInfo).port;
    }),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
