import {
  annotation,
  type ClusterConfig,
  clusterFrom,
  clusterSecretName,
  encodeBase64Text,
  isManagedSecret,
  type KubeObject,
  label,
  type RegisteredCluster,
  secretText,
  trimServer,
  withoutUserInfo,
} from '#base/model';
import { isObject, printJson } from '#base/std';
import type { ClusterInput } from '#serve/api';
import { filled } from '../filled.ts';
import { refuseRedirected } from '../redirected-credentials.ts';

type Config = NonNullable<ClusterInput['config']>;

/** Fields of a cluster that an update may be limited to (compat server §2.8). */
export const clusterFields = [
  'name',
  'namespaces',
  'config',
  'shard',
  'clusterResources',
  'labels',
  'annotations',
  'project',
] as const;

/** The input that an update with `updatedFields` stands for: the other fields are those that are stored. */
export function limitedTo(
  fields: readonly string[],
  given: ClusterInput,
  { namespaces, config: _kept, ...stored }: RegisteredCluster,
): ClusterInput {
  if (fields.length === 0) return given;
  const before: ClusterInput = { ...stored, namespaces: [...namespaces] };
  const chosen = clusterFields.filter((field) => fields.includes(field));
  return { ...before, ...Object.fromEntries(chosen.map((field) => [field, given[field]])) };
}

/**
 * compat server §1.7: the Secret that registers a cluster; `before` is the one that it replaces, whose config stays where the input
 * has none. Throws InvalidSpec when the input would send a credential that stays another way.
 */
export function clusterSecret(input: ClusterInput, namespace: string, before?: KubeObject): KubeObject {
  const server = trimServer(input.server);
  const stored = before ? clusterFrom(before).config : {};
  const config = input.config ? configFor(input.config, stored) : stored;
  if (before && input.config) requireGiven(input.config, config, stored);
  const data = filled({
    name: input.name || server,
    server,
    config: printJson(config),
    namespaces: (input.namespaces ?? []).join(','),
    clusterResources: input.clusterResources ? 'true' : '',
    shard: typeof input.shard === 'number' ? String(input.shard) : '',
    project: input.project ?? '',
  });
  const encoded = Object.entries(data).map(([key, value]) => [key, encodeBase64Text(value)]);
  const managed = !before || isManagedSecret(before) ? { [annotation.managedBy]: 'argocd.argoproj.io' } : {};
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...identityOf(before),
      name: before?.metadata.name ?? clusterSecretName(server),
      namespace,
      labels: { ...input.labels, [label.secretType]: 'cluster' },
      annotations: { ...input.annotations, ...managed },
    },
    data: Object.fromEntries(encoded),
  } as KubeObject;
}

function identityOf(before: KubeObject | undefined): Partial<KubeObject['metadata']> {
  const { resourceVersion, uid, creationTimestamp, finalizers } = before?.metadata ?? {};
  return filled({ resourceVersion, uid, creationTimestamp, finalizers }) as Partial<KubeObject['metadata']>;
}

/** dev server §2.8: reads return no secret, so one that is left out stays; null removes it. */
function configFor(given: Config, stored: ClusterConfig): ClusterConfig {
  const { tlsClientConfig: tls } = given;
  const proxyUrl =
    stored.proxyUrl && given.proxyUrl === withoutUserInfo(stored.proxyUrl) ? stored.proxyUrl : given.proxyUrl;
  return compact({
    username: kept(given.username, stored.username),
    password: kept(given.password, stored.password),
    bearerToken: kept(given.bearerToken, stored.bearerToken),
    execProviderConfig: kept(given.execProviderConfig, stored.execProviderConfig),
    awsAuthConfig: kept(given.awsAuthConfig, stored.awsAuthConfig),
    tlsClientConfig: compact({
      insecure: tls === undefined ? stored.tlsClientConfig?.insecure : tls?.insecure,
      serverName: tls === undefined ? stored.tlsClientConfig?.serverName : tls?.serverName,
      certData: kept(tls?.certData, stored.tlsClientConfig?.certData),
      keyData: kept(tls?.keyData, stored.tlsClientConfig?.keyData),
      // an insecure connection checks no authority
      caData: tls?.insecure && !tls.caData ? undefined : kept(tls?.caData, stored.tlsClientConfig?.caData),
    }),
    disableCompression: given.disableCompression,
    proxyUrl,
  }) as ClusterConfig;
}

/** What sends credentials to another server, or to one that is not checked as before. */
function redirections({ proxyUrl, tlsClientConfig: tls }: ClusterConfig, stored: ClusterConfig): string[] {
  const { tlsClientConfig: before } = stored;
  const isNew: Readonly<Record<string, boolean>> = {
    proxyUrl: proxyUrl !== undefined && proxyUrl !== stored.proxyUrl,
    insecure: tls?.insecure === true && before?.insecure !== true,
    serverName: tls?.serverName !== undefined && tls.serverName !== before?.serverName,
    caData: tls?.caData !== undefined && tls.caData !== before?.caData,
  };
  return Object.keys(isNew).filter((name) => isNew[name]);
}

/** A token or a password that is left out stays, but is not sent another way. The key of a certificate is never sent. */
function requireGiven(given: Config, config: ClusterConfig, stored: ClusterConfig): void {
  const sent = (['password', 'bearerToken'] as const).filter((field) => config[field] && !given[field]);
  refuseRedirected(redirections(config, stored), sent);
}

const kept = <T>(given: T | null | undefined, stored: T | undefined): T | undefined =>
  given === null ? undefined : given || stored;

/** Without what is empty, and without nulls inside. */
function compact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const clean = (value: unknown): unknown => (isObject(value) ? compact(value) : value);
  const entries = Object.entries(fields)
    .map(([key, value]) => [key, clean(value)] as const)
    .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false);
  return Object.fromEntries(entries);
}

/** The Secret that registers a cluster; undefined for the cluster we run in, which needs none. */
export const secretOf = (secrets: readonly KubeObject[], server: string): KubeObject | undefined =>
  secrets
    .filter((secret) => trimServer(serverIn(secret)) === server)
    .toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1))[0];

const ageOf = ({ metadata }: KubeObject): string => `${metadata.creationTimestamp ?? ''} ${metadata.name}`;

function serverIn(secret: KubeObject): string {
  try {
    return secretText(secret).server ?? '';
  } catch {
    return '';
  }
}
