import { adminOnly, type RowTable, readersOnly, signedIn } from './row.ts';

const home = `/api/v1/clusters/${encodeURIComponent('https://kubernetes.default.svc')}`;
const nowhere = { server: 'https://cluster.invalid', config: {} };

export const clusterRows: RowTable = {
  'GET /api/v1/clusters': { path: '/api/v1/clusters', outcome: signedIn },
  'POST /api/v1/clusters': { path: '/api/v1/clusters', body: nowhere, outcome: adminOnly },
  'GET /api/v1/clusters/:id': { path: home, outcome: readersOnly },
  // the field does not exist, so nothing is written
  'PUT /api/v1/clusters/:id': { path: `${home}?updatedFields=x`, body: nowhere, outcome: adminOnly },
  // the cluster of the program itself cannot be deleted
  'DELETE /api/v1/clusters/:id': { path: home, outcome: adminOnly },
  'POST /api/v1/clusters/:id/rotate-auth': { path: `${home}/rotate-auth`, outcome: adminOnly },
  'POST /api/v1/clusters/:id/invalidate-cache': { path: `${home}/invalidate-cache`, outcome: adminOnly },
};
