import { applicationOf } from '../tenants.ts';
import { adminOnly, type RowTable, readers, signedIn, syncers } from './row.ts';

const web = '/api/v1/applications/web';
const at = 'group=&kind=ConfigMap&namespace=web&resourceName=settings';
const action = { kind: 'ConfigMap', namespace: 'web', resourceName: 'settings', action: 'none' };

export const applicationRows: RowTable = {
  'GET /api/v1/applications': { path: '/api/v1/applications', outcome: signedIn },
  'POST /api/v1/applications': {
    path: '/api/v1/applications?validate=false',
    body: applicationOf('new', 'shop', 'https://git.example/x'),
    outcome: syncers,
  },
  'POST /api/v1/applications/preview': {
    path: '/api/v1/applications/preview',
    body: applicationOf('unborn', 'shop', ''), // refused for its spec, and only for callers that may store it
    outcome: syncers,
  },
  'GET /api/v1/applications/:name': { path: web, outcome: readers },
  'PUT /api/v1/applications/:name': {
    path: web,
    body: applicationOf('web', 'none', 'https://git.example/x'),
    outcome: adminOnly,
  },
  'PUT /api/v1/applications/:name/spec': {
    path: `${web}/spec`,
    body: { project: 'none' },
    outcome: adminOnly,
  },
  'PATCH /api/v1/applications/:name': { path: web, body: { patch: '[]' }, outcome: adminOnly },
  'DELETE /api/v1/applications/:name': { path: '/api/v1/applications/new', outcome: adminOnly },
  'POST /api/v1/applications/:name/sync': { path: `${web}/sync`, body: { dryRun: true }, outcome: syncers },
  'POST /api/v1/applications/:name/rollback': { path: `${web}/rollback`, body: { id: 99 }, outcome: syncers },
  'DELETE /api/v1/applications/:name/operation': { path: `${web}/operation`, outcome: syncers },
  'GET /api/v1/applications/:name/syncwindows': { path: `${web}/syncwindows`, outcome: readers },
  'GET /api/v1/applications/:name/resource-tree': { path: `${web}/resource-tree`, outcome: readers },
  'GET /api/v1/applications/:name/managed-resources': { path: `${web}/managed-resources`, outcome: readers },
  'GET /api/v1/applications/:name/revisions/:revision/metadata': {
    path: `${web}/revisions/HEAD/metadata`,
    outcome: readers,
  },
  'GET /api/v1/applications/:name/revisions/:revision/chartdetails': {
    path: `${web}/revisions/HEAD/chartdetails`,
    outcome: readers,
  },
  'GET /api/v1/applications/:name/revisions/:revision/ocimetadata': {
    path: `${web}/revisions/HEAD/ocimetadata`,
    outcome: readers,
  },
  'GET /api/v1/applications/:name/manifests': { path: `${web}/manifests`, outcome: readers },
  'POST /api/v1/applications/manifestsWithFiles': {
    path: '/api/v1/applications/manifestsWithFiles',
    body: { query: { name: 'web', checksum: '' } },
    outcome: readers,
  },
  'GET /api/v1/applications/:name/server-side-diff': { path: `${web}/server-side-diff`, outcome: readers },
  'POST /api/v1/applications/:name/compare': { path: `${web}/compare`, body: {}, outcome: readers },
  'GET /api/v1/applications/:name/links': { path: `${web}/links`, outcome: readers },
  'GET /api/v1/applications/:name/resource/links': { path: `${web}/resource/links?${at}`, outcome: readers },
  'GET /api/v1/applications/:name/resource/actions': {
    path: `${web}/resource/actions?${at}`,
    outcome: readers,
  },
  'POST /api/v1/applications/:name/resource/actions': {
    path: `${web}/resource/actions?${at}`,
    body: 'none',
    outcome: syncers,
  },
  'POST /api/v1/applications/:name/resource/actions/v2': {
    path: `${web}/resource/actions/v2`,
    body: action,
    outcome: syncers,
  },
  'GET /api/v1/applications/:name/resource': { path: `${web}/resource?${at}`, outcome: readers },
  'POST /api/v1/applications/:name/resource': {
    path: `${web}/resource?${at}`,
    body: '{}',
    outcome: adminOnly,
  },
  'DELETE /api/v1/applications/:name/resource': { path: `${web}/resource?${at}`, outcome: adminOnly },
  'GET /api/v1/applications/:name/events': { path: `${web}/events`, outcome: readers },
  // the role of the project has no logs, get
  'GET /api/v1/applications/:name/logs': { path: `${web}/logs`, outcome: '401 ok 403 403 ok' },
  'GET /api/v1/applications/:name/pods/:pod/logs': {
    path: `${web}/pods/none/logs`,
    outcome: '401 ok 403 403 ok',
  },
  'GET /api/v1/applications/:name/knative/traffic': { path: `${web}/knative/traffic`, outcome: readers },
  'POST /api/v1/applications/:name/knative/traffic/plan': {
    path: `${web}/knative/traffic/plan`,
    body: { action: 'promote' },
    outcome: adminOnly,
  },
  'POST /api/v1/applications/:name/knative/traffic': {
    path: `${web}/knative/traffic`,
    body: { action: 'promote' },
    outcome: adminOnly,
  },
  'DELETE /api/v1/applications/:name/knative/traffic': { path: `${web}/knative/traffic`, outcome: adminOnly },
  'GET /api/v1/stream/applications': { path: '/api/v1/stream/applications', outcome: signedIn },
  'GET /api/v1/stream/applications/:name/resource-tree': {
    path: '/api/v1/stream/applications/web/resource-tree',
    outcome: readers,
  },
};
