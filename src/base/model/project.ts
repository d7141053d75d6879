import type { Destination } from './application-spec.ts';
import type { KubeObject } from './kube-object.ts';

export type ResourceRule = { group: string; kind: string; name?: string };
export type DestinationServiceAccount = {
  server: string;
  namespace?: string;
  defaultServiceAccount: string;
};
export type OrphanedResources = {
  warn?: boolean;
  ignore?: { group?: string; kind?: string; name?: string }[];
};

export type SyncWindow = {
  kind?: 'allow' | 'deny';
  schedule?: string;
  duration?: string;
  applications?: string[];
  namespaces?: string[];
  clusters?: string[];
  manualSync?: boolean;
  timeZone?: string;
  andOperator?: boolean;
  syncOverrun?: boolean;
  description?: string;
};

export type JwtToken = { iat: number; exp?: number; id?: string };
export type ProjectRole = {
  name: string;
  description?: string;
  policies?: string[];
  groups?: string[];
  jwtTokens?: JwtToken[];
};

type SourceIntegrityPolicy = {
  repos?: { url: string }[];
  gpg?: { mode?: 'none' | 'head' | 'strict'; keys?: string[] };
};
type SourceIntegrity = { git?: { policies?: SourceIntegrityPolicy[] } };

export type ProjectSpec = {
  description?: string;
  sourceRepos?: string[];
  sourceNamespaces?: string[];
  destinations?: Destination[];
  destinationServiceAccounts?: DestinationServiceAccount[];
  clusterResourceWhitelist?: ResourceRule[];
  clusterResourceBlacklist?: ResourceRule[];
  namespaceResourceWhitelist?: ResourceRule[];
  namespaceResourceBlacklist?: ResourceRule[];
  orphanedResources?: OrphanedResources;
  syncWindows?: SyncWindow[];
  signatureKeys?: { keyID: string }[];
  sourceIntegrity?: SourceIntegrity;
  permitOnlyProjectScopedClusters?: boolean;
  roles?: ProjectRole[];
};
type ProjectStatus = { jwtTokensByRole?: Record<string, { items?: JwtToken[] }> };

export type AppProject = KubeObject<ProjectSpec, ProjectStatus> & {
  spec: ProjectSpec;
  /** Why its spec cannot be used, where it came from a cluster with fields of another type; its spec is then empty. */
  readonly unreadable?: readonly string[];
};

/** compat engine P-3: what a fresh installation's `default` project permits. */
export const defaultProjectSpec: ProjectSpec = {
  sourceRepos: ['*'],
  destinations: [{ server: '*', namespace: '*' }],
  clusterResourceWhitelist: [{ group: '*', kind: '*' }],
};

/**
 * compat engine P-22: the tokens of a role, from spec and status together, newest first. A token without an
 * id is identified by its time of issue. A token in neither list is revoked.
 */
export function tokensOf(project: AppProject, role: string): JwtToken[] {
  const listed = project.spec.roles?.find(({ name }) => name === role)?.jwtTokens ?? [];
  const recorded = project.status?.jwtTokensByRole?.[role]?.items ?? [];
  const byId = new Map([...listed, ...recorded].map((token) => [token.id || String(token.iat), token]));
  return [...byId].map(([id, token]) => ({ ...token, id })).toSorted((a, b) => b.iat - a.iat);
}
