import type { ConnectionState } from './connection-state.ts';

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
