import type { ApplicationSpec } from './application-spec.ts';
import type { Health, ResourceStatus } from './application-status.ts';
import type { Condition, KubeObject } from './kube-object.ts';
import type { LabelSelector, SelectorRequirement } from './selector.ts';

/** The part of an Application's metadata that a template may set. */
type ApplicationSetTemplateMeta = {
  name?: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
};
export type ApplicationSetTemplate = {
  metadata?: ApplicationSetTemplateMeta;
  spec?: Partial<ApplicationSpec>;
};

type Templated = { template?: ApplicationSetTemplate };
type Valued = Templated & { values?: Record<string, string> };
type Polled = Valued & { requeueAfterSeconds?: number };

export type ListGenerator = Templated & { elements?: Record<string, unknown>[]; elementsYaml?: string };
export type ClusterGenerator = Valued & { selector?: LabelSelector; flatList?: boolean };
export type GitPathItem = { path: string; exclude?: boolean };
export type GitGenerator = Polled & {
  repoURL: string;
  revision?: string;
  directories?: GitPathItem[];
  files?: GitPathItem[];
  pathParamPrefix?: string;
};
type MatrixGenerator = Templated & { generators?: SetGenerator[] };
type MergeGenerator = Templated & { generators?: SetGenerator[]; mergeKeys?: string[] };

/** A provider's own settings are kept as written; its generator reads them. */
type ProviderSettings = Record<string, unknown>;
type ScmProviderFilter = {
  repositoryMatch?: string;
  pathsExist?: string[];
  pathsDoNotExist?: string[];
  labelMatch?: string;
  branchMatch?: string;
};
type ScmProviderGenerator = Polled & {
  github?: ProviderSettings;
  gitlab?: ProviderSettings;
  gitea?: ProviderSettings;
  bitbucket?: ProviderSettings;
  bitbucketServer?: ProviderSettings;
  azureDevOps?: ProviderSettings;
  awsCodeCommit?: ProviderSettings;
  filters?: ScmProviderFilter[];
  cloneProtocol?: string;
};
type PullRequestFilter = { branchMatch?: string; targetBranchMatch?: string; titleMatch?: string };
type PullRequestGenerator = Polled & {
  github?: ProviderSettings;
  gitlab?: ProviderSettings;
  gitea?: ProviderSettings;
  bitbucket?: ProviderSettings;
  bitbucketServer?: ProviderSettings;
  azuredevops?: ProviderSettings;
  filters?: PullRequestFilter[];
  continueOnRepoNotFoundError?: boolean;
};
type ClusterDecisionResourceGenerator = Polled & {
  configMapRef: string;
  name?: string;
  labelSelector?: LabelSelector;
};
type PluginGenerator = Polled & {
  configMapRef: { name: string };
  input?: { parameters?: Record<string, unknown> };
};

/** One item of spec.generators. Several keys may be present at the top level; each contributes (sources AS-1). */
export type SetGenerator = {
  list?: ListGenerator;
  clusters?: ClusterGenerator;
  git?: GitGenerator;
  scmProvider?: ScmProviderGenerator;
  clusterDecisionResource?: ClusterDecisionResourceGenerator;
  pullRequest?: PullRequestGenerator;
  matrix?: MatrixGenerator;
  merge?: MergeGenerator;
  plugin?: PluginGenerator;
  selector?: LabelSelector;
};

export type ApplicationsSyncPolicy = 'sync' | 'create-only' | 'create-update' | 'create-delete';

export type RolloutStep = { matchExpressions?: SelectorRequirement[]; maxUpdate?: number | string };
type ApplicationSetStrategy = {
  type?: string;
  rollingSync?: { steps?: RolloutStep[] };
  deletionOrder?: string;
};

type ApplicationSetIgnoreDifference = {
  name?: string;
  jsonPointers?: string[];
  jqPathExpressions?: string[];
};

export type ApplicationSetSpec = {
  generators: SetGenerator[];
  template: ApplicationSetTemplate;
  templatePatch?: string;
  goTemplate?: boolean;
  goTemplateOptions?: string[];
  syncPolicy?: { applicationsSync?: ApplicationsSyncPolicy; preserveResourcesOnDeletion?: boolean };
  strategy?: ApplicationSetStrategy;
  preservedFields?: { annotations?: string[]; labels?: string[] };
  ignoreApplicationDifferences?: ApplicationSetIgnoreDifference[];
  applyNestedSelectors?: boolean;
};

type RolloutStatus = 'Waiting' | 'Pending' | 'Progressing' | 'Healthy';
export type ApplicationRollout = {
  application: string;
  status: RolloutStatus;
  step: string;
  targetRevisions?: string[];
  message?: string;
  lastTransitionTime?: string;
};
export type ApplicationSetStatus = {
  conditions?: Condition[];
  applicationStatus?: ApplicationRollout[];
  resources?: ResourceStatus[];
  resourcesCount?: number;
  health?: Health;
};

export type ApplicationSet = KubeObject<ApplicationSetSpec, ApplicationSetStatus> & {
  spec: ApplicationSetSpec;
  /** Why it is not evaluated, where it came from a cluster with fields of another type; those parts are left out. */
  readonly unreadable?: readonly string[];
};
