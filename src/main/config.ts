import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FairleadError } from '#base/std';
import type { EmbeddedConfig } from '#embedded';
import type { ListenerFlags, LoginLimits } from '#serve/server';
import type { ProxySettings, Reach, Trust, WorkloadIdentity } from '#sources/repositories';
import { type ClusterChoice, type Env, namedCluster, requiredCluster } from './choose-cluster.ts';
import { chooseReach } from './choose-reach.ts';
import { listenerFlagsIn } from './listener-flags.ts';

type Flags = Readonly<Record<string, string | boolean | undefined>>;

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Files shipped with the program. */
export const shipped = {
  definitions: join(root, 'deploy/definitions.json'),
  knownHosts: join(root, 'deploy/ssh-known-hosts'),
  rollouts: join(root, 'deploy/rollouts/definitions.json'),
  demo: join(root, 'examples/demo'),
  knative: join(root, 'examples/knative'),
  ui: join(root, 'dist/ui'),
  manifest: join(root, 'package.json'),
} as const;

export type Config = {
  readonly dataDir: string;
  /** Where helm and kubectl are unpacked: shared by all data folders of a user. */
  readonly toolsDir: string;
  readonly searchPath: string;
  /** The folder with a plugin.yaml for each config management plugin; undefined: there are none. */
  readonly pluginsDir: string | undefined;
  /** Where the machine keeps its trusted certificate authorities, if the environment says so. */
  readonly machine: NonNullable<Trust['machine']>;
  /** The proxies for repositories without a proxy of their own. */
  readonly proxy: ProxySettings;
  /** The Azure workload identity of this machine, where its cluster provides one. */
  readonly azure: WorkloadIdentity | undefined;
  /** compat sources INT-8: ARGOCD_GPG_ENABLED may disable the verification of commit signatures. */
  readonly verifiesSignatures: boolean;
  readonly port: number;
  readonly host: string;
  /** TLS, and the path that everything is served at, as far as the operator says. */
  readonly listener: ListenerFlags;
  /** Which folders of this machine and which addresses sources may be fetched from. */
  readonly reach: Reach;
  /** Undefined: the embedded cluster. */
  readonly cluster: ClusterChoice | undefined;
  /** Options of the embedded cluster only. */
  readonly embedded: EmbeddedConfig;
  /** Undefined: yes on a new data folder of the embedded cluster. */
  readonly demo: boolean | undefined;
  /** The namespace of the control plane's own objects. */
  readonly namespace: string;
  /** Reconcile applications that another controller reconciled lately as well (engine X-61). */
  readonly takeOver: boolean;
  /** Whether the controller of Rollouts runs, and the namespace of its Lease. */
  readonly rollouts: {
    readonly isOn: boolean;
    readonly leaseNamespace: string;
    /** The objects that carry it are reconciled, and no others; undefined: those that carry none. */
    readonly instanceId: string | undefined;
    /** The address for metrics that name none. */
    readonly prometheus: string | undefined;
  };
  /** The limits of failed and concurrent logins, where they differ from the default. */
  readonly logins: Partial<LoginLimits>;
  /** The address that serves metrics; undefined: no port of their own. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
};

/** The roles that can be started alone. */
export type RoleName = 'controller' | 'server';

/** `fairlead up`. Read once, at start. A bad value is reported by its name, and nothing starts. */
export function readConfig(flags: Flags, env: Env): Config {
  const home = env.HOME ?? homedir();
  const cluster = namedCluster(named(flags), env, home);
  if (cluster && flags.demo === true) {
    throw new FairleadError(
      'InvalidSpec',
      '--demo is for the embedded cluster only: leave out --kubeconfig and --context',
    );
  }
  const dataDir = resolve(textIn(flags, 'dataDir') ?? '.fairlead');
  return Object.freeze({
    ...common(flags, env, home),
    dataDir,
    reach: chooseReach(!cluster, dataDir, listed(flags, env)),
    cluster,
    embedded: embeddedIn(flags, cluster),
    rollouts: rolloutsIn(flags, env, !cluster),
    demo: typeof flags.demo === 'boolean' ? flags.demo : undefined,
  });
}

/** `fairlead controller` and `fairlead server`: one role, on an existing cluster. */
export function readRoleConfig(role: RoleName, flags: Flags, env: Env): Config {
  const home = env.HOME ?? homedir();
  // two roles on one machine have separate caches
  const dataDir = resolve(textIn(flags, 'dataDir') ?? join('.fairlead', role));
  return Object.freeze({
    ...common(flags, env, home),
    dataDir,
    reach: chooseReach(false, dataDir, listed(flags, env)),
    cluster: requiredCluster(named(flags), env, home),
    embedded: embeddedIn({}, undefined),
    rollouts: rolloutsIn(flags, env, false),
    demo: false,
  });
}

const textIn = (flags: Flags, name: string): string | undefined => {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
};

const named = (flags: Flags) => ({
  kubeconfig: textIn(flags, 'kubeconfig'),
  context: textIn(flags, 'context'),
});

/** What an operator permits by name; a flag takes precedence over the environment. */
const listed = (flags: Flags, env: Env) => ({
  folders: textIn(flags, 'localRepositories') ?? env.FAIRLEAD_LOCAL_REPOSITORIES,
  hosts: textIn(flags, 'allowHosts') ?? env.FAIRLEAD_ALLOW_HOSTS,
});

/** The options of every process of the control plane. */
function common(flags: Flags, env: Env, home: string) {
  const plugins = textIn(flags, 'plugins');
  const metricsPort = textIn(flags, 'metricsPort');
  return {
    toolsDir: join(env.XDG_CACHE_HOME ?? join(home, '.cache'), 'fairlead'),
    searchPath: env.PATH ?? '',
    pluginsDir: plugins && resolve(plugins),
    proxy: proxyIn(env),
    machine: machineIn(env),
    azure: azureIn(env),
    verifiesSignatures: !/^(false|no)$/i.test(env.ARGOCD_GPG_ENABLED ?? ''),
    port: portIn('--port', textIn(flags, 'port') ?? '8080'),
    host: textIn(flags, 'host') ?? '127.0.0.1',
    listener: listenerFlagsIn(flags, env),
    namespace: textIn(flags, 'namespace') ?? 'argocd',
    takeOver: flags.takeOver === true,
    logins: loginsIn(env),
    metrics: metricsPort
      ? {
          host: textIn(flags, 'metricsAddress') ?? '127.0.0.1',
          port: portIn('--metrics-port', metricsPort),
        }
      : undefined,
  };
}

/** The flags of the embedded cluster; each is rejected together with a cluster of the user's. */
function embeddedIn(flags: Flags, cluster: Config['cluster']): EmbeddedConfig {
  const own = {
    clusterOnly: '--cluster-only',
    authorization: '--authorization',
    tokens: '--tokens',
    faults: '--faults',
  };
  for (const [name, flag] of Object.entries(own)) {
    if (cluster && flags[name] !== undefined) {
      const fix = 'leave out --kubeconfig and --context';
      throw new FairleadError('InvalidSpec', `${flag} is for the embedded cluster only: ${fix}`);
    }
  }
  const path = (name: string) => (typeof flags[name] === 'string' ? resolve(flags[name]) : undefined);
  const alone = flags.clusterOnly === true;
  const port = typeof flags.port === 'string' ? portIn('--port', flags.port) : undefined;
  return {
    alone,
    authorization: authorizationIn(flags.authorization),
    tokensFile: path('tokens'),
    faultsFile: path('faults'),
    port: alone ? port : undefined,
  };
}

/** compat rollouts RP-1, RP-2: on by default in the embedded cluster only. */
const rolloutsIn = (flags: Flags, env: Env, isEmbedded: boolean): Config['rollouts'] => ({
  isOn: typeof flags.rollouts === 'boolean' ? flags.rollouts : isEmbedded,
  leaseNamespace: textIn(flags, 'rolloutsLeaseNamespace') ?? 'argo-rollouts',
  instanceId: instanceIdIn(textIn(flags, 'rolloutsInstanceId')),
  prometheus: env.ARGO_ROLLOUTS_PROMETHEUS_ADDRESS || undefined,
});

/** It is the value of a label and the end of a Lease's name. */
function instanceIdIn(id: string | undefined): string | undefined {
  if (id === undefined || /^[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?$/.test(id)) return id;
  throw new FairleadError(
    'InvalidSpec',
    `--rollouts-instance-id ${id} is not valid: use at most 32 lower-case letters, digits and hyphens`,
  );
}

function authorizationIn(mode: Flags[string]): EmbeddedConfig['authorization'] {
  if (mode === undefined) return 'allow-all';
  if (mode === 'allow-all' || mode === 'rbac') return mode;
  throw new FairleadError('InvalidSpec', `--authorization ${mode} is not known: use allow-all or rbac`);
}

/** The standard proxy variables, in the spelling that is set. */
function proxyIn(env: Env): Config['proxy'] {
  const value = (name: string) => env[name] || env[name.toLowerCase()] || undefined;
  const [http, https, noProxy] = [value('HTTP_PROXY'), value('HTTPS_PROXY'), value('NO_PROXY')];
  const all = value('ALL_PROXY');
  return {
    ...(http && { http }),
    ...(https && { https }),
    ...(all && { all }),
    ...(noProxy && { noProxy }),
  };
}

/** The standard variables that name trusted certificates. */
function machineIn({
  SSL_CERT_FILE: file,
  SSL_CERT_DIR: folder,
  NODE_EXTRA_CA_CERTS: extra,
}: Env): Config['machine'] {
  return { ...(file && { file }), ...(folder && { folder }), ...(extra && { extra }) };
}

/** The variables that Azure's webhook sets in a pod with a workload identity. */
function azureIn(env: Env): Config['azure'] {
  const { AZURE_CLIENT_ID: clientId, AZURE_TENANT_ID: tenantId, AZURE_FEDERATED_TOKEN_FILE: tokenFile } = env;
  if (!clientId || !tenantId || !tokenFile) return undefined;
  const authorityHost = env.AZURE_AUTHORITY_HOST;
  return { clientId, tenantId, tokenFile, ...(authorityHost && { authorityHost }) };
}

/**
 * compat server §4.3: the variables that Argo CD reads for the same limits. As there, a value that is not a number in its
 * range counts as absent, and the limit of concurrent logins is divided among the replicas.
 */
function loginsIn(env: Env): Config['logins'] {
  const number = (name: string, least: number): number | undefined => {
    const text = env[name] ?? '';
    return /^\d{1,9}$/.test(text) && Number(text) >= least ? Number(text) : undefined;
  };
  const maxFailures = number('ARGOCD_SESSION_FAILURE_MAX_FAIL_COUNT', 1);
  const seconds = number('ARGOCD_SESSION_FAILURE_WINDOW_SECONDS', 0);
  const all = number('ARGOCD_MAX_CONCURRENT_LOGIN_REQUESTS_COUNT', 0);
  const replicas = number('ARGOCD_API_SERVER_REPLICAS', 1);
  return {
    ...(maxFailures !== undefined && { maxFailures }),
    ...(seconds !== undefined && { windowMs: seconds * 1000 }),
    ...(all !== undefined && { maxConcurrent: all }),
    ...(replicas !== undefined && { replicas }),
  };
}

function portIn(flag: string, text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65536) return port;
  throw new FairleadError('InvalidSpec', `${flag} ${text} is not a port: use a number from 0 to 65535`);
}
