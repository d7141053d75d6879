// The calls of the peer's public API (docs/contract/server.md §2.8 and §2.9), and why some of them are not answered.
import { build } from 'esbuild';

const crud = (at, id) => [
  `GET ${at}`,
  `POST ${at}`,
  `GET ${at}/${id}`,
  `PUT ${at}/${id}`,
  `DELETE ${at}/${id}`,
];
const below = (at, ...calls) => calls.map((call) => call.replace(' ', ` ${at}`));

const calls = [
  ...crud('/api/v1/applications', '{}'),
  ...below(
    '/api/v1/applications/{}',
    'PATCH ',
    'PUT /spec',
    'POST /sync',
    'POST /rollback',
    'DELETE /operation',
    'GET /syncwindows',
    'GET /events',
    'GET /manifests',
    'GET /managed-resources',
    'GET /server-side-diff',
    'GET /resource-tree',
    'GET /revisions/{}/metadata',
    'GET /revisions/{}/chartdetails',
    'GET /revisions/{}/ocimetadata',
    'GET /links',
    'GET /resource/links',
    'GET /resource',
    'POST /resource',
    'DELETE /resource',
    'GET /resource/actions',
    'POST /resource/actions',
    'POST /resource/actions/v2',
    'GET /pods/{}/logs',
    'GET /logs',
  ),
  'POST /api/v1/applications/manifestsWithFiles',
  'GET /api/v1/stream/applications',
  'GET /api/v1/stream/applications/{}/resource-tree',
  ...[
    'GET ',
    'POST ',
    'POST /generate',
    'GET /{}',
    'DELETE /{}',
    'GET /{}/resource-tree',
    'GET /{}/events',
  ].flatMap((call) => below('/api/v1/applicationsets', call)),
  'GET /api/v1/stream/applicationsets',
  ...crud('/api/v1/projects', '{}'),
  ...below(
    '/api/v1/projects/{}',
    'GET /detailed',
    'GET /globalprojects',
    'GET /events',
    'GET /syncwindows',
    'GET /links',
    'POST /roles/{}/token',
    'DELETE /roles/{}/token/{}',
  ),
  ...crud('/api/v1/clusters', '{}'),
  ...below('/api/v1/clusters/{}', 'POST /rotate-auth', 'POST /invalidate-cache'),
  ...crud('/api/v1/repositories', '{}'),
  ...below(
    '/api/v1/repositories/{}',
    'GET /refs',
    'GET /oci-tags',
    'GET /apps',
    'POST /appdetails',
    'GET /helmcharts',
    'POST /validate',
  ),
  ...crud('/api/v1/write-repositories', '{}'),
  'POST /api/v1/write-repositories/{}/validate',
  ...['/api/v1/repocreds', '/api/v1/write-repocreds'].flatMap((at) =>
    below(at, 'GET ', 'POST ', 'PUT /{}', 'DELETE /{}'),
  ),
  ...below('/api/v1/certificates', 'GET ', 'POST ', 'DELETE '),
  ...below('/api/v1/gpgkeys', 'GET ', 'GET /{}', 'POST ', 'DELETE '),
  ...below(
    '/api/v1/account',
    'GET ',
    'GET /{}',
    'PUT /password',
    'POST /{}/token',
    'DELETE /{}/token/{}',
    'GET /can-i/{}/{}/{}',
  ),
  ...below('/api/v1/session', 'POST ', 'DELETE ', 'GET /userinfo'),
  ...below('/api/v1/settings', 'GET ', 'GET /plugins'),
  'GET /api/version',
  ...below('/api/v1/notifications', 'GET /services', 'GET /triggers', 'GET /templates'),
];

/** Every call that is not answered has a reason here, and nothing else has one. */
const reasons = {};

/** The endpoints of the API, as `METHOD /path` with `{}` for each part that the caller fills in. */
async function answered() {
  const { outputFiles } = await build({
    entryPoints: ['src/serve/api/services.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  });
  const { services } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return new Set(
    Object.values(services).flatMap((service) =>
      Object.values(service).map(({ method, path }) => `${method} ${path.replace(/[:*][a-zA-Z]+/g, '{}')}`),
    ),
  );
}

/** The calls that are not answered, each with its reason. Throws where a reason is missing, or stands for nothing. */
export async function missingCalls() {
  const known = await answered();
  const missing = calls.filter((call) => !known.has(call));
  const unexplained = missing.filter((call) => !(call in reasons));
  if (unexplained.length > 0)
    throw new Error(`tools/peer-api.js has no reason for ${unexplained.join(', ')}`);
  const stale = Object.keys(reasons).filter((call) => !missing.includes(call));
  if (stale.length > 0)
    throw new Error(`tools/peer-api.js has a reason for what is answered: ${stale.join(', ')}`);
  return { all: calls.length, missing: missing.map((call) => ({ call, reason: reasons[call] })) };
}
