import type { ConnectionState } from './connection-state.ts';

/** The fields that a credential template and a repository have in common; none of them is secret. */
export type RepositoryAccessView = {
  readonly type: string;
  readonly username?: string;
  readonly enableOCI?: boolean;
  readonly insecureOCIForceHttp?: boolean;
  readonly forceHttpBasicAuth?: boolean;
  readonly proxy?: string;
  readonly noProxy?: string;
  readonly githubAppID?: number;
  readonly githubAppInstallationID?: number;
  readonly githubAppEnterpriseBaseUrl?: string;
  readonly useAzureWorkloadIdentity?: boolean;
  readonly azureServicePrincipalClientId?: string;
  readonly azureServicePrincipalTenantId?: string;
  readonly azureActiveDirectoryEndpoint?: string;
};

/** compat server §2.8: a repository as it is read; it never has a password, a key or a token. */
export type RepositoryView = RepositoryAccessView & {
  readonly repo: string;
  readonly name?: string;
  readonly project?: string;
  readonly insecure?: boolean;
  readonly insecureIgnoreHostKey?: boolean;
  readonly enableLfs?: boolean;
  readonly depth?: number;
  readonly webhookManifestCacheWarmDisabled?: boolean;
  /** It has no credentials of its own; a credential template provides them. */
  readonly inheritedCreds?: boolean;
  readonly connectionState?: ConnectionState;
};
