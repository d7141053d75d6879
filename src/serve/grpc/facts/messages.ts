// Generated from the Go types of Argo CD 3.5.6; not edited by hand. notation.ts says how to read it.
/** The messages of its API, one line each. */
export const messageLines = `# account account
Account name:s?#1 enabled:b?#2 capabilities:[s#3 tokens:[Token#4
AccountsList items:[Account#1
CanIRequest resource:s?#1 action:s?#2 subresource:s?#3
CanIResponse value:s?#1
CreateTokenRequest name:s?#1 expiresIn:l?#2 id:s?#3
CreateTokenResponse token:s?#1
DeleteTokenRequest name:s?#1 id:s?#2
EmptyResponse
GetAccountRequest name:s?#1
ListAccountRequest
Token id:s?#1 issuedAt:l?#2 expiresAt:l?#3
UpdatePasswordRequest newPassword:s?#1 currentPassword:s?#2 name:s?#3
UpdatePasswordResponse
# application application
ApplicationCreateRequest application:v1alpha1.Application!#1 upsert:b^#2 validate:b^#3
ApplicationDeleteRequest name:s!#1 cascade:b^#2 propagationPolicy:s^#3 appNamespace:s^#4 project:s^#5
ApplicationManifestQuery name:s!#1 revision:s^#2 appNamespace:s^#3 project:s^#4 sourcePositions:[l#5 revisions:[s#6 noCache:b^#7
ApplicationManifestQueryWithFiles name:s!#1 checksum:s!#2 appNamespace:s^#3 project:s^#4
ApplicationManifestQueryWithFilesWrapper query:ApplicationManifestQueryWithFiles^#1 chunk:FileChunk^#2
ApplicationPatchRequest name:s!#1 patch:s!#2 patchType:s!#3 appNamespace:s^#5 project:s^#6
ApplicationPodLogsQuery name:s!#1 namespace:s^#2 podName:s^#3 container:s^#4 sinceSeconds:l^#5 sinceTime:T^#6 tailLines:l^#7 follow:b^#8 untilTime:s^#9 filter:s^#10 kind:s^#11 group:s^#12 resourceName:s^#13 previous:b^#14 appNamespace:s^#15 project:s^#16 matchCase:b^#17
ApplicationQuery name:s^#1 refresh:s^#2 projects:[s#3 resourceVersion:s^#4 selector:s^#5 repo:s^#6 appNamespace:s^#7 project:[s#8
ApplicationResourceDeleteRequest name:s!#1 namespace:s^#2 resourceName:s!#3 version:s!#4 group:s^#5 kind:s!#6 force:b^#7 orphan:b^#8 appNamespace:s^#9 project:s^#10
ApplicationResourceEventsQuery name:s!#1 resourceNamespace:s^#2 resourceName:s^#3 resourceUID:s^#4 appNamespace:s^#5 project:s^#6
ApplicationResourcePatchRequest name:s!#1 namespace:s^#2 resourceName:s!#3 version:s!#4 group:s^#5 kind:s!#6 patch:s!#7 patchType:s!#8 appNamespace:s^#9 project:s^#10
ApplicationResourceRequest name:s!#1 namespace:s^#2 resourceName:s!#3 version:s!#4 group:s^#5 kind:s!#6 appNamespace:s^#7 project:s^#8
ApplicationResourceResponse manifest:s!#1
ApplicationResponse
ApplicationRollbackRequest name:s!#1 id:l!#2 dryRun:b^#3 prune:b^#4 appNamespace:s^#6 project:s^#7
ApplicationServerSideDiffQuery appName:s!#1 appNamespace:s^#2 project:s^#3 liveResources:[v1alpha1.ResourceDiff#4 targetManifests:[s#5
ApplicationServerSideDiffResponse items:[v1alpha1.ResourceDiff#1 modified:b!#2
ApplicationSyncRequest name:s!#1 revision:s^#2 dryRun:b^#3 prune:b^#4 strategy:v1alpha1.SyncStrategy^#5 resources:[v1alpha1.SyncOperationResource#7 manifests:[s#8 infos:[v1alpha1.Info#9 retryStrategy:v1alpha1.RetryStrategy^#10 syncOptions:SyncOptions^#11 appNamespace:s^#12 project:s^#13 sourcePositions:[l#14 revisions:[s#15
ApplicationSyncWindow kind:s!#1 schedule:s!#2 duration:s!#3 manualSync:b!#4
ApplicationSyncWindowsQuery name:s!#1 appNamespace:s^#2 project:s^#3
ApplicationSyncWindowsResponse activeWindows:[ApplicationSyncWindow#1 assignedWindows:[ApplicationSyncWindow#2 canSync:b!#3
ApplicationUpdateRequest application:v1alpha1.Application!#1 validate:b^#2 project:s^#3
ApplicationUpdateSpecRequest name:s!#1 spec:v1alpha1.ApplicationSpec!#2 validate:b^#3 appNamespace:s^#4 project:s^#5
FileChunk chunk:B!#1
LinkInfo title:s!#1 url:s!#2 description:s^#3 iconClass:s^#4
LinksResponse items:[LinkInfo#1
ListAppLinksRequest name:s!#1 namespace:s^#3 project:s^#4
LogEntry content:s!#1 timeStamp:T!#2 last:b!#3 timeStampStr:s!#4 podName:s!#5
ManagedResourcesResponse items:[v1alpha1.ResourceDiff#1
OperationTerminateRequest name:s!#1 appNamespace:s^#2 project:s^#3
OperationTerminateResponse
ResourceActionParameters name:s!#1 value:s!#2
ResourceActionRunRequest name:s!#1 namespace:s^#2 resourceName:s!#3 version:s!#4 group:s^#5 kind:s!#6 action:s!#7 appNamespace:s^#8 project:s^#9
ResourceActionRunRequestV2 name:s!#1 namespace:s^#2 resourceName:s!#3 version:s!#4 group:s^#5 kind:s!#6 action:s!#7 appNamespace:s^#8 project:s^#9 resourceActionParameters:[ResourceActionParameters#10
ResourceActionsListResponse actions:[v1alpha1.ResourceAction#1
ResourcesQuery applicationName:s!#1 namespace:s^#2 name:s^#3 version:s^#4 group:s^#5 kind:s^#6 appNamespace:s^#7 project:s^#8
RevisionMetadataQuery name:s!#1 revision:s!#2 appNamespace:s^#3 project:s^#4 sourceIndex:i^#5 versionId:i^#6
SyncOptions items:[s#1
# applicationset applicationset
ApplicationSetCreateRequest applicationset:v1alpha1.ApplicationSet^#1 upsert:b?#2 dryRun:b?#3
ApplicationSetDeleteRequest name:s?#1 appsetNamespace:s?#2
ApplicationSetGenerateRequest applicationSet:v1alpha1.ApplicationSet^#1
ApplicationSetGenerateResponse applications:[v1alpha1.Application#1
ApplicationSetGetQuery name:s?#1 appsetNamespace:s?#2
ApplicationSetListQuery projects:[s#1 selector:s?#2 appsetNamespace:s?#3
ApplicationSetResponse project:s?#1 applicationset:v1alpha1.ApplicationSet^#2
ApplicationSetTreeQuery name:s?#1 appsetNamespace:s?#2
ApplicationSetWatchQuery name:s?#1 projects:[s#2 selector:s?#3 appSetNamespace:s?#4 resourceVersion:s?#5
# certificate certificate
RepositoryCertificateCreateRequest certificates:v1alpha1.RepositoryCertificateList^#1 upsert:b?#2
RepositoryCertificateQuery hostNamePattern:s?#1 certType:s?#2 certSubType:s?#3
# cluster cluster
ClusterCreateRequest cluster:v1alpha1.Cluster^#1 upsert:b?#2
ClusterID type:s?#1 value:s?#2
ClusterQuery server:s?#1 name:s?#2 id:ClusterID^#3
ClusterResponse
ClusterUpdateRequest cluster:v1alpha1.Cluster^#1 updatedFields:[s#2 id:ClusterID^#3
Connector name:s?#1 type:s?#2
DexConfig connectors:[Connector#1
GoogleAnalyticsConfig trackingID:s?#1 anonymizeUsers:b?#2
Help chatUrl:s?#1 chatText:s?#2 binaryUrls:{s#3
OIDCConfig name:s?#1 issuer:s?#2 clientID:s?#3 cliClientID:s?#4 scopes:[s#5 idTokenClaims:{oidc.Claim#6 enablePKCEAuthentication:b?#7
Plugin name:s?#1
Settings url:s?#1 dexConfig:DexConfig^#2 oidcConfig:OIDCConfig^#3 appLabelKey:s?#4 resourceOverrides:{v1alpha1.ResourceOverride#5 statusBadgeEnabled:b?#6 googleAnalytics:GoogleAnalyticsConfig^#7 kustomizeOptions:v1alpha1.KustomizeOptions^#8 help:Help^#9 plugins:[Plugin#10 userLoginsDisabled:b?#11 configManagementPlugins:[v1alpha1.ConfigManagementPlugin#12 kustomizeVersions:[s#13 uiCssURL:s?#14 uiBannerContent:s?#15 uiBannerURL:s?#16 passwordPattern:s?#17 trackingMethod:s?#18 uiBannerPermanent:b?#19 uiBannerPosition:s?#20 statusBadgeRootUrl:s?#21 execEnabled:b?#22 controllerNamespace:s?#23 appsInAnyNamespaceEnabled:b?#24 impersonationEnabled:b?#25 installationID:s?#26 additionalUrls:[s#27 hydratorEnabled:b?#28 syncWithReplaceAllowed:b?#29
SettingsPluginsResponse plugins:[Plugin#1
SettingsQuery
# core k8s.io.api.core.v1
LoadBalancerIngress ip:s#1 hostname:s#2 ipMode:s^#3 ports:[PortStatus#4
NodeSwapStatus capacity:l^#1
NodeSystemInfo machineID:s#1 systemUUID:s#2 bootID:s#3 kernelVersion:s#4 osImage:s#5 containerRuntimeVersion:s#6 kubeletVersion:s#7 kubeProxyVersion:s#8 operatingSystem:s#9 architecture:s#10 swap:NodeSwapStatus^#11
PortStatus port:i#1 protocol:s#2 error:s^#3
# events events
Event metadata:meta.ObjectMeta#1 involvedObject:ObjectReference#2 reason:s?#3 message:s?#4 source:EventSource#5 firstTimestamp:T#6 lastTimestamp:T#7 count:i?#8 type:s?#9 eventTime:M#10 series:EventSeries^#11 action:s?#12 related:ObjectReference^#13 reportingComponent:s?#14 reportingInstance:s?#15
EventList metadata:meta.ListMeta#1 items:[Event#2
EventSeries count:i?#1 lastObservedTime:M#2
EventSource component:s?#1 host:s?#2
ObjectReference kind:s?#1 namespace:s?#2 name:s?#3 uid:s?#4 apiVersion:s?#5 resourceVersion:s?#6 fieldPath:s?#7
# google google.protobuf
Empty
# gpgkey gpgkey
GnuPGPublicKeyCreateRequest publickey:v1alpha1.GnuPGPublicKey^#1 upsert:b?#2
GnuPGPublicKeyCreateResponse created:v1alpha1.GnuPGPublicKeyList^#1 skipped:[s#2
GnuPGPublicKeyQuery keyID:s?#1
GnuPGPublicKeyResponse
# meta k8s.io.apimachinery.pkg.apis.meta.v1
GroupKind group:s#1 kind:s#2
LabelSelector matchLabels:{s#1 matchExpressions:[LabelSelectorRequirement#2
LabelSelectorRequirement key:s#1 operator:s#2 values:[s#3
ListMeta selfLink:s#1 resourceVersion:s#2 continue:s#3 remainingItemCount:l^#4 shardInfo:ShardInfo^#5
ManagedFieldsEntry manager:s#1 operation:s#2 apiVersion:s#3 time:T^#4 fieldsType:s#6 fieldsV1:R^#7 subresource:s#8
ObjectMeta name:s#1 generateName:s#2 namespace:s#3 selfLink:s#4 uid:s#5 resourceVersion:s#6 generation:l#7 creationTimestamp:T#8 deletionTimestamp:T^#9 deletionGracePeriodSeconds:l^#10 labels:{s#11 annotations:{s#12 ownerReferences:[OwnerReference#13 finalizers:[s#14 managedFields:[ManagedFieldsEntry#17
OwnerReference kind:s#1 name:s#3 uid:s#4 apiVersion:s#5 controller:b^#6 blockOwnerDeletion:b^#7
ShardInfo selector:s#1
# notification notification
Service name:s!#1
ServiceList items:[Service#1
ServicesListRequest
Template name:s!#1
TemplateList items:[Template#1
TemplatesListRequest
Trigger name:s!#1
TriggerList items:[Trigger#1
TriggersListRequest
# oidc github.com.argoproj.argo_cd.server.settings.oidc
Claim essential:b?#1 value:s?#2 values:[s#3
# project project
DetailedProjectsResponse globalProjects:[v1alpha1.AppProject#1 project:v1alpha1.AppProject^#2 repositories:[v1alpha1.Repository#3 clusters:[v1alpha1.Cluster#4
EmptyResponse
GlobalProjectsResponse items:[v1alpha1.AppProject#1
ListProjectLinksRequest name:s?#1
ProjectCreateRequest project:v1alpha1.AppProject^#1 upsert:b?#2
ProjectQuery name:s?#1
ProjectTokenCreateRequest project:s?#1 description:s?#2 role:s?#3 expiresIn:l?#4 id:s?#5
ProjectTokenDeleteRequest project:s?#1 role:s?#2 iat:l?#3 id:s?#4
ProjectTokenResponse token:s?#1
ProjectUpdateRequest project:v1alpha1.AppProject^#1
SyncWindowsQuery name:s?#1
SyncWindowsResponse windows:[v1alpha1.SyncWindow#1
# repocreds repocreds
RepoCredsCreateRequest creds:v1alpha1.RepoCreds^#1 upsert:b?#2
RepoCredsDeleteRequest url:s?#1
RepoCredsQuery url:s?#1
RepoCredsResponse
RepoCredsUpdateRequest creds:v1alpha1.RepoCreds^#1
# repository repository
AppInfo type:s?#1 path:s?#2
DirectoryAppSpec
HelmAppSpec name:s?#1 valueFiles:[s#3 parameters:[v1alpha1.HelmParameter#4 values:s?#5 fileParameters:[v1alpha1.HelmFileParameter#6
HelmChart name:s?#1 versions:[s#2
HelmChartsResponse items:[HelmChart#1
KustomizeAppSpec images:[s#3
ManifestResponse manifests:[s#1 namespace:s?#2 server:s?#3 revision:s?#4 sourceType:s?#6 verifyResult:s?#7 commands:[s#8 sourceIntegrityResult:v1alpha1.SourceIntegrityCheckResult^#9
ParameterAnnouncement name:s?#1 title:s?#2 tooltip:s?#3 required:b?#4 itemType:s?#5 collectionType:s?#6 string:s?#7 array:[s#8 map:{s#9
PluginAppSpec parametersAnnouncement:[ParameterAnnouncement#1
Refs branches:[s#1 tags:[s#2
RepoAccessQuery repo:s?#1 username:s?#2 password:s?#3 sshPrivateKey:s?#4 insecure:b?#5 tlsClientCertData:s?#6 tlsClientCertKey:s?#7 type:s?#9 name:s?#10 enableOci:b?#11 githubAppPrivateKey:s?#12 githubAppID:l?#13 githubAppInstallationID:l?#14 githubAppEnterpriseBaseUrl:s?#15 proxy:s?#16 project:s?#17 gcpServiceAccountKey:s?#18 forceHttpBasicAuth:b?#19 useAzureWorkloadIdentity:b?#20 bearerToken:s?#21 insecureOciForceHttp:b?#22 azureServicePrincipalClientId:s?#23 azureServicePrincipalClientSecret:s?#24 azureServicePrincipalTenantId:s?#25 azureActiveDirectoryEndpoint:s?#26
RepoAppDetailsQuery source:v1alpha1.ApplicationSource^#1 appName:s?#2 appProject:s?#3 sourceIndex:i?#4 versionId:i?#5
RepoAppDetailsResponse type:s?#1 helm:HelmAppSpec^#3 kustomize:KustomizeAppSpec^#4 directory:DirectoryAppSpec^#5 plugin:PluginAppSpec^#6
RepoAppsQuery repo:s?#1 revision:s?#2 appName:s?#3 appProject:s?#4
RepoAppsResponse items:[AppInfo#1
RepoCreateRequest repo:v1alpha1.Repository^#1 upsert:b?#2 credsOnly:b?#3
RepoQuery repo:s?#1 forceRefresh:b?#2 appProject:s?#3
RepoResponse
RepoUpdateRequest repo:v1alpha1.Repository^#1
# session session
GetUserInfoRequest
GetUserInfoResponse loggedIn:b?#1 username:s?#2 iss:s?#3 groups:[s#4
SessionCreateRequest username:s?#1 password:s?#2 token:s?#3
SessionDeleteRequest
SessionResponse token:s?#1
# v1alpha1 github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1
AWSAuthConfig clusterName:s#1 roleARN:s#2 profile:s#3
AppHealthStatus status:s#1 message:s#2 lastTransitionTime:T^#3
AppProject metadata:meta.ObjectMeta#1 spec:AppProjectSpec#2 status:AppProjectStatus#3
AppProjectList metadata:meta.ListMeta#1 items:[AppProject#2
AppProjectSpec sourceRepos:[s#1 destinations=destination:[ApplicationDestination#2 description:s#3 roles:[ProjectRole#4 clusterResourceWhitelist:[ClusterResourceRestrictionItem#5 namespaceResourceBlacklist:[meta.GroupKind#6 orphanedResources:OrphanedResourcesMonitorSettings^#7 syncWindows:[SyncWindow#8 namespaceResourceWhitelist:[meta.GroupKind#9 signatureKeys:[SignatureKey#10 clusterResourceBlacklist:[ClusterResourceRestrictionItem#11 sourceNamespaces:[s#12 permitOnlyProjectScopedClusters:b#13 destinationServiceAccounts:[ApplicationDestinationServiceAccount#14 sourceIntegrity:SourceIntegrity^#15
AppProjectStatus jwtTokensByRole:{JWTTokens#1
Application metadata:meta.ObjectMeta#1 spec:ApplicationSpec#2 status:ApplicationStatus#3 operation:Operation^#4
ApplicationCondition type:s#1 message:s#2 lastTransitionTime:T^#3
ApplicationDestination server:s#1 namespace:s#2 name:s#3
ApplicationDestinationServiceAccount server:s#1 namespace:s#2 defaultServiceAccount:s#3
ApplicationList metadata:meta.ListMeta#1 items:[Application#2
ApplicationMatchExpression key:s#1 operator:s#2 values:[s#3
ApplicationPreservedFields annotations:[s#1 labels:[s#2
ApplicationSet metadata:meta.ObjectMeta#1 spec:ApplicationSetSpec#2 status:ApplicationSetStatus#3
ApplicationSetApplicationStatus application:s#1 lastTransitionTime:T^#2 message:s#3 status:s#4 step:s#5 targetRevisions=targetrevisions:[s#6
ApplicationSetCondition type:s#1 message:s#2 lastTransitionTime:T^#3 status:s#4 reason:s#5
ApplicationSetGenerator list:ListGenerator^#1 clusters:ClusterGenerator^#2 git:GitGenerator^#3 scmProvider:SCMProviderGenerator^#4 clusterDecisionResource:DuckTypeGenerator^#5 pullRequest:PullRequestGenerator^#6 matrix:MatrixGenerator^#7 merge:MergeGenerator^#8 selector:meta.LabelSelector^#9 plugin:PluginGenerator^#10
ApplicationSetList metadata:meta.ListMeta#1 items:[ApplicationSet#2
ApplicationSetNestedGenerator list:ListGenerator^#1 clusters:ClusterGenerator^#2 git:GitGenerator^#3 scmProvider:SCMProviderGenerator^#4 clusterDecisionResource:DuckTypeGenerator^#5 pullRequest:PullRequestGenerator^#6 matrix:R^#7 merge:R^#8 selector:meta.LabelSelector^#9 plugin:PluginGenerator^#10
ApplicationSetResourceIgnoreDifferences name:s#1 jsonPointers:[s#2 jqPathExpressions=jqExpressions:[s#3
ApplicationSetRolloutStep matchExpressions:[ApplicationMatchExpression#1 maxUpdate:X^#2
ApplicationSetRolloutStrategy steps:[ApplicationSetRolloutStep#1
ApplicationSetSpec goTemplate:b#1 generators:[ApplicationSetGenerator#2 template:ApplicationSetTemplate#3 syncPolicy:ApplicationSetSyncPolicy^#4 strategy:ApplicationSetStrategy^#5 preservedFields:ApplicationPreservedFields^#6 goTemplateOptions:[s#7 applyNestedSelectors:b#8 ignoreApplicationDifferences:[ApplicationSetResourceIgnoreDifferences#9 templatePatch:s^#10
ApplicationSetStatus conditions:[ApplicationSetCondition#1 applicationStatus:[ApplicationSetApplicationStatus#2 resources:[ResourceStatus#3 resourcesCount:l#4 health:HealthStatus#5
ApplicationSetStrategy type:s#1 rollingSync:ApplicationSetRolloutStrategy^#2 deletionOrder:s#3
ApplicationSetSyncPolicy preserveResourcesOnDeletion=syncPolicy:b#1 applicationsSync:s^#2
ApplicationSetTemplate metadata:ApplicationSetTemplateMeta#1 spec:ApplicationSpec#2
ApplicationSetTemplateMeta name:s#1 namespace:s#2 labels:{s#3 annotations:{s#4 finalizers:[s#5
ApplicationSetTree nodes:[ResourceNode#1
ApplicationSetWatchEvent type:s#1 applicationSet:ApplicationSet#2
ApplicationSource repoURL:s#1 path:s#2 targetRevision:s#4 helm:ApplicationSourceHelm^#7 kustomize:ApplicationSourceKustomize^#8 directory:ApplicationSourceDirectory^#10 plugin:ApplicationSourcePlugin^#11 chart:s#12 ref:s#13 name:s#14 tagPrefix:s#15
ApplicationSourceDirectory recurse:b#1 jsonnet:ApplicationSourceJsonnet#2 exclude:s#3 include:s#4
ApplicationSourceHelm valueFiles:[s#1 parameters:[HelmParameter#2 releaseName:s#3 values:s#4 fileParameters:[HelmFileParameter#5 version:s#6 passCredentials:b#7 ignoreMissingValueFiles:b#8 skipCrds:b#9 valuesObject:R^#10 namespace:s#11 kubeVersion:s#12 apiVersions:[s#13 skipTests:b#14 skipSchemaValidation:b#15
ApplicationSourceJsonnet extVars:[JsonnetVar#1 tlas:[JsonnetVar#2 libs:[s#3
ApplicationSourceKustomize namePrefix:s#1 nameSuffix:s#2 images:[s#3 commonLabels:{s#4 version:s#5 commonAnnotations:{s#6 forceCommonLabels:b#7 forceCommonAnnotations:b#8 namespace:s#9 commonAnnotationsEnvsubst:b#10 replicas:[KustomizeReplica#11 patches:[KustomizePatch#12 components:[s#13 labelWithoutSelector:b#14 kubeVersion:s#15 apiVersions:[s#16 ignoreMissingComponents:b#17 labelIncludeTemplates:b#18
ApplicationSourcePlugin name:s#1 env:[EnvEntry#2 parameters:[ApplicationSourcePluginParameter#3
ApplicationSourcePluginParameter name:s#1 =map:OptionalMap^#3 =array:OptionalArray^#4 string:s^#5
ApplicationSpec source:ApplicationSource^#1 destination:ApplicationDestination#2 project:s#3 syncPolicy:SyncPolicy^#4 ignoreDifferences:[ResourceIgnoreDifferences#5 info:[Info#6 revisionHistoryLimit:l^#7 sources:[ApplicationSource#8 sourceHydrator:SourceHydrator^#9
ApplicationStatus resources:[ResourceStatus#1 sync:SyncStatus#2 health:AppHealthStatus#3 history:[RevisionHistory#4 conditions:[ApplicationCondition#5 reconciledAt:T^#6 operationState:OperationState^#7 observedAt:T^#8 sourceType:s#9 summary:ApplicationSummary#10 resourceHealthSource:s#11 sourceTypes:[s#12 controllerNamespace:s#13 sourceHydrator:SourceHydratorStatus#14
ApplicationSummary externalURLs:[s#1 images:[s#2 isAppOfApps:b#3
ApplicationTree nodes:[ResourceNode#1 orphanedNodes:[ResourceNode#2 hosts:[HostInfo#3 shardsCount:l#4
ApplicationWatchEvent type:s#1 application:Application#2
Backoff duration:s#1 factor:l^#2 maxDuration:s#3
BasicAuthBitbucketServer username:s#1 passwordRef:SecretRef^#2
BearerTokenBitbucket tokenRef:SecretRef^#1
BearerTokenBitbucketCloud tokenRef:SecretRef^#1
ChartDetails description:s#1 home:s#2 maintainers:[s#3
Cluster server:s#1 name:s#2 config:ClusterConfig#3 connectionState:ConnectionState#4 serverVersion:s#5 namespaces:[s#6 refreshRequestedAt:T^#7 info:ClusterInfo#8 shard:l^#9 clusterResources:b#10 project:s#11 labels:{s#12 annotations:{s#13
ClusterCacheInfo resourcesCount:l#1 apisCount:l#2 lastCacheSyncTime:T^#3
ClusterConfig username:s#1 password:s#2 bearerToken:s#3 tlsClientConfig:TLSClientConfig#4 awsAuthConfig:AWSAuthConfig^#5 execProviderConfig:ExecProviderConfig^#6 disableCompression:b#7 proxyUrl:s#8
ClusterGenerator selector:meta.LabelSelector#1 template:ApplicationSetTemplate#2 values:{s#3 flatList:b#4
ClusterInfo connectionState:ConnectionState#1 serverVersion:s#2 cacheInfo:ClusterCacheInfo#3 applicationsCount:l#4 apiVersions:[s#5
ClusterList metadata:meta.ListMeta#1 items:[Cluster#2
ClusterResourceRestrictionItem group:s#1 kind:s#2 name:s#3
Command command:[s#1 args:[s#2
CommitMetadata author:s#1 date:s#2 subject:s#3 body:s#4 sha:s#5 repoUrl:s#6
ComparedTo source:ApplicationSource#1 destination:ApplicationDestination#2 sources:[ApplicationSource#3 ignoreDifferences:[ResourceIgnoreDifferences#4
ConfigManagementPlugin name:s#1 init:Command^#2 generate:Command#3 lockRepo:b#4
ConfigMapKeyRef configMapName:s#1 key:s#2
ConnectionState status:s#1 message:s#2 attemptedAt:T^#3
DrySource repoURL:s#1 targetRevision:s#2 path:s#3 helm:ApplicationSourceHelm^#4 kustomize:ApplicationSourceKustomize^#5 directory:ApplicationSourceDirectory^#6 plugin:ApplicationSourcePlugin^#7
DuckTypeGenerator configMapRef:s#1 name:s#2 requeueAfterSeconds:l^#3 labelSelector:meta.LabelSelector#4 template:ApplicationSetTemplate#5 values:{s#6
EnvEntry name:s#1 value:s#2
ExecProviderConfig command:s#1 args:[s#2 env:{s#3 apiVersion:s#4 installHint:s#5 provideClusterInfo:b#6 config:R^#7
GitDirectoryGeneratorItem path:s#1 exclude:b#2
GitFileGeneratorItem path:s#1 exclude:b#2
GitGenerator repoURL:s#1 directories:[GitDirectoryGeneratorItem#2 files:[GitFileGeneratorItem#3 revision:s#4 requeueAfterSeconds:l^#5 template:ApplicationSetTemplate#6 pathParamPrefix:s#7 values:{s#8
GnuPGPublicKey keyID:s#1 fingerprint:s#2 owner:s#3 trust:s#4 subType:s#5 keyData:s#6
GnuPGPublicKeyList metadata:meta.ListMeta#1 items:[GnuPGPublicKey#2
HealthStatus status:s#1 message:s#2 lastTransitionTime:T^#3
HelmFileParameter name:s#1 path:s#2
HelmParameter name:s#1 value:s#2 forceString:b#3
HostInfo name:s#1 resourcesInfo:[HostResourceInfo#2 systemInfo:core.NodeSystemInfo#3 labels:{s#4
HostResourceInfo resourceName:s#1 requestedByApp:l#2 requestedByNeighbors:l#3 capacity:l#4
HydrateOperation startedAt:T#1 finishedAt:T^#2 phase:s#3 message:s#4 drySHA:s#5 hydratedSHA:s#6 sourceHydrator:SourceHydrator#7
HydrateTo targetBranch:s#1
Info name:s#1 value:s#2
InfoItem name:s#1 value:s#2
JWTToken iat:l#1 exp:l#2 id:s#3
JWTTokens items:[JWTToken#1
JsonnetVar name:s#1 value:s#2 code:b#3
KnownTypeField field:s#1 type:s#2
KustomizeGvk group:s#1 version:s#2 kind:s#3
KustomizeOptions BuildOptions=buildOptions:s#1 BinaryPath=binaryPath:s#2 Versions=versions:[KustomizeVersion#3
KustomizePatch path:s#1 patch:s#2 target:KustomizeSelector^#3 options:{b#4
KustomizeReplica name:s#1 count:X#2
KustomizeResId =gvk:KustomizeGvk#1 name:s#2 namespace:s#3
KustomizeSelector =resId:KustomizeResId#1 annotationSelector:s#2 labelSelector:s#3
KustomizeVersion Name=name:s#1 Path=path:s#2 BuildOptions=buildOptions:s#3
ListGenerator elements:[R#1 template:ApplicationSetTemplate#2 elementsYaml:s#3
ManagedNamespaceMetadata labels:{s#1 annotations:{s#2
MatrixGenerator generators:[ApplicationSetNestedGenerator#1 template:ApplicationSetTemplate#2
MergeGenerator generators:[ApplicationSetNestedGenerator#1 mergeKeys:[s#2 template:ApplicationSetTemplate#3
OCIMetadata createdAt:s#1 authors:s#2 imageUrl:s#3 docsUrl:s#4 sourceUrl:s#5 version:s#6 description:s#7
Operation sync:SyncOperation^#1 initiatedBy:OperationInitiator#2 info:[Info#3 retry:RetryStrategy#4
OperationInitiator username:s#1 automated:b#2
OperationState operation:Operation#1 phase:s#2 message:s#3 syncResult:SyncOperationResult^#4 startedAt:T#6 finishedAt:T^#7 retryCount:l#8
OptionalArray array:[s#1
OptionalMap map:{s#1
OrphanedResourceKey group:s#1 kind:s#2 name:s#3
OrphanedResourcesMonitorSettings warn:b^#1 ignore:[OrphanedResourceKey#2
OverrideIgnoreDiff jsonPointers=jSONPointers:[s#1 jqPathExpressions:[s#2 managedFieldsManagers:[s#3
PluginConfigMapRef name:s#1
PluginGenerator configMapRef:PluginConfigMapRef#1 input:PluginInput#2 requeueAfterSeconds:l^#3 template:ApplicationSetTemplate#4 values:{s#5
PluginInput parameters:{R#1
ProjectRole name:s#1 description:s#2 policies:[s#3 jwtTokens:[JWTToken#4 groups:[s#5
PullRequestGenerator github:PullRequestGeneratorGithub^#1 gitlab:PullRequestGeneratorGitLab^#2 gitea:PullRequestGeneratorGitea^#3 bitbucketServer:PullRequestGeneratorBitbucketServer^#4 filters:[PullRequestGeneratorFilter#5 requeueAfterSeconds:l^#6 template:ApplicationSetTemplate#7 bitbucket:PullRequestGeneratorBitbucket^#8 azuredevops:PullRequestGeneratorAzureDevOps^#9 values:{s#10 continueOnRepoNotFoundError:b#11
PullRequestGeneratorAzureDevOps organization:s#1 project:s#2 repo:s#3 api:s#4 tokenRef:SecretRef^#5 labels:[s#6
PullRequestGeneratorBitbucket owner:s#1 repo:s#2 api:s#3 basicAuth:BasicAuthBitbucketServer^#4 bearerToken:BearerTokenBitbucketCloud^#5
PullRequestGeneratorBitbucketServer project:s#1 repo:s#2 api:s#3 basicAuth:BasicAuthBitbucketServer^#4 bearerToken:BearerTokenBitbucket^#5 insecure:b#6 caRef:ConfigMapKeyRef^#7
PullRequestGeneratorFilter branchMatch:s^#1 targetBranchMatch:s^#2 titleMatch:s^#3
PullRequestGeneratorGitLab project:s#1 api:s#2 tokenRef:SecretRef^#3 labels:[s#4 pullRequestState:s#5 insecure:b#6 caRef:ConfigMapKeyRef^#7
PullRequestGeneratorGitea owner:s#1 repo:s#2 api:s#3 tokenRef:SecretRef^#4 insecure:b#5 labels:[s#6
PullRequestGeneratorGithub owner:s#1 repo:s#2 api:s#3 tokenRef:SecretRef^#4 appSecretName:s#5 labels:[s#6
RepoCreds url:s#1 username:s#2 password:s#3 sshPrivateKey:s#4 tlsClientCertData:s#5 tlsClientCertKey:s#6 githubAppPrivateKey:s#7 githubAppID:l#8 githubAppInstallationID:l#9 githubAppEnterpriseBaseUrl:s#10 enableOCI:b#11 type:s#12 gcpServiceAccountKey:s#13 proxy:s#19 forceHttpBasicAuth:b#20 noProxy:s#23 useAzureWorkloadIdentity:b#24 bearerToken:s#25 insecureOCIForceHttp:b#26 azureServicePrincipalClientId:s#29 azureServicePrincipalClientSecret:s#30 azureServicePrincipalTenantId:s#31 azureActiveDirectoryEndpoint:s#32
RepoCredsList metadata:meta.ListMeta#1 items:[RepoCreds#2
Repository repo:s#1 username:s#2 password:s#3 sshPrivateKey:s#4 connectionState:ConnectionState#5 insecureIgnoreHostKey:b#6 insecure:b#7 enableLfs:b#8 tlsClientCertData:s#9 tlsClientCertKey:s#10 type:s#11 name:s#12 inheritedCreds:b#13 enableOCI:b#14 githubAppPrivateKey:s#15 githubAppID:l#16 githubAppInstallationID:l#17 githubAppEnterpriseBaseUrl:s#18 proxy:s#19 project:s#20 gcpServiceAccountKey:s#21 forceHttpBasicAuth:b#22 noProxy:s#23 useAzureWorkloadIdentity:b#24 bearerToken:s#25 insecureOCIForceHttp:b#26 depth:l#27 webhookManifestCacheWarmDisabled:b#28 azureServicePrincipalClientId:s#29 azureServicePrincipalClientSecret:s#30 azureServicePrincipalTenantId:s#31 azureActiveDirectoryEndpoint:s#32
RepositoryCertificate serverName:s#1 certType:s#2 certSubType:s#3 certData:B?#4 certInfo:s#5
RepositoryCertificateList metadata:meta.ListMeta#1 items:[RepositoryCertificate#2
RepositoryList metadata:meta.ListMeta#1 items:[Repository#2
ResourceAction name:s#1 params:[ResourceActionParam#2 disabled:b#3 iconClass:s#4 displayName:s#5
ResourceActionParam name:s#1
ResourceDiff group:s#1 kind:s#2 namespace:s#3 name:s#4 targetState:s#5 liveState:s#6 diff:s#7 hook:b#8 normalizedLiveState:s#9 predictedLiveState:s#10 resourceVersion:s#11 modified:b#12
ResourceIgnoreDifferences group:s#1 kind:s#2 name:s#3 namespace:s#4 jsonPointers:[s#5 jqPathExpressions:[s#6 managedFieldsManagers:[s#7
ResourceNetworkingInfo targetLabels:{s#1 targetRefs:[ResourceRef#2 labels:{s#3 ingress:[core.LoadBalancerIngress#4 externalURLs:[s#5
ResourceNode =resourceRef:ResourceRef#1 parentRefs:[ResourceRef#2 info:[InfoItem#3 networkingInfo:ResourceNetworkingInfo^#4 resourceVersion:s#5 images:[s#6 health:HealthStatus^#7 createdAt:T^#8
ResourceOverride health.lua=healthLua:s#1 ignoreDifferences:OverrideIgnoreDiff#2 actions:s#3 knownTypeFields:[KnownTypeField#4 health.lua.useOpenLibs=useOpenLibs:b#5 ignoreResourceUpdates:OverrideIgnoreDiff#6
ResourceRef group:s#1 version:s#2 kind:s#3 namespace:s#4 name:s#5 uid:s#6
ResourceResult group:s#1 version:s#2 kind:s#3 namespace:s#4 name:s#5 status:s#6 message:s#7 hookType:s#8 hookPhase:s#9 syncPhase:s#10 images:[s#11
ResourceStatus group:s#1 version:s#2 kind:s#3 namespace:s#4 name:s#5 status:s#6 health:HealthStatus^#7 hook:b#8 requiresPruning:b#9 syncWave:l#10 requiresDeletionConfirmation:b#11
RetryStrategy limit:l#1 backoff:Backoff^#2 refresh:b#3
RevisionHistory revision:s#2 deployedAt:T#4 id:l#5 source:ApplicationSource#6 deployStartedAt:T^#7 sources:[ApplicationSource#8 revisions:[s#9 initiatedBy:OperationInitiator#10
RevisionMetadata author:s#1 date:T^#2 tags:[s#3 message:s#4 signatureInfo:s#5 references:[RevisionReference#6 sourceIntegrityResult:SourceIntegrityCheckResult^#7
RevisionReference commit:CommitMetadata^#1
SCMProviderGenerator github:SCMProviderGeneratorGithub^#1 gitlab:SCMProviderGeneratorGitlab^#2 bitbucket:SCMProviderGeneratorBitbucket^#3 bitbucketServer:SCMProviderGeneratorBitbucketServer^#4 gitea:SCMProviderGeneratorGitea^#5 azureDevOps:SCMProviderGeneratorAzureDevOps^#6 filters:[SCMProviderGeneratorFilter#7 cloneProtocol:s#8 requeueAfterSeconds:l^#9 template:ApplicationSetTemplate#10 values:{s#11 awsCodeCommit:SCMProviderGeneratorAWSCodeCommit^#12
SCMProviderGeneratorAWSCodeCommit tagFilters:[TagFilter#1 role:s#2 region:s#3 allBranches:b#4
SCMProviderGeneratorAzureDevOps organization:s#5 api:s#6 teamProject:s#7 accessTokenRef:SecretRef^#8 allBranches:b#9
SCMProviderGeneratorBitbucket owner:s#1 user:s#2 appPasswordRef:SecretRef^#3 allBranches:b#4
SCMProviderGeneratorBitbucketServer project:s#1 api:s#2 basicAuth:BasicAuthBitbucketServer^#3 allBranches:b#4 bearerToken:BearerTokenBitbucket^#5 insecure:b#6 caRef:ConfigMapKeyRef^#7
SCMProviderGeneratorFilter repositoryMatch:s^#1 pathsExist:[s#2 pathsDoNotExist:[s#3 labelMatch:s^#4 branchMatch:s^#5
SCMProviderGeneratorGitea owner:s#1 api:s#2 tokenRef:SecretRef^#3 allBranches:b#4 insecure:b#5 excludeArchivedRepos:b#6
SCMProviderGeneratorGithub organization:s#1 api:s#2 tokenRef:SecretRef^#3 appSecretName:s#4 allBranches:b#5 excludeArchivedRepos:b#6
SCMProviderGeneratorGitlab group:s#1 includeSubgroups:b#2 api:s#3 tokenRef:SecretRef^#4 allBranches:b#5 insecure:b#6 includeSharedProjects:b^#7 topic:s#8 caRef:ConfigMapKeyRef^#9 includeArchivedRepos:b#10
SecretRef secretName:s#1 key:s#2
SignatureKey keyID:s#1
SourceHydrator drySource:DrySource#1 syncSource:SyncSource#2 hydrateTo:HydrateTo^#3
SourceHydratorStatus lastSuccessfulOperation:SuccessfulHydrateOperation^#1 currentOperation:HydrateOperation^#2 lastComparedDryRevision:s#3
SourceIntegrity git:SourceIntegrityGit^#1
SourceIntegrityCheckResult Checks=checks:[SourceIntegrityCheckResultItem#1
SourceIntegrityCheckResultItem Name=name:s#1 Problems=problems:[s#2
SourceIntegrityGit policies:[SourceIntegrityGitPolicy#1
SourceIntegrityGitPolicy repos:[SourceIntegrityGitPolicyRepo#1 gpg:SourceIntegrityGitPolicyGPG^#2
SourceIntegrityGitPolicyGPG mode:s#1 keys:[s#3
SourceIntegrityGitPolicyRepo url:s#1
SuccessfulHydrateOperation drySHA:s#5 hydratedSHA:s#6 sourceHydrator:SourceHydrator#7
SyncOperation revision:s#1 prune:b#2 dryRun:b#3 syncStrategy:SyncStrategy^#4 resources:[SyncOperationResource#6 source:ApplicationSource^#7 manifests:[s#8 syncOptions:[s#9 sources:[ApplicationSource#10 revisions:[s#11 autoHealAttemptsCount:l#12
SyncOperationResource group:s#1 kind:s#2 name:s#3 namespace:s#4
SyncOperationResult resources:[ResourceResult#1 revision:s#2 source:ApplicationSource#3 sources:[ApplicationSource#4 revisions:[s#5 managedNamespaceMetadata:ManagedNamespaceMetadata^#6
SyncPolicy automated:SyncPolicyAutomated^#1 syncOptions:[s#2 retry:RetryStrategy^#3 managedNamespaceMetadata:ManagedNamespaceMetadata^#4
SyncPolicyAutomated prune:b^#1 selfHeal:b^#2 allowEmpty:b^#3 enabled:b^#4
SyncSource targetBranch:s#1 path:s#2 repoURL:s#3
SyncStatus status:s#1 comparedTo:ComparedTo#2 revision:s#3 revisions:[s#4
SyncStrategy apply:SyncStrategyApply^#1 hook:SyncStrategyHook^#2
SyncStrategyApply force:b#1
SyncStrategyHook =syncStrategyApply:SyncStrategyApply#1
SyncWindow kind:s#1 schedule:s#2 duration:s#3 applications:[s#4 namespaces:[s#5 clusters:[s#6 manualSync:b#7 timeZone:s#8 andOperator:b#9 description:s#10 syncOverrun:b#11
TLSClientConfig insecure:b#1 serverName:s#2 certData:B?#3 keyData:B?#4 caData:B?#5
TagFilter key:s#1 value:s#2
# version version
VersionMessage Version:s?#1 BuildDate:s?#2 GitCommit:s?#3 GitTag:s?#4 GitTreeState:s?#5 GoVersion:s?#6 Compiler:s?#7 Platform:s?#8 KustomizeVersion:s?#10 HelmVersion:s?#11 KubectlVersion:s?#12 JsonnetVersion:s?#13 ExtraBuildInfo:s?#14
`;
