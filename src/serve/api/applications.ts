import * as z from 'zod';
import type { Application, ApplicationSpec, Health, KubeObject } from '#base/model';
import { isObject } from '#base/std';
import { endpoint, selectable, stream, uploading } from './endpoint.ts';

export type ApplicationList = {
  /** `continue` is of the next page, where there is one. */
  metadata: { resourceVersion?: string; continue?: string };
  items: Application[];
};
export type ApplicationWatchEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; application: Application };

/** compat server §2.8: both states are JSON text; a missing one is the text `null`. Secrets are masked. */
export type ManagedResource = {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
  targetState: string;
  liveState: string;
  normalizedLiveState: string;
  predictedLiveState: string;
  resourceVersion?: string;
  modified?: boolean;
  hook?: boolean;
  /** Ours beside Argo CD's fields: each differing field, its field manager, and both values. */
  fields?: ChangedField[];
};

export type ChangedField = {
  path: string;
  target?: unknown;
  live?: unknown;
  manager?: string;
  time?: string;
};

type NodeRef = {
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
};

/** A node of the resource tree. */
export type ResourceNode = NodeRef & {
  readonly resourceVersion?: string;
  readonly createdAt?: string;
  readonly images?: readonly string[];
  readonly parentRefs?: readonly NodeRef[];
  readonly info?: readonly { readonly name: string; readonly value: string }[];
  readonly health?: Health;
  readonly networkingInfo?:
    | {
        readonly externalURLs?: readonly string[];
        readonly targetRefs?: readonly unknown[];
        /** What a Service selects, and what a Pod has. */
        readonly targetLabels?: Readonly<Record<string, string>>;
        readonly labels?: Readonly<Record<string, string>>;
        readonly ingress?: readonly unknown[];
      }
    | undefined;
};
export type ResourceTree = {
  readonly nodes: readonly ResourceNode[];
  /**
   * Objects in the destination namespace that no application declares, where the project monitors them (engine T-8).
   */
  readonly orphanedNodes?: readonly ResourceNode[];
  /** The machines its Pods run on (engine T-11); amounts are in thousandths. */
  readonly hosts?: readonly {
    readonly name: string;
    readonly resourcesInfo?: readonly {
      readonly resourceName: string;
      readonly requestedByApp: number;
      readonly requestedByNeighbors: number;
      readonly capacity: number;
    }[];
    readonly systemInfo?: Readonly<Record<string, unknown>>;
    readonly labels?: Readonly<Record<string, string>>;
  }[];
};

export type RevisionMetadata = { author?: string; date?: string; message?: string; tags?: string[] };

/** compat server §2.8: where the body is the whole request, it may name the application's namespace and project. */
const named = { appNamespace: z.string().optional(), project: z.string().optional() };

const syncResource = z.object({
  group: z.string().optional(),
  kind: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
});
const forced = z.object({ force: z.boolean().optional() });
const retry = z.object({
  limit: z.number().int().optional(),
  backoff: z
    .object({
      duration: z.string().optional(),
      factor: z.number().optional(),
      maxDuration: z.string().optional(),
    })
    .optional(),
  refresh: z.boolean().optional(),
});

/** compat server §2.8: an absent list or strategy inherits the application's, an empty one clears it. */
const syncRequest = z.object({
  ...named,
  revision: z.string().optional(),
  dryRun: z.boolean().optional(),
  prune: z.boolean().optional(),
  strategy: z.object({ apply: forced.nullish(), hook: forced.nullish() }).nullish(),
  resources: z.array(syncResource).nullish(),
  syncOptions: z.object({ items: z.array(z.string()).nullish() }).nullish(),
  retryStrategy: retry.nullish(),
  infos: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  /** Instead of those in Git, until the next operation (compat engine R-18); needs the permission `override`. */
  manifests: z.array(z.string()).nullish(),
  /** Of an application with several sources: a revision for each of `sourcePositions`, which count from 1. */
  revisions: z.array(z.string()).nullish(),
  sourcePositions: z.array(z.union([z.number().int(), z.string()])).nullish(),
});
export type SyncRequest = z.infer<typeof syncRequest>;

const rollbackRequest = z.object({
  ...named,
  id: z.number().int(),
  dryRun: z.boolean().optional(),
  prune: z.boolean().optional(),
});

type AssignedWindow = {
  readonly kind: string;
  readonly schedule: string;
  readonly duration: string;
  readonly manualSync: boolean;
};

/** compat server §2.6: the windows of an application; `canSync` is whether a user may sync now. */
export type SyncWindows = {
  readonly activeWindows?: readonly AssignedWindow[];
  readonly assignedWindows?: readonly AssignedWindow[];
  readonly canSync?: boolean;
  /** Ours beside Argo CD's fields: what blocks automated syncs now, and until when. */
  readonly held?: string;
};

/** An action on an object; `disabled` is a hint for the UI (engine H-33). */
export type ResourceAction = {
  readonly name: string;
  readonly available?: boolean;
  readonly disabled: boolean;
  readonly displayName?: string;
  readonly iconClass?: string;
  readonly params?: readonly { readonly name: string; readonly default?: string }[];
};

/** compat server §2.8: here everything is in the body, where the older form has it in the query. */
const actionRequest = z.object({
  ...named,
  namespace: z.string().optional(),
  resourceName: z.string(),
  version: z.string().optional(),
  group: z.string().optional(),
  kind: z.string(),
  action: z.string(),
  resourceActionParameters: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
});
export type ActionRequest = z.infer<typeof actionRequest>;

const application = z.custom<Application>(
  (value) => isObject(value) && isNamed(value.metadata) && isObject(value.spec),
  'want an Application with metadata.name and spec',
);
const isNamed = (metadata: unknown): boolean => isObject(metadata) && typeof metadata.name === 'string';

const applicationSpec = z.custom<ApplicationSpec>(isObject, "want an Application's spec");

/** compat server §2.8: `patch` is the text of a JSON patch, or of a merge patch where `patchType` is merge. */
const patchRequest = z.object({ ...named, patch: z.string(), patchType: z.string().optional() });
export type ApplicationPatch = z.infer<typeof patchRequest>;

/** compat server §2.5: one line of a pod's log; every field is always there. */
export type LogEntry = {
  readonly content: string;
  readonly timeStamp: string;
  /** The stream ends with this message. */
  readonly last: boolean;
  /** The time to the nanosecond. */
  readonly timeStampStr: string;
  readonly podName: string;
};

/** Kubernetes Events, as the API server of the cluster returns them. */
export type EventList = { metadata: { resourceVersion?: string }; items: KubeObject[] };

/** compat server §2.8: each manifest is JSON text; Secrets are masked. */
export type RenderedManifests = {
  readonly manifests: readonly string[];
  readonly namespace: string;
  readonly server: string;
  readonly revision: string;
  readonly sourceType: string;
  readonly commands: readonly string[];
};

/** compat server §3.4: the first message names the application, the others are the parts of a tar archive in base64. */
const fileMessage = z.object({
  query: z.object({ name: z.string(), checksum: z.string().optional(), ...named }).nullish(),
  chunk: z.object({ chunk: z.string() }).nullish(),
});
export type FileMessage = z.infer<typeof fileMessage>;

/** Ours beside Argo CD's methods: the target to compare with what is live. Without manifests, the sources at other revisions. */
const comparisonRequest = z.object({
  ...named,
  manifests: z.array(z.string()).nullish(),
  revision: z.string().optional(),
  revisions: z.array(z.string()).nullish(),
  sourcePositions: z.array(z.union([z.number().int(), z.string()])).nullish(),
  /** The cluster predicts the result in a dry run. */
  serverSide: z.boolean().optional(),
});
export type ComparisonRequest = z.infer<typeof comparisonRequest>;

export type ServerSideDiff = { readonly items: readonly ManagedResource[]; readonly modified: boolean };

export type ChartDescription = {
  readonly description: string;
  readonly maintainers: readonly string[];
  readonly home: string;
};

export type OciMetadata = {
  readonly createdAt: string;
  readonly authors: string;
  readonly docsUrl: string;
  readonly sourceUrl: string;
  readonly version: string;
  readonly description: string;
};

/** Deep links, evaluated: their URLs are of web pages. */
export type LinkList = {
  readonly items: readonly {
    readonly title: string;
    readonly url: string;
    readonly description?: string;
    readonly iconClass?: string;
  }[];
};

const at = '/api/v1/applications' as const;

export const applications = {
  /** Beyond Argo CD: `fairlead.limit`, `fairlead.continue` and `fairlead.search` (compat server §2.6). */
  list: selectable(endpoint<ApplicationList>()('GET', at)),
  create: endpoint<Application>()('POST', at, application),
  preview: endpoint<RenderedManifests>(
    'The target manifests of an application as it would be stored; nothing is.',
  )('POST', `${at}/preview`, application),
  get: endpoint<Application>()('GET', `${at}/:name`),
  update: endpoint<Application>()('PUT', `${at}/:name`, application),
  updateSpec: endpoint<ApplicationSpec>()('PUT', `${at}/:name/spec`, applicationSpec),
  patch: endpoint<Application>()('PATCH', `${at}/:name`, patchRequest),
  delete: endpoint<Record<string, never>>()('DELETE', `${at}/:name`),
  sync: endpoint<Application>()('POST', `${at}/:name/sync`, syncRequest),
  rollback: endpoint<Application>()('POST', `${at}/:name/rollback`, rollbackRequest),
  terminate: endpoint<Record<string, never>>()('DELETE', `${at}/:name/operation`),
  windows: endpoint<SyncWindows>()('GET', `${at}/:name/syncwindows`),
  tree: endpoint<ResourceTree>()('GET', `${at}/:name/resource-tree`),
  managedResources: selectable(
    endpoint<{ items: ManagedResource[] }>()('GET', `${at}/:name/managed-resources`),
  ),
  revision: endpoint<RevisionMetadata>()('GET', `${at}/:name/revisions/:revision/metadata`),
  chart: endpoint<ChartDescription>()('GET', `${at}/:name/revisions/:revision/chartdetails`),
  oci: endpoint<OciMetadata>()('GET', `${at}/:name/revisions/:revision/ocimetadata`),
  manifests: endpoint<RenderedManifests>()('GET', `${at}/:name/manifests`),
  manifestsWithFiles: uploading(
    endpoint<RenderedManifests>()('POST', `${at}/manifestsWithFiles`, fileMessage),
  ),
  serverSideDiff: endpoint<ServerSideDiff>()('GET', `${at}/:name/server-side-diff`),
  compare: endpoint<{ items: readonly ManagedResource[] }>()(
    'POST',
    `${at}/:name/compare`,
    comparisonRequest,
  ),
  links: endpoint<LinkList>()('GET', `${at}/:name/links`),
  resourceLinks: endpoint<LinkList>()('GET', `${at}/:name/resource/links`),
  actions: endpoint<{ actions: readonly ResourceAction[] }>()('GET', `${at}/:name/resource/actions`),
  runAction: endpoint<Record<string, never>>()('POST', `${at}/:name/resource/actions`, z.string()),
  runActionWith: endpoint<Record<string, never>>()('POST', `${at}/:name/resource/actions/v2`, actionRequest),
  resource: endpoint<{ manifest: string }>()('GET', `${at}/:name/resource`),
  /** The body is the patch as a JSON string; `patchType` of the query is its media type. */
  patchResource: endpoint<{ manifest: string }>('Patches the live manifest of one resource.', {
    dryRun: 'true: the manifest as the cluster would store it; nothing changes',
  })('POST', `${at}/:name/resource`, z.string()),
  deleteResource: endpoint<Record<string, never>>()('DELETE', `${at}/:name/resource`),
  events: endpoint<EventList>()('GET', `${at}/:name/events`),
  logs: stream<LogEntry>()(`${at}/:name/logs`),
  podLogs: stream<LogEntry>()(`${at}/:name/pods/:pod/logs`),
  watch: selectable(stream<ApplicationWatchEvent>()('/api/v1/stream/applications')),
  watchTree: selectable(stream<ResourceTree>()('/api/v1/stream/applications/:name/resource-tree')),
} as const;
