import { FairleadError, parseJson, printJson } from '#base/std';
import { print } from '#lang/yaml';
import { wantsYaml } from './accept.ts';
import { issuer } from './access/account-tokens.ts';
import type { Core } from './core.ts';
import { ServedDiscovery } from './discovery.ts';
import { withFaults } from './faults/respond.ts';
import { OpenApi } from './openapi.ts';
import { parseUrl } from './path.ts';
import type { ServedRequest, ServedResponse } from './request.ts';
import { warningHeader } from './serve/answer.ts';
import type { PodLogs } from './serve/pod-log.ts';
import { route } from './serve/route.ts';
import { internalError, methodNotAllowed, StatusError } from './status.ts';
import { versionInfo } from './version.ts';

/** The whole API as one function. It never throws: errors are returned as a Status. */
export function createHandler(
  core: Core,
  podLogs: PodLogs | undefined,
): (request: ServedRequest) => Promise<ServedResponse> {
  const discovery = new ServedDiscovery(core.kinds);
  const openApi = new OpenApi(core.kinds);

  const answer = async (request: ServedRequest): Promise<ServedResponse> => {
    const url = parseUrl(request.path);
    const { where, query } = url;
    const user = core.access.admit(request, url);
    if (where.at === 'resource')
      return (await route({ core, podLogs, user }, request, where.path, query)) ?? nowhere;
    const { segments } = where;
    switch (segments[0]) {
      case 'api':
      case 'apis':
        return discovery.answer(segments, request) ?? nowhere;
      case 'openapi':
        return openApi.answer(segments, request) ?? nowhere;
      case 'openid':
      case '.well-known':
        return publishedKeys(core, segments.join('/')) ?? nowhere;
      case 'version':
        if (request.method !== 'GET') throw methodNotAllowed();
        return { status: 200, headers: { 'content-type': 'application/json' }, body: printJson(versionInfo) };
      case 'healthz':
      case 'livez':
      case 'readyz':
        return health(core, segments[0]);
      default:
        return nowhere;
    }
  };

  const inJson = async (request: ServedRequest) => {
    try {
      return await answer(request);
    } catch (error) {
      // a read that saw writes which the store then refused is repeated on the stored state
      if (core.state.failure && isRead(request))
        return answer(request).catch((second) => refusal(core, second, request));
      return refusal(core, error, request);
    }
  };
  const handle = async (request: ServedRequest) => {
    if (!wantsYaml(request.headers.accept)) return inJson(request);
    const { headers, signal } = request;
    return inYaml(await inJson({ ...request, signal, headers: { ...headers, accept: json } }));
  };
  return withFaults(handle, {
    faults: core.faults,
    clock: core.clock,
    nameOf: (request) => core.access.claimedName(request),
    refusal: refused,
  });
}

const json = 'application/json';

const isRead = ({ method }: ServedRequest): boolean => method === 'GET' || method === 'HEAD';

/** The message of kube-apiserver when etcd cannot be written; the reason is in the log. */
function health({ state }: Core, check: string): ServedResponse {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  if (!state.failure) return { status: 200, headers, body: 'ok' };
  const lines = ['[+]ping ok', '[+]log ok', '[-]etcd failed: reason withheld', `${check} check failed`];
  return {
    status: 500,
    headers: { ...headers, 'x-content-type-options': 'nosniff' },
    body: `${lines.join('\n')}\n`,
  };
}

/** compat cluster 3.19: the same response in YAML. A stream stays as it is. */
function inYaml(answer: ServedResponse): ServedResponse {
  const { body, headers } = answer;
  if (headers['content-type'] !== json || typeof body !== 'string') return answer;
  const type = { 'content-type': 'application/yaml' };
  return { ...answer, headers: { ...headers, ...type }, body: print(parseJson(body), { keys: 'sorted' }) };
}

/** compat cluster 3.18: the public keys with which others verify service account tokens. */
function publishedKeys({ access }: Core, path: string): ServedResponse | undefined {
  const answers: Readonly<Record<string, () => object>> = {
    'openid/v1/jwks': () => access.key.published(),
    '.well-known/openid-configuration': () => ({
      issuer,
      jwks_uri: `${issuer}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    }),
  };
  const answer = answers[path];
  return (
    answer && { status: 200, headers: { 'content-type': 'application/json' }, body: printJson(answer()) }
  );
}

/** compat cluster 2.9 */
const nowhere: ServedResponse = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: '404 page not found\n',
};

function refusal(core: Core, error: unknown, request: ServedRequest): ServedResponse {
  return refused(error instanceof StatusError ? error : surprise(core, error, request));
}

function refused({ status, warnings }: StatusError): ServedResponse {
  const retry = status.details?.retryAfterSeconds;
  return {
    status: status.code,
    headers: {
      'content-type': 'application/json',
      ...(retry !== undefined && { 'retry-after': String(retry) }),
      ...warningHeader(warnings),
    },
    body: `${printJson(status)}\n`,
  };
}

function surprise(core: Core, thrown: unknown, { method, path }: ServedRequest): StatusError {
  const error = FairleadError.from(thrown);
  core.log.error('the embedded cluster could not serve a request', { method, path, error });
  return internalError(error.message);
}
