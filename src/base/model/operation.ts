import type { NameValue, Source } from './source.ts';

type Backoff = { duration?: string; factor?: number; maxDuration?: string };
export type RetryStrategy = { limit?: number; backoff?: Backoff; refresh?: boolean };

type SyncStrategy = { apply?: { force?: boolean }; hook?: { force?: boolean } };

/** One resource chosen for a selective sync. */
type SyncResource = { group?: string; kind: string; name: string; namespace?: string };

export type SyncOperation = {
  revision?: string;
  revisions?: string[];
  prune?: boolean;
  dryRun?: boolean;
  syncStrategy?: SyncStrategy;
  resources?: SyncResource[];
  source?: Source;
  sources?: Source[];
  manifests?: string[];
  syncOptions?: string[];
  autoHealAttemptsCount?: number;
};

export type Initiator = { username?: string; automated?: boolean };

/** Setting this on an Application is the request to sync (engine A-20). */
export type Operation = {
  sync?: SyncOperation;
  initiatedBy?: Initiator;
  info?: NameValue[];
  retry?: RetryStrategy;
};

export type OperationPhase = 'Running' | 'Terminating' | 'Failed' | 'Error' | 'Succeeded';
type ResultCode = 'Synced' | 'SyncFailed' | 'Pruned' | 'PruneSkipped';
export type SyncPhase = 'PreSync' | 'Sync' | 'PostSync' | 'SyncFail';
export type HookType = SyncPhase | 'Skip' | 'PreDelete' | 'PostDelete';

export type ManagedNamespaceMetadata = {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};

export type ResourceResult = {
  group: string;
  version: string;
  kind: string;
  namespace: string;
  name: string;
  status?: ResultCode;
  message?: string;
  hookType?: HookType;
  hookPhase?: OperationPhase;
  syncPhase?: SyncPhase;
  images?: string[];
};

type SyncResult = {
  revision?: string;
  revisions?: string[];
  source?: Source;
  sources?: Source[];
  resources?: ResourceResult[];
  managedNamespaceMetadata?: ManagedNamespaceMetadata;
};

export type OperationState = {
  operation: Operation;
  phase: OperationPhase;
  message?: string;
  syncResult?: SyncResult;
  startedAt: string;
  finishedAt?: string;
  retryCount?: number;
};
