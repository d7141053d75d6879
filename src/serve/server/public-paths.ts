import type { IncomingMessage, ServerResponse } from 'node:http';
import { FairleadError } from '#base/std';
import { badgeFor } from './badge/badge.ts';
import { refusalOf } from './errors.ts';
import type { MethodDeps } from './methods/deps.ts';

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** Serves what needs no session and is no method of the API (compat server §2.9). False: the path is another one. */
export function servePublic(
  deps: Pick<MethodDeps, 'apps' | 'world'>,
  path: string,
  { request, response }: Exchange,
): boolean {
  if (path !== '/api/badge') return false;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { 'content-type': 'text/plain', allow: 'GET, HEAD' }).end('Method Not Allowed\n');
    return true;
  }
  serveBadge(deps, request, response);
  return true;
}

/** Pages of other sites show it, with what it says now. */
function serveBadge(
  deps: Pick<MethodDeps, 'apps' | 'world'>,
  { url = '/' }: IncomingMessage,
  response: ServerResponse,
): void {
  try {
    const svg = badgeFor(deps, new URL(url, 'http://localhost').searchParams);
    response
      .writeHead(200, {
        'content-type': 'image/svg+xml',
        'cache-control': 'private, no-store',
        'access-control-allow-origin': '*',
        'content-security-policy': "default-src 'none'",
        'x-content-type-options': 'nosniff',
      })
      .end(svg);
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    const { status, body } = refusalOf(error);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}
