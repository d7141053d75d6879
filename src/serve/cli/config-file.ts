import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { FairleadError } from '#base/std';
import { parse, print } from '#lang/yaml';

/** `grpc-web-root-path` is the path that the server is served at. */
export type ServerEntry = {
  server: string;
  'plain-text'?: boolean;
  insecure?: boolean;
  'grpc-web-root-path'?: string;
  /** PEM in base64: what the server's certificate is checked with. */
  'certificate-authority-data'?: string;
};
type ConfigFile = {
  'current-context'?: string;
  contexts?: { name: string; server: string; user: string }[];
  servers?: ServerEntry[];
  users?: { name: string; 'auth-token'?: string }[];
};

/** A server and the token for it. */
export type ServerLogin = ServerEntry & { readonly name: string; readonly token: string };

/** compat server §8.1: the config file of Argo CD's command line. */
export function configPath(env: Readonly<Record<string, string | undefined>>): string {
  const home = env.HOME ?? homedir();
  if (env.ARGOCD_CONFIG_DIR) return join(env.ARGOCD_CONFIG_DIR, 'config');
  return join(env.XDG_CONFIG_HOME ?? join(home, '.config'), 'argocd', 'config');
}

/** The current context's login; undefined when there is none. */
export async function readLogin(path: string): Promise<ServerLogin | undefined> {
  const file = await read(path);
  const context = file.contexts?.find(({ name }) => name === file['current-context']);
  const server = file.servers?.find((entry) => entry.server === context?.server);
  const user = file.users?.find(({ name }) => name === context?.user);
  if (!context || !server) return undefined;
  return { ...server, name: context.name, token: user?.['auth-token'] ?? '' };
}

/** Adds or replaces a login and makes it the current one; other contexts are unchanged. */
export async function writeLogin(path: string, { name, token, ...server }: ServerLogin): Promise<void> {
  const file = await read(path);
  const others = <T>(list: T[] | undefined, isSame: (item: T) => boolean) =>
    (list ?? []).filter((i) => !isSame(i));
  const next: ConfigFile = {
    ...file,
    contexts: [...others(file.contexts, (c) => c.name === name), { name, server: server.server, user: name }],
    'current-context': name,
    servers: [...others(file.servers, (s) => s.server === server.server), server],
    users: [...others(file.users, (u) => u.name === name), { name, 'auth-token': token }],
  };
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}`;
  await writeFile(fresh, print(next), { mode: 0o600 });
  await rename(fresh, path);
}

async function read(path: string): Promise<ConfigFile> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return {};
  if ((found.mode & 0o077) !== 0) {
    throw new FairleadError('Auth', `${path} may be read by others: run chmod 600 on it`);
  }
  return (parse(await readFile(path, 'utf8')) as ConfigFile | null) ?? {};
}
