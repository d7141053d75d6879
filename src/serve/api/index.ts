/**
 * api: the contract between the server and its clients. One table of endpoints, read by the server (routes), the
 * command line and the web UI (calls).
 *
 * Invariants
 * (1) An endpoint is written once; its path, method and body are defined nowhere else.
 * (2) A request body is checked by its schema before a method sees it; unknown fields are dropped, as in Argo CD.
 * (3) No endpoint's response contains a secret's value; masking happens before a value gets here.
 *
 * It has no transport: the caller provides `Send`.
 */
export { type AccountView, accounts, type TokenRequest } from './accounts.ts';
export {
  type ApplicationSetChange,
  type ApplicationSetList,
  type ApplicationSetPreview,
  type ApplicationSetTree,
  type ApplicationSetWatchEvent,
  applicationSets,
} from './application-sets.ts';
export {
  type ActionRequest,
  type ApplicationList,
  type ApplicationPatch,
  type ApplicationWatchEvent,
  applications,
  type ChangedField,
  type ChartDescription,
  type ComparisonRequest,
  type EventList,
  type FileMessage,
  type LinkList,
  type LogEntry,
  type ManagedResource,
  type OciMetadata,
  type RenderedManifests,
  type ResourceAction,
  type ResourceNode,
  type ResourceTree,
  type RevisionMetadata,
  type ServerSideDiff,
  type SyncRequest,
  type SyncWindows,
} from './applications.ts';
export { type ApiRequest, type ApiResponse, type CallOptions, call, follow, type Send } from './call.ts';
export { type ClusterInput, type ClusterView, clusters } from './clusters.ts';
export type { ConnectionState } from './connection-state.ts';
export { type Endpoint, matchPath, type PathParams } from './endpoint.ts';
export { type ErrorBody, statusOf } from './errors.ts';
export {
  knative,
  type TrafficChange,
  type TrafficPlan,
  type TrafficRequest,
  type TrafficService,
  type UndoChange,
  type UndoPlan,
  type UndoRequest,
} from './knative.ts';
export {
  type DeliveryView,
  type NotificationConfigView,
  type NotificationPreviews,
  notifications,
} from './notifications.ts';
export { type KindSchemas, openApiDocument, operationsOf, summaryOf, templateOf } from './openapi.ts';
export { type DetailedProject, type ProjectList, projects } from './projects.ts';
export {
  type AppDetails,
  type AppDetailsRequest,
  type AppFolder,
  type BranchesAndTags,
  type ChartList,
  type RepositoryAccessView,
  type RepositoryInput,
  type RepositoryList,
  type RepositoryView,
  repositories,
  type TemplateInput,
  type TemplateView,
  templates,
  type ValidationInput,
  writeRepositories,
  writeTemplates,
} from './repositories.ts';
export { services } from './services.ts';
export { type OidcView, type ServerSettings, type ServerVersion, session, type UserInfo } from './session.ts';
export { type SettingKey, type SettingsView, settings } from './settings.ts';
export {
  type CertificateInput,
  type CertificateList,
  certificates,
  gpgKeys,
  type PublicKeyInput,
  type SigningKey,
  type TrustedCertificate,
} from './trust.ts';
