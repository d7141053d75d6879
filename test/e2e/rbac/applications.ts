import { applicationOf } from '../tenants.ts';
import { adminOnly, type RowTable, readers, readersOnly, signedIn, syncers } from './row.ts';

const web = '/api/v1/applications/web';
const fn = '/api/v1/applications/fn';
const split = { action: 'split', targets: [{ revision: 'hello-v1', percent: 100 }] };
// Git declares no tag: it does not catch up with this override before the next row ends it
const overriding = { action: 'split', targets: [{ revision: 'hello-v1', percent: 100, tag: 'seen' }] };
const at = 'group=&kind=ConfigMap&namespace=web&resourceName=settings';
const action = { kind: 'ConfigMap', namespace: 'web', resourceName: 'settings', action: 'mark' };

const stored = (name: string) => {
  const { spec, ...app } = applicationOf(name, 'shop', '{REPO}');
  return { ...app, spec: { ...spec, source: { ...spec.source, path: 'web', targetRevision: 'main' } } };
};

export const applicationRows: RowTable = {
  'GET /api/v1/applications': { path: '/api/v1/applications', outcome: signedIn },
  'POST /api/v1/applications': {
    path: '/api/v1/applications?validate=false',
    body: applicationOf('new', 'shop', 'https://git.example/x'),
    outcome: syncers,
  },
  'POST /api/v1/applications/preview': {
    path: '/api/v1/applications/preview',
    body: stored('unborn'),
    outcome: syncers,
  },
  'GET /api/v1/applications/:name': { path: web, outcome: readers },
  'PUT /api/v1/applications/:name': {
    path: web,
    body: stored('web'),
    outcome: adminOnly,
  },
  'PUT /api/v1/applications/:name/spec': {
    path: `${web}/spec`,
    body: stored('web').spec,
    outcome: adminOnly,
  },
  'PATCH /api/v1/applications/:name': { path: web, body: { patch: '[]' }, outcome: adminOnly },
  'DELETE /api/v1/applications/:name': { path: '/api/v1/applications/new', outcome: adminOnly },
  'POST /api/v1/applications/:name/sync': {
    path: `${web}/sync`,
    body: { dryRun: true },
    outcome: syncers,
    whenIdle: 'web',
  },
  'POST /api/v1/applications/:name/rollback': {
    path: `${web}/rollback`,
    body: { id: 0 },
    outcome: syncers,
    whenIdle: 'web',
  },
  // nothing runs: 400, after the permission was checked
  'DELETE /api/v1/applications/:name/operation': {
    path: `${web}/operation`,
    outcome: '401 403 400 403 400',
    whenIdle: 'web',
  },
  'GET /api/v1/applications/:name/syncwindows': { path: `${web}/syncwindows`, outcome: readers },
  'GET /api/v1/applications/:name/resource-tree': { path: `${web}/resource-tree`, outcome: readers },
  'GET /api/v1/applications/:name/managed-resources': { path: `${web}/managed-resources`, outcome: readers },
  'GET /api/v1/applications/:name/revisions/:revision/metadata': {
    path: `${web}/revisions/{COMMIT}/metadata`,
    outcome: readers,
  },
  'GET /api/v1/applications/:name/revisions/:revision/chartdetails': {
    path: '/api/v1/applications/charted/revisions/1.0.0/chartdetails',
    outcome: readers,
  },
  'GET /api/v1/applications/:name/revisions/:revision/ocimetadata': {
    path: '/api/v1/applications/packed/revisions/{DIGEST}/ocimetadata',
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
    body: 'mark',
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
  'GET /api/v1/applications/:name/logs': { path: `${web}/logs`, outcome: readersOnly },
  'GET /api/v1/applications/:name/pods/:pod/logs': {
    path: `${web}/pods/one/logs`,
    outcome: readersOnly,
  },
  'GET /api/v1/applications/:name/knative/traffic': { path: `${fn}/knative/traffic`, outcome: readers },
  'POST /api/v1/applications/:name/knative/traffic/plan': {
    path: `${fn}/knative/traffic/plan`,
    body: split,
    outcome: adminOnly,
  },
  'POST /api/v1/applications/:name/knative/undo/plan': {
    path: `${fn}/knative/undo/plan`,
    body: { generation: 1 },
    outcome: adminOnly,
  },
  'POST /api/v1/applications/:name/knative/undo': {
    path: `${fn}/knative/undo`,
    body: { generation: 1 },
    outcome: adminOnly,
  },
  'POST /api/v1/applications/:name/knative/traffic': {
    path: `${fn}/knative/traffic`,
    body: { ...overriding, mode: 'override', reason: 'a test' },
    outcome: adminOnly,
  },
  'DELETE /api/v1/applications/:name/knative/traffic': { path: `${fn}/knative/traffic`, outcome: adminOnly },
  'GET /api/v1/stream/applications': { path: '/api/v1/stream/applications', outcome: signedIn },
  'GET /api/v1/stream/applications/:name/resource-tree': {
    path: '/api/v1/stream/applications/web/resource-tree',
    outcome: readers,
  },
};
