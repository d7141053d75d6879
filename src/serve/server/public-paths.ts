import type { IncomingMessage, ServerResponse } from 'node:http';
import { FairleadError } from '#base/std';
import { type KindSchemas, openApiDocument } from '#serve/api';
import { apiPage, apiPagePolicy } from './api-page.ts';
import { badgeFor } from './badge/badge.ts';
import { refusalOf } from './errors.ts';
import type { ListenerOptions } from './listener/listener-options.ts';
import type { MethodDeps } from './methods/deps.ts';

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** `kinds` reads the schemas of our kinds, `listener` says where a browser sees the root. */
type PublicDeps = Pick<MethodDeps, 'apps' | 'context'> & {
  kinds(): KindSchemas;
  readonly listener: { options(): Pick<ListenerOptions, 'basePath'> };
};
type Serve = (deps: PublicDeps, request: IncomingMessage, response: ServerResponse) => void;

/** Serves what needs no session and is no method of the API (compat server §2.9). False: the path is another one. */
export function servePublic(deps: PublicDeps, path: string, { request, response }: Exchange): boolean {
  const serve = Object.hasOwn(publicPaths, path) ? publicPaths[path] : insteadOf(path);
  if (!serve) return false;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { 'content-type': 'text/plain', allow: 'GET, HEAD' }).end('Method Not Allowed\n');
    return true;
  }
  serve(deps, request, response);
  return true;
}

/** Pages of other sites show it, with what it says now. */
function serveBadge(
  deps: Pick<MethodDeps, 'apps' | 'context'>,
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

/** compat server §2.1: no page of another site may frame them. */
const documentHeaders = {
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
};

/** compat server §1.3: a WebSocket, where terminals are on, and nothing where they are off. */
const refuseTerminal: Serve = ({ context }, _request, response) => {
  const isOn = context.settings().server.execEnabled;
  const text = isOn ? 'a terminal is a WebSocket' : 'Not Found';
  response.writeHead(isOn ? 400 : 404, { 'content-type': 'text/plain' }).end(`${text}\n`);
};

/** The document at a path never changes while the program runs. */
const documents = new Map<string, string>();

function documentAt(basePath: string, kinds: () => KindSchemas): string {
  const text = documents.get(basePath) ?? JSON.stringify(openApiDocument('v1', kinds(), basePath));
  documents.set(basePath, text);
  return text;
}

/** dev server §2.9: what the peer serves and Fairlead does not, with what takes its place. */
const replaced: readonly { readonly path: RegExp; readonly text: string }[] = [
  {
    path: /^\/download\/argocd-/,
    text: 'command lines are not served here: install fairlead, or the argocd command of Argo CD, which works unmodified (docs/guide/argocd-command.md)',
  },
  {
    path: /^\/extensions(\.js$|\/)/,
    text: 'there are no extensions of the page and no proxy for them: link to the other page with application.links in argocd-cm',
  },
  {
    path: /^\/api\/dex(\/|$)/,
    text: 'Dex is not part of Fairlead: name the identity provider itself in oidc.config of argocd-cm (docs/guide/single-sign-on.md)',
  },
];

function insteadOf(path: string): Serve | undefined {
  const text = replaced.find((one) => one.path.test(path))?.text;
  if (text === undefined) return undefined;
  return (_deps, _request, response) => {
    const { status, body } = refusalOf(new FairleadError('NotFound', text));
    if (path.startsWith('/api/'))
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    else response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
  };
}

const publicPaths: Readonly<Record<string, Serve>> = {
  '/terminal': refuseTerminal,
  '/api/badge': serveBadge,
  '/swagger.json': ({ kinds, listener }, _request, response) => {
    const text = documentAt(listener.options().basePath, kinds);
    response.writeHead(200, { ...documentHeaders, 'content-type': 'application/json' }).end(text);
  },
  '/swagger-ui': (_deps, _request, response) => {
    response
      .writeHead(200, {
        ...documentHeaders,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': apiPagePolicy,
      })
      .end(apiPage());
  },
};
