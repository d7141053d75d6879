import { readFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { type Ctx, FairleadError } from '#base/std';
import { parse } from '#lang/yaml';
import { type ClusterAccess, checkAccess, type Pem, type UserAccess } from './cluster-access.ts';
import { type ExecView, execPluginIn } from './exec-config.ts';

/** Which of several files, clusters and users; what is left out comes from the files. */
export type KubeconfigChoice = {
  /** In order of precedence; those that do not exist are passed over. */
  readonly files: readonly string[];
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
};

type Named<Key extends string, Value> = { readonly name?: string } & { readonly [K in Key]?: Value };
type KubeconfigView = {
  readonly 'current-context'?: string;
  readonly clusters?: readonly Named<'cluster', ClusterView>[] | null;
  readonly contexts?: readonly Named<'context', ContextView>[] | null;
  readonly users?: readonly Named<'user', UserView>[] | null;
};
type ContextView = { readonly cluster?: string; readonly user?: string; readonly namespace?: string };
type ClusterView = {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  readonly extensions?: readonly { readonly name?: string; readonly extension?: unknown }[];
};
type UserView = {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
  readonly exec?: ExecView;
  readonly 'auth-provider'?: { readonly name?: string };
};

/** One file's text and the folder its relative paths start from. */
export type KubeconfigFile = { readonly text: string; readonly dir: string; readonly name: string };

/** Reads the files and resolves the context. Throws NotFound when there is none, InvalidSpec when it makes no sense. */
export async function loadKubeconfig(ctx: Ctx, choice: KubeconfigChoice): Promise<ClusterAccess> {
  ctx.signal.throwIfAborted();
  const read = await Promise.all(choice.files.map(readIfThere));
  const files = read.filter((file) => file !== undefined);
  if (files.length === 0)
    throw new FairleadError(
      'NotFound',
      `no kubeconfig file exists at ${choice.files.join(' or ')}: name one with --kubeconfig`,
    );
  return resolveKubeconfig(files, choice);
}

async function readIfThere(path: string): Promise<KubeconfigFile | undefined> {
  try {
    return { text: await readFile(path, 'utf8'), dir: dirname(path), name: basename(path) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new FairleadError('PermissionDenied', `kubeconfig ${basename(path)} cannot be read`, error);
  }
}

/** The pure part: one context of these texts, merged. Of two entries with one name the first counts. */
export function resolveKubeconfig(
  files: readonly KubeconfigFile[],
  choice: Omit<KubeconfigChoice, 'files'> = {},
): ClusterAccess {
  const merged = mergedFrom(files);
  const name = choice.context ?? merged.current;
  const context = name ? entry(merged.contexts, 'context', name).value : noContext(merged, choice);
  const cluster = entry(merged.clusters, 'cluster', choice.cluster ?? context.cluster ?? '');
  const userName = choice.user ?? context.user;
  const user = userName ? entry(merged.users, 'user', userName) : undefined;
  return checkAccess({
    ...clusterPart(cluster),
    namespace: choice.namespace || context.namespace || 'default',
    user: user ? userPart(user, cluster.value) : {},
  });
}

type Entry<T> = { readonly value: T; readonly dir: string; readonly name: string };
type Merged = {
  readonly current: string | undefined;
  readonly clusters: ReadonlyMap<string, Entry<ClusterView>>;
  readonly contexts: ReadonlyMap<string, Entry<ContextView>>;
  readonly users: ReadonlyMap<string, Entry<UserView>>;
};

function mergedFrom(files: readonly KubeconfigFile[]): Merged {
  const clusters = new Map<string, Entry<ClusterView>>();
  const contexts = new Map<string, Entry<ContextView>>();
  const users = new Map<string, Entry<UserView>>();
  let current: string | undefined;
  for (const { text, dir, name: file } of files) {
    const view = (parse(text, { name: `kubeconfig ${file}` }) ?? {}) as KubeconfigView;
    current ||= view['current-context'];
    for (const { name = '', cluster = {} } of view.clusters ?? [])
      addFirst(clusters, { name, value: cluster, dir });
    for (const { name = '', context = {} } of view.contexts ?? [])
      addFirst(contexts, { name, value: context, dir });
    for (const { name = '', user = {} } of view.users ?? []) addFirst(users, { name, value: user, dir });
  }
  return { current, clusters, contexts, users };
}

function addFirst<T>(to: Map<string, Entry<T>>, one: Entry<T>): void {
  if (!to.has(one.name)) to.set(one.name, one);
}

function entry<T>(from: ReadonlyMap<string, Entry<T>>, what: string, name: string): Entry<T> {
  const found = from.get(name);
  if (found) return found;
  const known = [...from.keys()].join(', ') || 'none';
  throw new FairleadError('NotFound', `the kubeconfig has no ${what} "${name}" (it has: ${known})`);
}

function noContext({ contexts }: Merged, { cluster }: Omit<KubeconfigChoice, 'files'>): ContextView {
  if (cluster) return {};
  const known = [...contexts.keys()].join(', ') || 'none';
  throw new FairleadError(
    'NotFound',
    `the kubeconfig has no current context: choose one with --context (it has: ${known})`,
  );
}

function clusterPart({ value, dir, name }: Entry<ClusterView>): Omit<ClusterAccess, 'namespace' | 'user'> {
  if (!value.server)
    throw new FairleadError('InvalidSpec', `cluster "${name}" of the kubeconfig names no server`);
  const ca = pemIn(value['certificate-authority-data'], value['certificate-authority'], dir);
  return {
    server: value.server,
    tls: {
      ...(ca && { ca }),
      ...(value['insecure-skip-tls-verify'] && { insecure: true }),
      ...(value['tls-server-name'] && { serverName: value['tls-server-name'] }),
    },
    ...(value['proxy-url'] && { proxyUrl: value['proxy-url'] }),
    ...(value['disable-compression'] && { disableCompression: true }),
  };
}

function userPart({ value, dir, name }: Entry<UserView>, cluster: ClusterView): UserAccess {
  if (value['auth-provider']) {
    const provider = value['auth-provider'].name ?? '';
    throw new FairleadError(
      'InvalidSpec',
      `user "${name}" of the kubeconfig uses the removed auth-provider "${provider}": use its exec plugin instead`,
    );
  }
  const certificate = pemIn(value['client-certificate-data'], value['client-certificate'], dir);
  const key = pemIn(value['client-key-data'], value['client-key'], dir);
  const { token, tokenFile, username, password, exec } = value;
  return {
    ...(certificate && { certificate }),
    ...(key && { key }),
    ...(token && { token }),
    ...(tokenFile && { tokenFile: from(dir, tokenFile) }),
    ...(username && { username }),
    ...(password && { password }),
    ...(exec && { exec: execPluginIn(exec, { user: name, dir, extensions: cluster.extensions ?? [] }) }),
    ...(value.as && { impersonate: impersonateIn(value, value.as) }),
  };
}

function impersonateIn(value: UserView, user: string): NonNullable<UserAccess['impersonate']> {
  const { 'as-groups': groups, 'as-uid': uid, 'as-user-extra': extra } = value;
  return { user, ...(groups && { groups }), ...(uid && { uid }), ...(extra && { extra }) };
}

/** Text in the file itself wins over a file it names. */
function pemIn(data: string | undefined, file: string | undefined, dir: string): Pem | undefined {
  if (data) return { pem: Buffer.from(data, 'base64').toString('utf8') };
  return file ? { file: from(dir, file) } : undefined;
}

function from(dir: string, path: string): string {
  return isAbsolute(path) ? path : join(dir, path);
}
