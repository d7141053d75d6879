import type { Destination, IgnoreDifference } from './application-spec.ts';
import type { Initiator, OperationState } from './operation.ts';
import type { Source, SourceHydrator, SourceType } from './source.ts';

export type SyncStatusCode = 'Synced' | 'OutOfSync' | 'Unknown';
export type HealthCode = 'Healthy' | 'Suspended' | 'Progressing' | 'Missing' | 'Degraded' | 'Unknown';

/** A resource's health. `lastTransitionTime` changes only with `status`. */
export type Health = { status: HealthCode; message?: string; lastTransitionTime?: string };

export type ComparedTo = {
  source?: Source;
  sources?: Source[];
  destination: Destination;
  ignoreDifferences?: IgnoreDifference[];
};
export type SyncStatus = {
  status: SyncStatusCode;
  revision?: string;
  revisions?: string[];
  comparedTo?: ComparedTo;
};

export type ResourceStatus = {
  group?: string;
  version?: string;
  kind: string;
  namespace?: string;
  name: string;
  status?: SyncStatusCode;
  health?: Health;
  hook?: boolean;
  requiresPruning?: boolean;
  requiresDeletionConfirmation?: boolean;
  syncWave?: number;
};

export type RevisionHistory = {
  id: number;
  revision?: string;
  revisions?: string[];
  source?: Source;
  sources?: Source[];
  deployStartedAt?: string;
  deployedAt: string;
  initiatedBy?: Initiator;
};

export type ApplicationConditionType =
  | 'InvalidSpecError'
  | 'ComparisonError'
  | 'SyncError'
  | 'UnknownError'
  | 'DeletionError'
  | 'SharedResourceWarning'
  | 'RepeatedResourceWarning'
  | 'ExcludedResourceWarning'
  | 'OrphanedResourceWarning'
  // requested and not supported yet
  | 'NotSupportedWarning'
  // done as configured, but hardly as the user meant
  | 'ConfigurationWarning'
  // a person put another traffic split above the one that Git declares
  | 'TrafficOverrideWarning'
  // a subscription or its template cannot be used
  | 'NotificationWarning'
  | 'UnknownSyncOptionWarning';

/** Unlike a Kubernetes condition it has no status: it is listed, or it is not. */
export type ApplicationCondition = {
  type: ApplicationConditionType;
  message: string;
  lastTransitionTime?: string;
};

type HydrationPhase = 'Hydrating' | 'Hydrated' | 'Failed';
type HydrateOperation = {
  startedAt: string;
  finishedAt?: string;
  phase: HydrationPhase;
  message?: string;
  drySHA?: string;
  hydratedSHA?: string;
  sourceHydrator?: SourceHydrator;
};
type SuccessfulHydrateOperation = {
  drySHA?: string;
  hydratedSHA?: string;
  sourceHydrator?: SourceHydrator;
};
type SourceHydratorStatus = {
  lastSuccessfulOperation?: SuccessfulHydrateOperation;
  currentOperation?: HydrateOperation;
  lastComparedDryRevision?: string;
};

export type ApplicationSummary = { externalURLs?: string[]; images?: string[]; isAppOfApps?: boolean };

export type ApplicationStatus = {
  sync?: SyncStatus;
  health?: Health;
  resources?: ResourceStatus[];
  operationState?: OperationState;
  history?: RevisionHistory[];
  conditions?: ApplicationCondition[];
  reconciledAt?: string;
  observedAt?: string;
  sourceType?: SourceType;
  sourceTypes?: SourceType[];
  summary?: ApplicationSummary;
  resourceHealthSource?: '' | 'appTree';
  controllerNamespace?: string;
  sourceHydrator?: SourceHydratorStatus;
};
