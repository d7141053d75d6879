import { isObject, parseJson } from '#base/std';
import { annotation, label, skipsReconcile } from './annotations.ts';
import { type IgnoredKey, ignoredKeys, unknownKeys } from './ignored-keys.ts';
import type { KubeObject } from './kube-object.ts';
import { fnv32a, readableText } from './secret.ts';
import { named } from './shape.ts';
import { encodeText } from './text.ts';
import { type UnknownField, withoutUnknown } from './unknown-fields.ts';

export const inClusterServer = 'https://kubernetes.default.svc';
export const inClusterName = 'in-cluster';

/** The three `*Data` fields are base64 text, exactly as stored. */
type TlsClientConfig = {
  insecure?: boolean;
  serverName?: string;
  certData?: string;
  keyData?: string;
  caData?: string;
};
type ExecProviderConfig = {
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  apiVersion?: string;
  installHint?: string;
  provideClusterInfo?: boolean;
  config?: unknown;
};
export type ClusterConfig = {
  username?: string;
  password?: string;
  bearerToken?: string;
  tlsClientConfig?: TlsClientConfig;
  awsAuthConfig?: { clusterName?: string; roleARN?: string; profile?: string };
  execProviderConfig?: ExecProviderConfig;
  disableCompression?: boolean;
  proxyUrl?: string;
};

/** A registered cluster as its Secret describes it (server.md 1.7). `server` is its identity. */
export type RegisteredCluster = {
  server: string;
  name: string;
  config: ClusterConfig;
  /** Not empty: only these namespaces are watched and written (engine T-19). */
  namespaces: readonly string[];
  clusterResources: boolean;
  shard?: number;
  project: string;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  refreshRequestedAt?: string;
  skipReconcile: boolean;
  /** Why it must not be used. */
  problem?: string;
};

/** The cluster we run in, which exists without a Secret (engine A-15). */
export const inCluster: RegisteredCluster = {
  server: inClusterServer,
  name: inClusterName,
  config: {},
  namespaces: [],
  clusterResources: false,
  project: '',
  labels: {},
  annotations: {},
  skipReconcile: false,
};

/** compat: the address without the slashes at its end, as destinations and Secrets are compared. */
export const trimServer = (server: string): string => server.replace(/\/+$/, '');

/** Reads a cluster. `problem` names malformed parts; it never throws for one bad Secret. */
export function clusterFrom(secret: KubeObject): RegisteredCluster {
  const problems: string[] = [];
  const data = readableText(secret, problems);
  const config = configFrom(data.config, problems);
  const shard = shardFrom(data.shard, problems);
  const server = trimServer(data.server ?? '');
  if (server === '') problems.push('server is missing');
  const { labels = {}, annotations = {} } = secret.metadata;
  const refreshRequestedAt = annotations[annotation.refresh];
  return {
    server,
    name: data.name ?? '',
    config,
    namespaces: (data.namespaces ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    clusterResources: data.clusterResources === 'true',
    ...(shard === undefined ? {} : { shard }),
    project: data.project ?? '',
    labels: without(labels, [label.secretType]),
    annotations: without(annotations, [annotation.managedBy, annotation.lastApplied]),
    ...(refreshRequestedAt === undefined ? {} : { refreshRequestedAt }),
    skipReconcile: skipsReconcile(secret),
    ...(problems.length === 0 ? {} : { problem: problems.join('; ') }),
  };
}

/** The keys of a cluster Secret that have no effect, also those inside of `config`. */
export function ignoredInCluster(secret: KubeObject): readonly IgnoredKey[] {
  const data = readableText(secret, []);
  const inConfig: UnknownField[] = [];
  withoutUnknown(parsedConfig(data.config), configShape, 'config', inConfig);
  return [
    ...unknownKeys(data, ['name', 'server', 'config', 'namespaces', 'clusterResources', 'shard', 'project']),
    ...ignoredKeys(inConfig),
    ...(data.shard ? [{ key: 'shard', message: noShards }] : []),
  ];
}
const noShards = 'no effect: one controller at a time reconciles all clusters (decision 20)';
const configShape = {
  ...named('any', 'username password bearerToken disableCompression proxyUrl'),
  tlsClientConfig: named('any', 'insecure serverName certData keyData caData'),
  awsAuthConfig: named('any', 'clusterName roleARN profile'),
  execProviderConfig: named('any', 'command args env apiVersion installHint provideClusterInfo config'),
};

function configFrom(text: string | undefined, problems: string[]): ClusterConfig {
  const config = parsedConfig(text);
  if (config === undefined) {
    problems.push('config is not a JSON object'); // its text may hold a token, so it is not shown
    return {};
  }
  if (config.tlsClientConfig?.insecure && config.tlsClientConfig.caData) {
    problems.push('config.tlsClientConfig has both insecure and caData; remove one of them');
  }
  return config;
}

function parsedConfig(text: string | undefined): ClusterConfig | undefined {
  if (text === undefined || text.trim() === '') return {};
  try {
    const config = parseJson(text);
    return isObject(config) ? config : undefined;
  } catch {
    return undefined;
  }
}

function shardFrom(text: string | undefined, problems: string[]): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^-?[0-9]+$/.test(text)) return Number(text);
  problems.push(`shard "${text}" must be an integer`);
  return undefined;
}

function without(map: Readonly<Record<string, string>>, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
}

/** compat: the name Argo CD gives a cluster Secret it creates. */
export function clusterSecretName(server: string): string {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(server)?.[1] ?? '';
  const host = authority.startsWith('[')
    ? authority.slice(1, authority.indexOf(']')).replaceAll(':', '-')
    : authority.replace(/:.*$/, '');
  return `cluster-${host.toLowerCase()}-${fnv32a(encodeText(server))}`;
}
