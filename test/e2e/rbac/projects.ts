import { adminOnly, type RowTable } from './row.ts';

export const projectRows: RowTable = {
  'POST /api/v1/projects/:project/roles/:role/token': {
    path: '/api/v1/projects/shop/roles/dev/token',
    body: {},
    outcome: adminOnly,
  },
  'DELETE /api/v1/projects/:project/roles/:role/token/:iat': {
    path: '/api/v1/projects/shop/roles/dev/token/1',
    outcome: adminOnly,
  },
};
