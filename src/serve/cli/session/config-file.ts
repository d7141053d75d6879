import { existsSync } from 'node:fs';
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
  'client-certificate-data'?: string;
  'client-certificate-key-data'?: string;
  'grpc-web'?: boolean;
  /** There is no server: the cluster of the kubeconfig is worked on directly. */
  core?: boolean;
};
export type ConfigFile = {
  'current-context'?: string;
  contexts?: { name: string; server: string; user: string }[];
  servers?: ServerEntry[];
  'prompts-enabled'?: boolean;
  /** Of our command line alone: the peer writes its own as false into every file. */
  'fairlead-prompts-enabled'?: boolean;
  users?: { name: string; 'auth-token'?: string; 'refresh-token'?: string }[];
};

/** A server and the token for it. */
export type ServerLogin = ServerEntry & {
  readonly name: string;
  readonly token: string;
  /** Of an identity provider. */
  readonly refreshToken?: string | undefined;
};

/** compat server §8.1: the config file of Argo CD's command line. */
export function configPath(env: Readonly<Record<string, string | undefined>>): string {
  const home = env.HOME ?? homedir();
  if (env.ARGOCD_CONFIG_DIR) return join(env.ARGOCD_CONFIG_DIR, 'config');
  const legacy = join(home, '.argocd', 'config');
  if (existsSync(legacy)) return legacy;
  return join(env.XDG_CONFIG_HOME ?? join(home, '.config'), 'argocd', 'config');
}

/** The login of a context, left out: of the current one; undefined when there is none. */
export async function readLogin(path: string, named?: string): Promise<ServerLogin | undefined> {
  const file = await readConfig(path);
  const wanted = named ?? file['current-context'];
  const context = file.contexts?.find(({ name }) => name === wanted);
  const server = file.servers?.find((entry) => entry.server === context?.server);
  const user = file.users?.find(({ name }) => name === context?.user);
  if (!context || !server) return undefined;
  const refreshToken = user?.['refresh-token'];
  const token = user?.['auth-token'] ?? '';
  return { ...server, name: context.name, token, ...(refreshToken && { refreshToken }) };
}

/**
 * Adds or replaces a login and makes it the current one; other contexts are unchanged. That a server is reached by gRPC-web stays:
 * only the peer's command reads it.
 */
export async function writeLogin(path: string, login: ServerLogin): Promise<void> {
  const { name, token, refreshToken, ...server } = login;
  const file = await readConfig(path);
  const isSame = (one: ServerEntry) => one.server === server.server;
  const isWrapped = file.servers?.find(isSame)?.['grpc-web'] === true;
  const user = { name, 'auth-token': token, ...(refreshToken && { 'refresh-token': refreshToken }) };
  const others = <T>(list: T[] | undefined, isOld: (item: T) => boolean) =>
    (list ?? []).filter((item) => !isOld(item));
  const next: ConfigFile = {
    ...file,
    contexts: [...others(file.contexts, (c) => c.name === name), { name, server: server.server, user: name }],
    'current-context': name,
    servers: [...others(file.servers, isSame), { ...server, ...(isWrapped && { 'grpc-web': true }) }],
    users: [...others(file.users, (u) => u.name === name), user],
  };
  await writeConfig(path, next);
}

type Tokens = { readonly token?: string; readonly refreshToken?: string | undefined };

/** Replaces the tokens of a context, or removes them; its server stays known, and the current context stays the current one. */
export async function replaceTokens(
  path: string,
  name: string,
  { token, refreshToken }: Tokens = {},
): Promise<void> {
  const file = await readConfig(path);
  const user = file.contexts?.find((one) => one.name === name)?.user;
  const tokens = {
    ...(token && { 'auth-token': token }),
    ...(refreshToken && { 'refresh-token': refreshToken }),
  };
  const users = (file.users ?? []).map((one) => (one.name === user ? { name: one.name, ...tokens } : one));
  await writeConfig(path, { ...file, users });
}

/** Replaces the file at once; only its owner may read it. */
export async function writeConfig(path: string, next: ConfigFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}`;
  await writeFile(fresh, print(next), { mode: 0o600 });
  await rename(fresh, path);
}

/** The file with the logins; empty when there is none. Throws Auth when others may read it. */
export async function readConfig(path: string): Promise<ConfigFile> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return {};
  if ((found.mode & 0o077) !== 0) {
    throw new FairleadError('Auth', `${path} may be read by others: run chmod 600 on it`);
  }
  return (parse(await readFile(path, 'utf8'), { name: path }) as ConfigFile | null) ?? {};
}
