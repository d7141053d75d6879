import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathOf } from './rest/request.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

/** React sets the properties of a style, which the policy does not concern; a style attribute or element would be blocked. */
const policy =
  "default-src 'self'; img-src 'self' data:; style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'";

export type StaticOptions = {
  /** The folder with the built web UI. */
  readonly folder: string;
  /** The path at which a browser sees the page: `/`, or `/argo-cd/`. */
  readonly basePath: string;
  /** The value of X-Frame-Options; empty: any page may embed ours. */
  readonly frameOptions: string;
};

/** compat server §2.1: sent with every page. Nothing is loaded from other origins, so none is allowed. */
function pageHeaders(frameOptions: string): Record<string, string> {
  // browsers that know frame-ancestors ignore the older header: both say the same
  const ancestors = { deny: "'none'", sameorigin: "'self'" }[frameOptions.toLowerCase()];
  return {
    ...(frameOptions && { 'x-frame-options': frameOptions }),
    'content-security-policy': ancestors ? `${policy}; frame-ancestors ${ancestors}` : policy,
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex, nofollow',
    'referrer-policy': 'same-origin',
  };
}

/** A file of the web UI; any other page that a browser requests is the application itself, which reads the URL. */
export async function serveStatic(
  { folder, basePath, frameOptions }: StaticOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { 'content-type': 'text/plain', allow: 'GET, HEAD' }).end('Method Not Allowed\n');
    return;
  }
  const page = join(folder, 'index.html');
  const file = await chosen(request, folder, page);
  if (file === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not Found\n');
    return;
  }
  const isHashed = /-[\w-]{8,}\.\w+$/.test(file);
  response.writeHead(200, {
    ...pageHeaders(frameOptions),
    'content-type': types[extname(file)] ?? 'application/octet-stream',
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  if (request.method === 'HEAD') response.end();
  else if (file === page) response.end(based(await readFile(page, 'utf8'), basePath));
  else await send(file, response);
}

const send = (file: string, response: ServerResponse): Promise<void> =>
  pipeline(createReadStream(file), response).catch(() => void response.destroy());

/** The page finds its files and the API below this path. */
const based = (html: string, basePath: string): string =>
  html
    .replace('data-base="/"', () => `data-base="${basePath}"`)
    .replaceAll(/(src|href)="\.\//g, (_, attribute: string) => `${attribute}="${basePath}`);

/** The file of a request, or the page; undefined when there is neither. */
async function chosen(request: IncomingMessage, folder: string, page: string): Promise<string | undefined> {
  const requested = fileIn(folder, request.url ?? '/');
  if (requested !== undefined && (await fileAt(requested))) return requested;
  return wantsPage(request) && (await fileAt(page)) ? page : undefined;
}

/** A URL of the application itself has no file extension; a missing file is not a page. */
function wantsPage({ url = '/', headers: { accept = '*/*' } }: IncomingMessage): boolean {
  return /text\/html|\*\/\*/.test(accept) && extname(pathOf(url)) === '';
}

/** The file of a URL, or undefined when there is none. Whatever the URL contains, the file is inside the folder. */
function fileIn(folder: string, url: string): string | undefined {
  try {
    const path = decodeURIComponent(pathOf(url));
    if (path.includes('\0')) return undefined;
    const file = resolve(folder, `.${sep}${path}`);
    return file.startsWith(`${resolve(folder)}${sep}`) ? file : undefined;
  } catch {
    return undefined; // a stray % matches no file
  }
}

async function fileAt(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
