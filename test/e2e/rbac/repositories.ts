import { adminOnly, type RowTable, readersOnly, signedIn } from './row.ts';

/** A repository that is registered for all projects, and nowhere to be found. */
export const registered = 'https://git.invalid/shop';

const one = `/api/v1/repositories/${encodeURIComponent(registered)}`;
const template = `/api/v1/repocreds/${encodeURIComponent('https://git.invalid/absent')}`;
const off = '401 501 501 501 501';

const source = { repoURL: registered, path: '.' };

export const repositoryRows: RowTable = {
  'GET /api/v1/repositories': { path: '/api/v1/repositories', outcome: signedIn },
  'POST /api/v1/repositories': {
    path: '/api/v1/repositories',
    body: { repo: 'https://git.invalid/new' },
    outcome: adminOnly,
  },
  'GET /api/v1/repositories/:repo': { path: one, outcome: readersOnly },
  'PUT /api/v1/repositories/:repo': { path: one, body: { repo: registered }, outcome: adminOnly },
  'POST /api/v1/repositories/:repo/validate': { path: `${one}/validate`, body: '', outcome: adminOnly },
  'GET /api/v1/repositories/:repo/refs': { path: `${one}/refs`, outcome: readersOnly },
  'GET /api/v1/repositories/:repo/oci-tags': { path: `${one}/oci-tags`, outcome: readersOnly },
  'GET /api/v1/repositories/:repo/helmcharts': { path: `${one}/helmcharts`, outcome: readersOnly },
  // the reader may not create applications, the role of the project may not get repositories of all projects
  'GET /api/v1/repositories/:repo/apps': {
    path: `${one}/apps?appProject=shop&appName=new`,
    outcome: adminOnly,
  },
  'POST /api/v1/repositories/:repo/appdetails': {
    path: `${one}/appdetails`,
    body: { source, appProject: 'shop', appName: 'web' },
    outcome: adminOnly,
  },
  'DELETE /api/v1/repositories/:repo': { path: one, outcome: adminOnly },
  'GET /api/v1/repocreds': { path: '/api/v1/repocreds', outcome: signedIn },
  'POST /api/v1/repocreds': { path: '/api/v1/repocreds', body: { url: '' }, outcome: adminOnly },
  // absent and forbidden are the same
  'PUT /api/v1/repocreds/:url': { path: template, body: {}, outcome: '401 403 403 403 403' },
  'DELETE /api/v1/repocreds/:url': { path: template, outcome: '401 403 403 403 403' },
  'GET /api/v1/write-repositories': { path: '/api/v1/write-repositories', outcome: off },
  'POST /api/v1/write-repositories': {
    path: '/api/v1/write-repositories',
    body: { repo: registered },
    outcome: '401 403 403 403 501',
  },
  'GET /api/v1/write-repositories/:repo': { path: '/api/v1/write-repositories/x', outcome: off },
  'PUT /api/v1/write-repositories/:repo': { path: '/api/v1/write-repositories/x', body: {}, outcome: off },
  'DELETE /api/v1/write-repositories/:repo': { path: '/api/v1/write-repositories/x', outcome: off },
  'POST /api/v1/write-repositories/:repo/validate': {
    path: '/api/v1/write-repositories/x/validate',
    body: '',
    outcome: '401 403 403 403 501',
  },
  'GET /api/v1/write-repocreds': { path: '/api/v1/write-repocreds', outcome: off },
  'POST /api/v1/write-repocreds': {
    path: '/api/v1/write-repocreds',
    body: { url: registered },
    outcome: '401 403 403 403 501',
  },
  'PUT /api/v1/write-repocreds/:url': { path: '/api/v1/write-repocreds/x', body: {}, outcome: off },
  'DELETE /api/v1/write-repocreds/:url': { path: '/api/v1/write-repocreds/x', outcome: off },
};
