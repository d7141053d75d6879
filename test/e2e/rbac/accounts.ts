import { adminOnly, everybody, type RowTable, readersOnly, signedIn } from './row.ts';

export const accountRows: RowTable = {
  'POST /api/v1/session': {
    path: '/api/v1/session',
    body: { username: 'admin', password: '{PASSWORD}' },
    outcome: everybody,
  },
  'DELETE /api/v1/session': { path: '/api/v1/session', outcome: everybody, withoutToken: true },
  'GET /api/v1/session/userinfo': { path: '/api/v1/session/userinfo', outcome: everybody },
  'GET /api/version': { path: '/api/version', outcome: everybody },
  'GET /api/v1/settings': { path: '/api/v1/settings', outcome: everybody },
  'GET /api/v1/account': { path: '/api/v1/account', outcome: signedIn },
  'PUT /api/v1/account/password': {
    path: '/api/v1/account/password',
    body: { name: 'jane', currentPassword: '{PASSWORD}', newPassword: 'a-long-password' },
    outcome: adminOnly,
  },
  'GET /api/v1/account/can-i/:resource/:action/*object': {
    path: '/api/v1/account/can-i/applications/get/shop/web',
    outcome: signedIn,
  },
  'GET /api/v1/account/:name': { path: '/api/v1/account/jane', outcome: readersOnly },
  'POST /api/v1/account/:name/token': {
    path: '/api/v1/account/jane/token',
    body: { id: 'row' },
    outcome: adminOnly,
  },
  'DELETE /api/v1/account/:name/token/:id': { path: '/api/v1/account/jane/token/row', outcome: adminOnly },
};
