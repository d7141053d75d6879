import { adminOnly, type RowTable, readersOnly } from './row.ts';

const id = '/api/v1/gpgkeys/0123456789ABCDEF';

export const trustRows: RowTable = {
  'GET /api/v1/certificates': { path: '/api/v1/certificates', outcome: readersOnly },
  'POST /api/v1/certificates': { path: '/api/v1/certificates', body: { items: [] }, outcome: adminOnly },
  'DELETE /api/v1/certificates': { path: '/api/v1/certificates', outcome: adminOnly },
  'GET /api/v1/gpgkeys': { path: '/api/v1/gpgkeys', outcome: readersOnly },
  'POST /api/v1/gpgkeys': { path: '/api/v1/gpgkeys', body: {}, outcome: adminOnly },
  'GET /api/v1/gpgkeys/:keyID': { path: id, outcome: readersOnly },
  'DELETE /api/v1/gpgkeys': { path: '/api/v1/gpgkeys', outcome: adminOnly },
};
