// Generated from the Go types of Argo CD 3.5.6; not edited by hand. ../services.ts says how to read it.
/** The methods of its API, one line each. */
export const methodLines = `version.VersionService/Version google.Empty > version.VersionMessage GET /api/version
session.SessionService/GetUserInfo session.GetUserInfoRequest > session.GetUserInfoResponse GET /api/v1/session/userinfo
session.SessionService/Create session.SessionCreateRequest > session.SessionResponse POST /api/v1/session *
session.SessionService/Delete session.SessionDeleteRequest > session.SessionResponse DELETE /api/v1/session
cluster.SettingsService/Get cluster.SettingsQuery > cluster.Settings GET /api/v1/settings
cluster.SettingsService/GetPlugins cluster.SettingsQuery > cluster.SettingsPluginsResponse GET /api/v1/settings/plugins
application.ApplicationService/List application.ApplicationQuery > v1alpha1.ApplicationList GET /api/v1/applications
application.ApplicationService/ListResourceEvents application.ApplicationResourceEventsQuery > events.EventList GET /api/v1/applications/{name}/events
application.ApplicationService/Watch application.ApplicationQuery >> v1alpha1.ApplicationWatchEvent GET /api/v1/stream/applications
application.ApplicationService/Create application.ApplicationCreateRequest > v1alpha1.Application POST /api/v1/applications application
application.ApplicationService/Get application.ApplicationQuery > v1alpha1.Application GET /api/v1/applications/{name}
application.ApplicationService/GetApplicationSyncWindows application.ApplicationSyncWindowsQuery > application.ApplicationSyncWindowsResponse GET /api/v1/applications/{name}/syncwindows
application.ApplicationService/RevisionMetadata application.RevisionMetadataQuery > v1alpha1.RevisionMetadata GET /api/v1/applications/{name}/revisions/{revision}/metadata
application.ApplicationService/RevisionChartDetails application.RevisionMetadataQuery > v1alpha1.ChartDetails GET /api/v1/applications/{name}/revisions/{revision}/chartdetails
application.ApplicationService/GetOCIMetadata application.RevisionMetadataQuery > v1alpha1.OCIMetadata GET /api/v1/applications/{name}/revisions/{revision}/ocimetadata
application.ApplicationService/GetManifests application.ApplicationManifestQuery > repository.ManifestResponse GET /api/v1/applications/{name}/manifests
application.ApplicationService/GetManifestsWithFiles application.ApplicationManifestQueryWithFilesWrapper >< repository.ManifestResponse POST /api/v1/applications/manifestsWithFiles *
application.ApplicationService/Update application.ApplicationUpdateRequest > v1alpha1.Application PUT /api/v1/applications/{application.metadata.name} application
application.ApplicationService/UpdateSpec application.ApplicationUpdateSpecRequest > v1alpha1.ApplicationSpec PUT /api/v1/applications/{name}/spec spec
application.ApplicationService/Patch application.ApplicationPatchRequest > v1alpha1.Application PATCH /api/v1/applications/{name} *
application.ApplicationService/Delete application.ApplicationDeleteRequest > application.ApplicationResponse DELETE /api/v1/applications/{name}
application.ApplicationService/Sync application.ApplicationSyncRequest > v1alpha1.Application POST /api/v1/applications/{name}/sync *
application.ApplicationService/ManagedResources application.ResourcesQuery > application.ManagedResourcesResponse GET /api/v1/applications/{applicationName}/managed-resources
application.ApplicationService/ServerSideDiff application.ApplicationServerSideDiffQuery > application.ApplicationServerSideDiffResponse GET /api/v1/applications/{appName}/server-side-diff
application.ApplicationService/ResourceTree application.ResourcesQuery > v1alpha1.ApplicationTree GET /api/v1/applications/{applicationName}/resource-tree
application.ApplicationService/WatchResourceTree application.ResourcesQuery >> v1alpha1.ApplicationTree GET /api/v1/stream/applications/{applicationName}/resource-tree
application.ApplicationService/Rollback application.ApplicationRollbackRequest > v1alpha1.Application POST /api/v1/applications/{name}/rollback *
application.ApplicationService/TerminateOperation application.OperationTerminateRequest > application.OperationTerminateResponse DELETE /api/v1/applications/{name}/operation
application.ApplicationService/GetResource application.ApplicationResourceRequest > application.ApplicationResourceResponse GET /api/v1/applications/{name}/resource
application.ApplicationService/PatchResource application.ApplicationResourcePatchRequest > application.ApplicationResourceResponse POST /api/v1/applications/{name}/resource patch
application.ApplicationService/ListResourceActions application.ApplicationResourceRequest > application.ResourceActionsListResponse GET /api/v1/applications/{name}/resource/actions
application.ApplicationService/RunResourceAction application.ResourceActionRunRequest > application.ApplicationResponse POST /api/v1/applications/{name}/resource/actions action
application.ApplicationService/RunResourceActionV2 application.ResourceActionRunRequestV2 > application.ApplicationResponse POST /api/v1/applications/{name}/resource/actions/v2 *
application.ApplicationService/DeleteResource application.ApplicationResourceDeleteRequest > application.ApplicationResponse DELETE /api/v1/applications/{name}/resource
application.ApplicationService/PodLogs application.ApplicationPodLogsQuery >> application.LogEntry GET /api/v1/applications/{name}/pods/{podName}/logs | GET /api/v1/applications/{name}/logs
application.ApplicationService/ListLinks application.ListAppLinksRequest > application.LinksResponse GET /api/v1/applications/{name}/links
application.ApplicationService/ListResourceLinks application.ApplicationResourceRequest > application.LinksResponse GET /api/v1/applications/{name}/resource/links
applicationset.ApplicationSetService/Get applicationset.ApplicationSetGetQuery > v1alpha1.ApplicationSet GET /api/v1/applicationsets/{name}
applicationset.ApplicationSetService/Generate applicationset.ApplicationSetGenerateRequest > applicationset.ApplicationSetGenerateResponse POST /api/v1/applicationsets/generate *
applicationset.ApplicationSetService/List applicationset.ApplicationSetListQuery > v1alpha1.ApplicationSetList GET /api/v1/applicationsets
applicationset.ApplicationSetService/Create applicationset.ApplicationSetCreateRequest > v1alpha1.ApplicationSet POST /api/v1/applicationsets applicationset
applicationset.ApplicationSetService/Delete applicationset.ApplicationSetDeleteRequest > applicationset.ApplicationSetResponse DELETE /api/v1/applicationsets/{name}
applicationset.ApplicationSetService/ResourceTree applicationset.ApplicationSetTreeQuery > v1alpha1.ApplicationSetTree GET /api/v1/applicationsets/{name}/resource-tree
applicationset.ApplicationSetService/ListResourceEvents applicationset.ApplicationSetGetQuery > events.EventList GET /api/v1/applicationsets/{name}/events
applicationset.ApplicationSetService/Watch applicationset.ApplicationSetWatchQuery >> v1alpha1.ApplicationSetWatchEvent GET /api/v1/stream/applicationsets
project.ProjectService/CreateToken project.ProjectTokenCreateRequest > project.ProjectTokenResponse POST /api/v1/projects/{project}/roles/{role}/token *
project.ProjectService/DeleteToken project.ProjectTokenDeleteRequest > project.EmptyResponse DELETE /api/v1/projects/{project}/roles/{role}/token/{iat}
project.ProjectService/Create project.ProjectCreateRequest > v1alpha1.AppProject POST /api/v1/projects *
project.ProjectService/List project.ProjectQuery > v1alpha1.AppProjectList GET /api/v1/projects
project.ProjectService/GetDetailedProject project.ProjectQuery > project.DetailedProjectsResponse GET /api/v1/projects/{name}/detailed
project.ProjectService/Get project.ProjectQuery > v1alpha1.AppProject GET /api/v1/projects/{name}
project.ProjectService/GetGlobalProjects project.ProjectQuery > project.GlobalProjectsResponse GET /api/v1/projects/{name}/globalprojects
project.ProjectService/Update project.ProjectUpdateRequest > v1alpha1.AppProject PUT /api/v1/projects/{project.metadata.name} *
project.ProjectService/Delete project.ProjectQuery > project.EmptyResponse DELETE /api/v1/projects/{name}
project.ProjectService/ListEvents project.ProjectQuery > events.EventList GET /api/v1/projects/{name}/events
project.ProjectService/GetSyncWindowsState project.SyncWindowsQuery > project.SyncWindowsResponse GET /api/v1/projects/{name}/syncwindows
project.ProjectService/ListLinks project.ListProjectLinksRequest > application.LinksResponse GET /api/v1/projects/{name}/links
cluster.ClusterService/List cluster.ClusterQuery > v1alpha1.ClusterList GET /api/v1/clusters
cluster.ClusterService/Create cluster.ClusterCreateRequest > v1alpha1.Cluster POST /api/v1/clusters cluster
cluster.ClusterService/Get cluster.ClusterQuery > v1alpha1.Cluster GET /api/v1/clusters/{id.value}
cluster.ClusterService/Update cluster.ClusterUpdateRequest > v1alpha1.Cluster PUT /api/v1/clusters/{id.value} cluster
cluster.ClusterService/Delete cluster.ClusterQuery > cluster.ClusterResponse DELETE /api/v1/clusters/{id.value}
cluster.ClusterService/RotateAuth cluster.ClusterQuery > cluster.ClusterResponse POST /api/v1/clusters/{id.value}/rotate-auth
cluster.ClusterService/InvalidateCache cluster.ClusterQuery > v1alpha1.Cluster POST /api/v1/clusters/{id.value}/invalidate-cache
repository.RepositoryService/List repository.RepoQuery > v1alpha1.RepositoryList GET /api/v1/repositories
repository.RepositoryService/Get repository.RepoQuery > v1alpha1.Repository GET /api/v1/repositories/{repo}
repository.RepositoryService/GetWrite repository.RepoQuery > v1alpha1.Repository GET /api/v1/write-repositories/{repo}
repository.RepositoryService/ListRepositories repository.RepoQuery > v1alpha1.RepositoryList GET /api/v1/repositories
repository.RepositoryService/ListWriteRepositories repository.RepoQuery > v1alpha1.RepositoryList GET /api/v1/write-repositories
repository.RepositoryService/ListRefs repository.RepoQuery > repository.Refs GET /api/v1/repositories/{repo}/refs
repository.RepositoryService/ListOCITags repository.RepoQuery > repository.Refs GET /api/v1/repositories/{repo}/oci-tags
repository.RepositoryService/ListApps repository.RepoAppsQuery > repository.RepoAppsResponse GET /api/v1/repositories/{repo}/apps
repository.RepositoryService/GetAppDetails repository.RepoAppDetailsQuery > repository.RepoAppDetailsResponse POST /api/v1/repositories/{source.repoURL}/appdetails *
repository.RepositoryService/GetHelmCharts repository.RepoQuery > repository.HelmChartsResponse GET /api/v1/repositories/{repo}/helmcharts
repository.RepositoryService/Create repository.RepoCreateRequest > v1alpha1.Repository POST /api/v1/repositories repo
repository.RepositoryService/CreateRepository repository.RepoCreateRequest > v1alpha1.Repository POST /api/v1/repositories repo
repository.RepositoryService/CreateWriteRepository repository.RepoCreateRequest > v1alpha1.Repository POST /api/v1/write-repositories repo
repository.RepositoryService/Update repository.RepoUpdateRequest > v1alpha1.Repository PUT /api/v1/repositories/{repo.repo} repo
repository.RepositoryService/UpdateRepository repository.RepoUpdateRequest > v1alpha1.Repository PUT /api/v1/repositories/{repo.repo} repo
repository.RepositoryService/UpdateWriteRepository repository.RepoUpdateRequest > v1alpha1.Repository PUT /api/v1/write-repositories/{repo.repo} repo
repository.RepositoryService/Delete repository.RepoQuery > repository.RepoResponse DELETE /api/v1/repositories/{repo}
repository.RepositoryService/DeleteRepository repository.RepoQuery > repository.RepoResponse DELETE /api/v1/repositories/{repo}
repository.RepositoryService/DeleteWriteRepository repository.RepoQuery > repository.RepoResponse DELETE /api/v1/write-repositories/{repo}
repository.RepositoryService/ValidateAccess repository.RepoAccessQuery > repository.RepoResponse POST /api/v1/repositories/{repo}/validate repo
repository.RepositoryService/ValidateWriteAccess repository.RepoAccessQuery > repository.RepoResponse POST /api/v1/write-repositories/{repo}/validate repo
repocreds.RepoCredsService/ListRepositoryCredentials repocreds.RepoCredsQuery > v1alpha1.RepoCredsList GET /api/v1/repocreds
repocreds.RepoCredsService/ListWriteRepositoryCredentials repocreds.RepoCredsQuery > v1alpha1.RepoCredsList GET /api/v1/write-repocreds
repocreds.RepoCredsService/CreateRepositoryCredentials repocreds.RepoCredsCreateRequest > v1alpha1.RepoCreds POST /api/v1/repocreds creds
repocreds.RepoCredsService/CreateWriteRepositoryCredentials repocreds.RepoCredsCreateRequest > v1alpha1.RepoCreds POST /api/v1/write-repocreds creds
repocreds.RepoCredsService/UpdateRepositoryCredentials repocreds.RepoCredsUpdateRequest > v1alpha1.RepoCreds PUT /api/v1/repocreds/{creds.url} creds
repocreds.RepoCredsService/UpdateWriteRepositoryCredentials repocreds.RepoCredsUpdateRequest > v1alpha1.RepoCreds PUT /api/v1/write-repocreds/{creds.url} creds
repocreds.RepoCredsService/DeleteRepositoryCredentials repocreds.RepoCredsDeleteRequest > repocreds.RepoCredsResponse DELETE /api/v1/repocreds/{url}
repocreds.RepoCredsService/DeleteWriteRepositoryCredentials repocreds.RepoCredsDeleteRequest > repocreds.RepoCredsResponse DELETE /api/v1/write-repocreds/{url}
account.AccountService/CanI account.CanIRequest > account.CanIResponse GET /api/v1/account/can-i/{resource}/{action}/{subresource=**}
account.AccountService/UpdatePassword account.UpdatePasswordRequest > account.UpdatePasswordResponse PUT /api/v1/account/password *
account.AccountService/ListAccounts account.ListAccountRequest > account.AccountsList GET /api/v1/account
account.AccountService/GetAccount account.GetAccountRequest > account.Account GET /api/v1/account/{name}
account.AccountService/CreateToken account.CreateTokenRequest > account.CreateTokenResponse POST /api/v1/account/{name}/token *
account.AccountService/DeleteToken account.DeleteTokenRequest > account.EmptyResponse DELETE /api/v1/account/{name}/token/{id}
certificate.CertificateService/ListCertificates certificate.RepositoryCertificateQuery > v1alpha1.RepositoryCertificateList GET /api/v1/certificates
certificate.CertificateService/CreateCertificate certificate.RepositoryCertificateCreateRequest > v1alpha1.RepositoryCertificateList POST /api/v1/certificates certificates
certificate.CertificateService/DeleteCertificate certificate.RepositoryCertificateQuery > v1alpha1.RepositoryCertificateList DELETE /api/v1/certificates
gpgkey.GPGKeyService/List gpgkey.GnuPGPublicKeyQuery > v1alpha1.GnuPGPublicKeyList GET /api/v1/gpgkeys
gpgkey.GPGKeyService/Get gpgkey.GnuPGPublicKeyQuery > v1alpha1.GnuPGPublicKey GET /api/v1/gpgkeys/{keyID}
gpgkey.GPGKeyService/Create gpgkey.GnuPGPublicKeyCreateRequest > gpgkey.GnuPGPublicKeyCreateResponse POST /api/v1/gpgkeys publickey
gpgkey.GPGKeyService/Delete gpgkey.GnuPGPublicKeyQuery > gpgkey.GnuPGPublicKeyResponse DELETE /api/v1/gpgkeys
notification.NotificationService/ListTriggers notification.TriggersListRequest > notification.TriggerList GET /api/v1/notifications/triggers
notification.NotificationService/ListServices notification.ServicesListRequest > notification.ServiceList GET /api/v1/notifications/services
notification.NotificationService/ListTemplates notification.TemplatesListRequest > notification.TemplateList GET /api/v1/notifications/templates
`;
