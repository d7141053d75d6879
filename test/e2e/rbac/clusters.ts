import { adminOnly, type RowTable, readersOnly, signedIn } from './row.ts';

const home = `/api/v1/clusters/${encodeURIComponent('https://kubernetes.default.svc')}`;
const second = '/api/v1/clusters/{CLUSTER}';
const tlsClientConfig = { caData: '{CLUSTER_CA}', certData: '{CLUSTER_CERT}', keyData: '{CLUSTER_KEY}' };

export const clusterRows: RowTable = {
  'GET /api/v1/clusters': { path: '/api/v1/clusters', outcome: signedIn },
  'POST /api/v1/clusters': {
    path: '/api/v1/clusters',
    body: { server: '{CLUSTER}', name: 'second', config: { tlsClientConfig } },
    outcome: adminOnly,
  },
  'GET /api/v1/clusters/:id': { path: home, outcome: readersOnly },
  'PUT /api/v1/clusters/:id': {
    path: `${second}?updatedFields=annotations`,
    body: { server: '{CLUSTER}', annotations: { note: 'x' } },
    outcome: adminOnly,
  },
  // a cluster with a client certificate has no token to rotate: 400, after the permission was checked
  'POST /api/v1/clusters/:id/rotate-auth': { path: `${second}/rotate-auth`, outcome: '401 403 403 403 400' },
  'POST /api/v1/clusters/:id/invalidate-cache': { path: `${second}/invalidate-cache`, outcome: adminOnly },
  'DELETE /api/v1/clusters/:id': { path: second, outcome: adminOnly },
};
