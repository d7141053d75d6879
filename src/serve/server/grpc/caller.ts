import { FairleadError } from '#base/std';
import { companionIn, cookieToken } from '../auth/cookies.ts';
import { isForeign } from '../rest/origin.ts';
import { bearerIn } from '../rest/request.ts';
import type { PresentedToken } from '../rest/run-route.ts';
import type { GrpcRequest } from './grpc-answer.ts';

/** compat server §4.2: the metadata `token`, else `Authorization: Bearer`, else the cookie. */
export function presentedIn(request: GrpcRequest): PresentedToken {
  const token = headerToken(request);
  if (token) return { token, companion: undefined };
  return { token: cookieToken(request), companion: companionIn(request.headers.cookie) };
}

function headerToken(request: GrpcRequest): string | undefined {
  const { token } = request.headers;
  return (typeof token === 'string' && token !== '' ? token : undefined) ?? bearerIn(request);
}

/** With its cookie a browser may call for our own pages only; no page of another site has the token. */
export function requireOwnCaller(request: GrpcRequest, origins: readonly string[]): void {
  if (headerToken(request)) return;
  const headers = { ...request.headers, host: hostOf(request) };
  if (isForeign({ method: 'POST', headers }, origins))
    throw new FairleadError('PermissionDenied', 'refused: a page of another site made the browser send this');
}

/** HTTP/2 has it under another name. */
export const hostOf = ({ headers }: GrpcRequest): string | undefined =>
  headers[':authority']?.toString() ?? headers.host;

const oldestClient = [1, 4, 0] as const;

/** compat server §3.4: clients of Argo CD before 1.4 speak another API. Throws PolicyFailed. */
export function requireSupportedClient({ headers }: GrpcRequest): void {
  const [, ...version] = /argocd-client\/v?(\d+)\.(\d+)\.(\d+)/.exec(headers['user-agent'] ?? '') ?? [];
  const differs = oldestClient.findIndex(
    (least, i) => version[i] !== undefined && Number(version[i]) !== least,
  );
  if (differs < 0 || Number(version[differs]) > (oldestClient[differs] ?? 0)) return;
  const text = `unsatisfied client version constraint: ${version.join('.')} is older than ${oldestClient.join('.')}`;
  throw new FairleadError('PolicyFailed', text);
}
