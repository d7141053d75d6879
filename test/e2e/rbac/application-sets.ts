import { applicationSetOf } from '../tenants.ts';
import { adminOnly, type RowTable, readers, signedIn, syncers } from './row.ts';

const fleet = '/api/v1/applicationsets/fleet';
const set = applicationSetOf('fleet', 'shop', 'https://git.example/x');

export const applicationSetRows: RowTable = {
  'GET /api/v1/applicationsets': { path: '/api/v1/applicationsets', outcome: signedIn },
  'POST /api/v1/applicationsets': { path: '/api/v1/applicationsets', body: set, outcome: syncers },
  'POST /api/v1/applicationsets/generate': {
    path: '/api/v1/applicationsets/generate',
    body: { applicationSet: set },
    outcome: syncers,
  },
  'POST /api/v1/applicationsets/preview': {
    path: '/api/v1/applicationsets/preview',
    body: { applicationSet: set },
    outcome: syncers,
  },
  'GET /api/v1/applicationsets/:name': { path: fleet, outcome: readers },
  'GET /api/v1/applicationsets/:name/resource-tree': { path: `${fleet}/resource-tree`, outcome: readers },
  'GET /api/v1/applicationsets/:name/events': { path: `${fleet}/events`, outcome: readers },
  'GET /api/v1/stream/applicationsets': { path: '/api/v1/stream/applicationsets', outcome: signedIn },
  'DELETE /api/v1/applicationsets/:name': { path: fleet, outcome: adminOnly },
};
