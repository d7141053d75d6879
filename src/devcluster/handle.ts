import { FairleadError, printJson } from '#std';
import type { Core } from './core.ts';
import { Discovery } from './discovery.ts';
import { OpenApi } from './openapi.ts';
import { parseUrl } from './path.ts';
import type { ApiRequest, ApiResponse } from './request.ts';
import type { PodLogs } from './serve/pod-log.ts';
import { route } from './serve/route.ts';
import { internalError, StatusError } from './status.ts';
import { versionInfo } from './version.ts';

/** The whole API as one function. It never throws: what goes wrong is answered as a Status. */
export function createHandler(
  core: Core,
  podLogs: PodLogs | undefined,
): (request: ApiRequest) => Promise<ApiResponse> {
  const discovery = new Discovery(core.kinds);
  const openApi = new OpenApi(core.kinds);

  const answer = async (request: ApiRequest): Promise<ApiResponse> => {
    const { where, query } = parseUrl(request.path);
    if (where.at === 'resource')
      return (await route({ core, podLogs }, request, where.path, query)) ?? nowhere;
    const { segments } = where;
    const accept = request.headers.accept ?? '';
    switch (segments[0]) {
      case 'api':
      case 'apis':
        return discovery.answer(segments, request) ?? nowhere;
      case 'openapi':
        return openApi.answer(segments, accept) ?? nowhere;
      case 'version':
        return { status: 200, headers: { 'content-type': 'application/json' }, body: printJson(versionInfo) };
      case 'healthz':
      case 'livez':
      case 'readyz':
        return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'ok' };
      default:
        return nowhere;
    }
  };

  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      return refusal(core, error, request);
    }
  };
}

/** compat 2.9 */
const nowhere: ApiResponse = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: '404 page not found\n',
};

function refusal(core: Core, error: unknown, request: ApiRequest): ApiResponse {
  const { status } = error instanceof StatusError ? error : surprise(core, error, request);
  const retry = status.details?.retryAfterSeconds;
  return {
    status: status.code,
    headers: {
      'content-type': 'application/json',
      ...(retry !== undefined && { 'retry-after': String(retry) }),
    },
    body: `${printJson(status)}\n`,
  };
}

function surprise(core: Core, thrown: unknown, { method, path }: ApiRequest): StatusError {
  const error = FairleadError.from(thrown);
  core.log.error('the embedded cluster could not serve a request', { method, path, error });
  return internalError(error.message);
}
