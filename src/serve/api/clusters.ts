import * as z from 'zod';
import type { ConnectionState } from './connection-state.ts';
import { endpoint } from './endpoint.ts';

/** compat server §1.7: what of a cluster's configuration may be read. */
type ClusterConfigView = {
  readonly tlsClientConfig: { readonly insecure: boolean; readonly serverName?: string };
  readonly awsAuthConfig?: {
    readonly clusterName?: string;
    readonly roleARN?: string;
    readonly profile?: string;
  };
  readonly disableCompression?: boolean;
  readonly proxyUrl?: string;
};

type ClusterInfo = {
  readonly connectionState: ConnectionState;
  readonly serverVersion?: string;
  readonly cacheInfo: { readonly resourcesCount?: number; readonly apisCount?: number };
  readonly applicationsCount: number;
  readonly apiVersions?: readonly string[];
};

/** compat server §2.8: a cluster as it is read; it never has a token, a key or the settings of a credential plugin. */
export type ClusterView = {
  readonly server: string;
  readonly name: string;
  readonly config: ClusterConfigView;
  readonly connectionState: ConnectionState;
  readonly serverVersion?: string;
  readonly info: ClusterInfo;
  readonly namespaces?: readonly string[];
  readonly clusterResources?: boolean;
  readonly shard?: number;
  readonly project?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly refreshRequestedAt?: string;
};

const text = z.string().max(100_000);
const map = z.record(z.string(), z.string());
/** dev server §2.8: on an update an absent or empty secret keeps the stored one, null removes it. */
const secret = text.nullish();
const config = z.object({
  username: secret,
  password: secret,
  bearerToken: secret,
  tlsClientConfig: z
    .object({
      insecure: z.boolean().nullish(),
      serverName: text.nullish(),
      certData: secret,
      keyData: secret,
      caData: secret,
    })
    .nullish(),
  awsAuthConfig: z
    .object({ clusterName: text.optional(), roleARN: text.optional(), profile: text.optional() })
    .nullish(),
  execProviderConfig: z
    .object({
      command: text.optional(),
      args: z.array(text).nullish(),
      env: map.nullish(),
      apiVersion: text.optional(),
      installHint: text.optional(),
      provideClusterInfo: z.boolean().optional(),
      config: z.unknown().optional(),
    })
    .nullish(),
  disableCompression: z.boolean().nullish(),
  proxyUrl: text.nullish(),
});
const cluster = z.object({
  server: text.default(''),
  name: text.nullish(),
  config: config.nullish(),
  namespaces: z.array(text).nullish(),
  clusterResources: z.boolean().nullish(),
  shard: z.number().int().nullish(),
  project: text.nullish(),
  labels: map.nullish(),
  annotations: map.nullish(),
});
export type ClusterInput = z.infer<typeof cluster>;

const at = '/api/v1/clusters' as const;
const id = { 'id.type': 'what the path names: server (default), name or name_escaped' };
type None = Record<string, never>;

export const clusters = {
  list: endpoint<{ readonly items: readonly ClusterView[] }>(
    'The clusters that the caller may get, without credentials.',
    {
      server: 'only the one with this address',
      name: 'only those of this name',
      'id.type': 'what id.value is: server (default), name or name_escaped',
      'id.value': 'only the one with this address or name',
    },
  )('GET', at),
  create: endpoint<ClusterView>('Connects to a cluster and registers it.', {
    upsert: 'true: replaces one that exists with other settings',
  })('POST', at, cluster),
  get: endpoint<ClusterView>('One cluster, with its connection, its version and its cache.', id)(
    'GET',
    `${at}/:id`,
  ),
  update: endpoint<ClusterView>('Replaces the settings of a cluster; secrets that are left out stay.', {
    ...id,
    updatedFields:
      'only these: name, namespaces, config, shard, clusterResources, labels, annotations, project',
  })('PUT', `${at}/:id`, cluster),
  delete: endpoint<None>('Removes a cluster; nothing in it changes.', id)('DELETE', `${at}/:id`),
  rotate: endpoint<None>('Replaces the token of the service account that a cluster is managed with.', id)(
    'POST',
    `${at}/:id/rotate-auth`,
  ),
  invalidate: endpoint<ClusterView>('Has the controller read a cluster again from the start.', id)(
    'POST',
    `${at}/:id/invalidate-cache`,
  ),
} as const;
