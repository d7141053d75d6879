import type { ClusterConfig, RegisteredCluster } from '#base/model';
import { FairleadError } from '#base/std';
import {
  type ClusterAccess,
  checkAccess,
  type ExecPlugin,
  type Pem,
  type UserAccess,
} from './cluster-access.ts';

const v1beta1 = 'client.authentication.k8s.io/v1beta1';

/**
 * Access to a cluster as its Secret registers it (server.md 1.7): an AWS identity before an exec plugin before static
 * credentials. The in-cluster entry without credentials of its own is not for here: see `inClusterAccess`.
 */
export function registeredAccess({
  server,
  config,
}: Pick<RegisteredCluster, 'server' | 'config'>): ClusterAccess {
  const { tlsClientConfig: tls = {}, proxyUrl, disableCompression } = config;
  const ca = decoded(tls.caData, 'caData');
  return checkAccess({
    server,
    namespace: 'default',
    tls: {
      ...(ca && { ca }),
      ...(tls.insecure && { insecure: true }),
      ...(tls.serverName && { serverName: tls.serverName }),
    },
    ...(proxyUrl && { proxyUrl }),
    ...(disableCompression && { disableCompression }),
    user: userIn(config),
  });
}

function userIn(config: ClusterConfig): UserAccess {
  const exec = awsPlugin(config) ?? execPlugin(config);
  const certificate = decoded(config.tlsClientConfig?.certData, 'certData');
  const key = decoded(config.tlsClientConfig?.keyData, 'keyData');
  const keys = { ...(certificate && { certificate }), ...(key && { key }) };
  if (exec) return { ...keys, exec };
  const { username, password, bearerToken } = config;
  return {
    ...keys,
    ...(bearerToken && { token: bearerToken }),
    ...(username && { username }),
    ...(password && { password }),
  };
}

// compat: the command name of Argo CD's own helper, which existing Secrets rely on
function awsPlugin({ awsAuthConfig: aws }: ClusterConfig): ExecPlugin | undefined {
  if (!aws) return undefined;
  const flags: [string, string | undefined][] = [
    ['--cluster-name', aws.clusterName],
    ['--role-arn', aws.roleARN],
    ['--profile', aws.profile],
  ];
  const args = ['aws', ...flags.flatMap(([flag, value]) => (value ? [flag, value] : []))];
  return { apiVersion: v1beta1, command: 'argocd-k8s-auth', args, env: {} };
}

function execPlugin({ execProviderConfig: exec }: ClusterConfig): ExecPlugin | undefined {
  if (!exec) return undefined;
  if (!exec.command)
    throw new FairleadError('InvalidSpec', 'execProviderConfig of the cluster names no command');
  return {
    apiVersion: exec.apiVersion || v1beta1,
    command: exec.command,
    args: exec.args ?? [],
    env: exec.env ?? {},
    ...(exec.installHint && { installHint: exec.installHint }),
    ...(exec.provideClusterInfo && { clusterInfo: { config: exec.config } }),
  };
}

function decoded(data: string | undefined, field: string): Pem | undefined {
  if (!data) return undefined;
  const pem = Buffer.from(data, 'base64').toString('utf8');
  if (pem.includes('-----BEGIN')) return { pem };
  throw new FairleadError(
    'InvalidSpec',
    `tlsClientConfig.${field} of the cluster is not base64 of a PEM text`,
  );
}
