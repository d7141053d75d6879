import { type RowTable, readers, readersOnly, signedIn } from './row.ts';

export const settingsRows: RowTable = {
  'GET /api/v1/settings/plugins': { path: '/api/v1/settings/plugins', outcome: signedIn },
  'GET /api/v1/notifications/services': { path: '/api/v1/notifications/services', outcome: signedIn },
  'GET /api/v1/notifications/triggers': { path: '/api/v1/notifications/triggers', outcome: signedIn },
  'GET /api/v1/notifications/templates': { path: '/api/v1/notifications/templates', outcome: signedIn },
  'GET /api/v1/notifications/config': { path: '/api/v1/notifications/config', outcome: readersOnly },
  'GET /api/v1/notifications/deliveries': { path: '/api/v1/notifications/deliveries', outcome: signedIn },
  'GET /api/v1/applications/:name/notifications': {
    path: '/api/v1/applications/web/notifications',
    outcome: readers,
  },
};
