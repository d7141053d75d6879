import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FairleadError } from '#std';

type Flags = Readonly<Record<string, string | boolean | undefined>>;
type Env = Readonly<Record<string, string | undefined>>;

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The folders that come with the program. */
export const shipped = {
  crds: join(root, 'deploy/crds'),
  knownHosts: join(root, 'deploy/ssh-known-hosts'),
  demo: join(root, 'examples/demo'),
  ui: join(root, 'dist/ui'),
  manifest: join(root, 'package.json'),
} as const;

export type UpConfig = {
  readonly dataDir: string;
  /** Where helm and kubectl are unpacked: shared by all data folders of a user. */
  readonly toolsDir: string;
  readonly searchPath: string;
  /** The folder with a plugin.yaml for each config management plugin; undefined: there are none. */
  readonly pluginsDir: string | undefined;
  /** The proxies repositories are reached through that name none of their own. */
  readonly proxy: { readonly http?: string; readonly https?: string; readonly noProxy?: string };
  /** compat INT-8: ARGOCD_GPG_ENABLED may say that signatures of commits are not looked at. */
  readonly verifiesSignatures: boolean;
  readonly port: number;
  readonly host: string;
  /** Undefined: the embedded cluster. */
  readonly cluster:
    | {
        readonly files: readonly string[];
        readonly context?: string;
        readonly environment: Record<string, string>;
      }
    | undefined;
  /** Undefined: yes on a new data folder of the embedded cluster. */
  readonly demo: boolean | undefined;
  readonly namespace: string;
};

/** Read once, at start. A bad value is reported by its name, and nothing starts. */
export function readUpConfig(flags: Flags, env: Env): UpConfig {
  const text = (name: string) => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const home = env.HOME ?? homedir();
  const cluster = clusterIn({ kubeconfig: text('kubeconfig'), context: text('context') }, env, home);
  if (cluster && flags.demo === true) {
    throw new FairleadError(
      'InvalidSpec',
      '--demo is for the embedded cluster only: leave out --kubeconfig and --context',
    );
  }
  return Object.freeze({
    dataDir: resolve(text('dataDir') ?? '.fairlead'),
    toolsDir: join(env.XDG_CACHE_HOME ?? join(home, '.cache'), 'fairlead'),
    searchPath: env.PATH ?? '',
    pluginsDir: text('plugins') && resolve(text('plugins') ?? ''),
    proxy: proxyIn(env),
    verifiesSignatures: !/^(false|no)$/i.test(env.ARGOCD_GPG_ENABLED ?? ''),
    port: portIn(text('port') ?? '8080'),
    host: text('host') ?? '127.0.0.1',
    cluster,
    demo: typeof flags.demo === 'boolean' ? flags.demo : undefined,
    namespace: 'argocd',
  });
}

type Choice = { readonly kubeconfig: string | undefined; readonly context: string | undefined };

/** Either flag means a cluster of the user's; the files are found as kubectl finds them. */
function clusterIn({ kubeconfig, context }: Choice, env: Env, home: string): UpConfig['cluster'] {
  if (kubeconfig === undefined && context === undefined) return undefined;
  const known = (env.KUBECONFIG ?? join(home, '.kube/config')).split(':').filter(Boolean);
  const environment = Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  return { files: kubeconfig ? [kubeconfig] : known, environment, ...(context && { context }) };
}

/** The variables that every program of the web reads, in the spelling that is set. */
function proxyIn(env: Env): UpConfig['proxy'] {
  const value = (name: string) => env[name] || env[name.toLowerCase()] || undefined;
  const [http, https, noProxy] = [value('HTTP_PROXY'), value('HTTPS_PROXY'), value('NO_PROXY')];
  return { ...(http && { http }), ...(https && { https }), ...(noProxy && { noProxy }) };
}

function portIn(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65536) return port;
  throw new FairleadError('InvalidSpec', `--port ${text} is not a port: use a number from 0 to 65535`);
}
