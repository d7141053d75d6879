import { projectOf } from '../tenants.ts';
import { adminOnly, type RowTable, readers, signedIn } from './row.ts';

const shop = '/api/v1/projects/shop';
const other = { project: { metadata: { name: 'extra' }, spec: {} } };

export const projectRows: RowTable = {
  'GET /api/v1/projects': { path: '/api/v1/projects', outcome: signedIn },
  'POST /api/v1/projects': { path: '/api/v1/projects', body: other, outcome: adminOnly },
  'GET /api/v1/projects/:name': { path: shop, outcome: readers },
  'PUT /api/v1/projects/:name': { path: shop, body: { project: projectOf('shop') }, outcome: adminOnly },
  // it has applications, so it stays: 400, after the permission was checked
  'DELETE /api/v1/projects/:name': { path: shop, outcome: '401 403 403 403 400' },
  'GET /api/v1/projects/:name/detailed': { path: `${shop}/detailed`, outcome: readers },
  'GET /api/v1/projects/:name/globalprojects': { path: `${shop}/globalprojects`, outcome: readers },
  'GET /api/v1/projects/:name/events': { path: `${shop}/events`, outcome: readers },
  'GET /api/v1/projects/:name/links': { path: `${shop}/links`, outcome: readers },
  'GET /api/v1/projects/:name/syncwindows': { path: `${shop}/syncwindows`, outcome: readers },
  'POST /api/v1/projects/:project/roles/:role/token': {
    path: '/api/v1/projects/shop/roles/dev/token',
    body: { id: 'row' },
    outcome: adminOnly,
  },
  'DELETE /api/v1/projects/:project/roles/:role/token/:iat': {
    path: '/api/v1/projects/shop/roles/dev/token/1?id=row',
    outcome: adminOnly,
  },
};
