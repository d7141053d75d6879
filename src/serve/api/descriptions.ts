/** One line for each endpoint whose row in the table has none of its own. */
export const descriptions: Readonly<Record<string, string>> = {
  'POST /api/v1/session': 'Logs in with a local account; the token is returned and set as a cookie.',
  'DELETE /api/v1/session': 'Logs out: the token of the request is no longer valid.',
  'GET /api/v1/session/userinfo': 'The user of the session, with its groups.',
  'GET /api/version': 'The version; details for callers that are signed in.',
  'GET /api/v1/settings': 'The settings that a page needs; more of them for callers that are signed in.',
  'GET /api/v1/account': 'The local accounts that the caller may get, and its own.',
  'PUT /api/v1/account/password': 'Changes the password of an account; its sessions end.',
  'GET /api/v1/account/can-i/:resource/:action/*object': 'Whether the caller may do something: yes or no.',
  'GET /api/v1/account/:name': 'One local account, with the ids of its tokens.',
  'POST /api/v1/account/:name/token': 'Creates a token of an account; only this response has it.',
  'DELETE /api/v1/account/:name/token/:id': 'Revokes a token of an account.',
  'GET /api/v1/applications': 'The applications that the caller may get.',
  'POST /api/v1/applications': 'Creates an application, or replaces its spec with upsert.',
  'GET /api/v1/applications/:name': 'One application; with refresh only once it was compared again.',
  'PUT /api/v1/applications/:name': 'Replaces the spec, labels and annotations of an application.',
  'PUT /api/v1/applications/:name/spec': 'Replaces the spec of an application.',
  'PATCH /api/v1/applications/:name': 'Patches an application.',
  'DELETE /api/v1/applications/:name': 'Deletes an application, with its resources unless cascade is false.',
  'POST /api/v1/applications/:name/sync': 'Requests a sync; the controller runs it.',
  'POST /api/v1/applications/:name/rollback': 'Requests a sync to an entry of the history.',
  'DELETE /api/v1/applications/:name/operation': 'Ends the operation that is running.',
  'GET /api/v1/applications/:name/syncwindows': 'The sync windows of an application and their effect now.',
  'GET /api/v1/applications/:name/resource-tree': 'The resources of an application and what they own.',
  'GET /api/v1/applications/:name/managed-resources':
    'The resources of an application, target and live, with what differs.',
  'GET /api/v1/applications/:name/revisions/:revision/metadata': 'Author, date and message of a revision.',
  'GET /api/v1/applications/:name/revisions/:revision/chartdetails':
    'Description, home and maintainers of a chart.',
  'GET /api/v1/applications/:name/revisions/:revision/ocimetadata': 'The metadata of an artifact.',
  'GET /api/v1/applications/:name/manifests': 'The target manifests of an application at a revision.',
  'POST /api/v1/applications/manifestsWithFiles':
    'The target manifests rendered from files that the caller sends.',
  'GET /api/v1/applications/:name/server-side-diff':
    'The differences that the API server of the destination finds.',
  'POST /api/v1/applications/:name/compare':
    'The differences between the live resources and other manifests or revisions.',
  'GET /api/v1/applications/:name/links': 'The deep links of an application.',
  'GET /api/v1/applications/:name/resource/links': 'The deep links of one resource of an application.',
  'GET /api/v1/applications/:name/resource/actions': 'The actions that one resource offers.',
  'POST /api/v1/applications/:name/resource/actions': 'Runs an action on one resource.',
  'POST /api/v1/applications/:name/resource/actions/v2': 'Runs an action with parameters on one resource.',
  'GET /api/v1/applications/:name/resource':
    'The live manifest of one resource, without the values of Secrets.',
  'DELETE /api/v1/applications/:name/resource': 'Deletes one resource of an application.',
  'GET /api/v1/applications/:name/events':
    'The Kubernetes Events about an application or one of its resources.',
  'GET /api/v1/applications/:name/logs': 'The logs of the pods of an application, one line after another.',
  'GET /api/v1/applications/:name/pods/:pod/logs': 'The logs of one pod, one line after another.',
  'GET /api/v1/stream/applications': 'The applications that the caller may get, and then their changes.',
  'GET /api/v1/stream/applications/:name/resource-tree':
    'The resource tree of an application at each change.',
  'GET /api/v1/applicationsets': 'The ApplicationSets that the caller may get.',
  'POST /api/v1/applicationsets': 'Creates an ApplicationSet, or replaces it with upsert.',
  'POST /api/v1/applicationsets/generate': 'The applications that an ApplicationSet would generate.',
  'POST /api/v1/applicationsets/preview': 'What storing an ApplicationSet would create, update and delete.',
  'GET /api/v1/applicationsets/:name': 'One ApplicationSet.',
  'DELETE /api/v1/applicationsets/:name': 'Deletes an ApplicationSet.',
  'GET /api/v1/applicationsets/:name/resource-tree':
    'The applications of an ApplicationSet, with their health.',
  'GET /api/v1/applicationsets/:name/events': 'The Kubernetes Events about an ApplicationSet.',
  'GET /api/v1/stream/applicationsets':
    'The ApplicationSets that the caller may get, and then their changes.',
};
