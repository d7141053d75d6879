import type { ManagedNamespaceMetadata, RetryStrategy } from './operation.ts';
import type { NameValue, Source, SourceHydrator } from './source.ts';

/** Exactly one of server and name (engine A-13). The namespace is for namespaced targets that name none. */
export type Destination = { server?: string; name?: string; namespace?: string };

export type IgnoreDifference = {
  group?: string;
  kind: string;
  name?: string;
  namespace?: string;
  jsonPointers?: string[];
  jqPathExpressions?: string[];
  managedFieldsManagers?: string[];
};

type AutomatedSync = {
  enabled?: boolean;
  prune?: boolean;
  selfHeal?: boolean;
  allowEmpty?: boolean;
};
type SyncPolicy = {
  automated?: AutomatedSync;
  syncOptions?: string[];
  retry?: RetryStrategy;
  managedNamespaceMetadata?: ManagedNamespaceMetadata;
};

export type ApplicationSpec = {
  project?: string;
  source?: Source;
  sources?: Source[];
  sourceHydrator?: SourceHydrator;
  destination: Destination;
  syncPolicy?: SyncPolicy;
  ignoreDifferences?: IgnoreDifference[];
  info?: NameValue[];
  revisionHistoryLimit?: number;
};
