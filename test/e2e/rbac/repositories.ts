import { adminOnly, type RowTable, readersOnly, signedIn } from './row.ts';

const one = '/api/v1/repositories/{REPO}';
const second = '/api/v1/repositories/{SECOND}';
const url = 'https://git.invalid/org';
const template = `/api/v1/repocreds/${encodeURIComponent(url)}`;
// compat server §2.8: to push with; they need no hydrator
const pushed = '/api/v1/write-repositories/{REPO}';
const pushedTemplate = `/api/v1/write-repocreds/${encodeURIComponent(url)}`;

const source = { repoURL: '{REPO}', path: 'web' };

export const repositoryRows: RowTable = {
  'GET /api/v1/repositories': { path: '/api/v1/repositories', outcome: signedIn },
  'POST /api/v1/repositories': {
    path: '/api/v1/repositories',
    body: { repo: '{SECOND}' },
    outcome: adminOnly,
  },
  'GET /api/v1/repositories/:repo': { path: one, outcome: readersOnly },
  'PUT /api/v1/repositories/:repo': { path: second, body: { repo: '{SECOND}' }, outcome: adminOnly },
  'POST /api/v1/repositories/:repo/validate': { path: `${one}/validate`, body: '{REPO}', outcome: adminOnly },
  'GET /api/v1/repositories/:repo/refs': { path: `${one}/refs`, outcome: readersOnly },
  'GET /api/v1/repositories/:repo/oci-tags': {
    path: '/api/v1/repositories/{ARTIFACT}/oci-tags',
    outcome: readersOnly,
  },
  'GET /api/v1/repositories/:repo/helmcharts': {
    path: '/api/v1/repositories/{CHARTS}/helmcharts',
    outcome: readersOnly,
  },
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
  'DELETE /api/v1/repositories/:repo': { path: second, outcome: adminOnly },
  'GET /api/v1/repocreds': { path: '/api/v1/repocreds', outcome: signedIn },
  'POST /api/v1/repocreds': { path: '/api/v1/repocreds', body: { url }, outcome: adminOnly },
  'PUT /api/v1/repocreds/:url': { path: template, body: { url }, outcome: adminOnly },
  'DELETE /api/v1/repocreds/:url': { path: template, outcome: adminOnly },
  'GET /api/v1/write-repositories': { path: '/api/v1/write-repositories', outcome: signedIn },
  'POST /api/v1/write-repositories': {
    path: '/api/v1/write-repositories',
    body: { repo: '{REPO}' },
    outcome: adminOnly,
  },
  'GET /api/v1/write-repositories/:repo': { path: pushed, outcome: readersOnly },
  'PUT /api/v1/write-repositories/:repo': { path: pushed, body: { repo: '{REPO}' }, outcome: adminOnly },
  'POST /api/v1/write-repositories/:repo/validate': {
    path: `${pushed}/validate`,
    body: '{REPO}',
    outcome: adminOnly,
  },
  'DELETE /api/v1/write-repositories/:repo': { path: pushed, outcome: adminOnly },
  'GET /api/v1/write-repocreds': { path: '/api/v1/write-repocreds', outcome: signedIn },
  'POST /api/v1/write-repocreds': { path: '/api/v1/write-repocreds', body: { url }, outcome: adminOnly },
  'PUT /api/v1/write-repocreds/:url': { path: pushedTemplate, body: { url }, outcome: adminOnly },
  'DELETE /api/v1/write-repocreds/:url': { path: pushedTemplate, outcome: adminOnly },
};
