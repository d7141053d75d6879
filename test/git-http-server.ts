import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export type GitHttpServer = {
  readonly url: string;
  /** One line for each request: method, path, and who asked. */
  readonly requests: string[];
  /** Answers the next requests with this status instead. */
  failNext(count: number, status: number): void;
  close(): Promise<void>;
};

export type GitHttpOptions = {
  /** The folder that holds the repositories. */
  readonly root: string;
  /** An address of the loopback network; left out: 127.0.0.1. */
  readonly address?: string;
  /** The value of the Authorization header that is let in; left out: everybody is. */
  readonly authorization?: string;
  readonly redirectTo?: string;
  /** The version of Git's protocol that is spoken, `version=1` or none; left out: the one that is asked for. */
  readonly speaks?: string;
  /** Speaks https with this certificate, and lets in only clients of `clientAuthority` where that is given. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientAuthority?: string };
  /** Answers what it returns true for, before git is asked; it may also decide later and `pass` it on. */
  readonly first?: (request: IncomingMessage, response: ServerResponse, pass: () => void) => boolean;
};

/** Git's own HTTP backend behind a real socket. */
export async function gitHttpServer(options: GitHttpOptions): Promise<GitHttpServer> {
  const requests: string[] = [];
  const failing = { left: 0, status: 500 };
  const { tls } = options;
  const onRequest: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'nobody'}`);
    if (failing.left > 0) {
      failing.left -= 1;
      response.writeHead(failing.status).end();
    } else if (options.redirectTo) {
      response.writeHead(302, { location: `${options.redirectTo}${request.url}` }).end();
    } else if (options.authorization && request.headers.authorization !== options.authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    } else {
      const pass = (): void => serve(options, request, response);
      if (!options.first?.(request, response, pass)) pass();
    }
  };
  const server = tls
    ? createTlsServer(
        {
          cert: tls.cert,
          key: tls.key,
          ...(tls.clientAuthority
            ? { ca: tls.clientAuthority, requestCert: true, rejectUnauthorized: true }
            : {}),
        },
        onRequest,
      )
    : createServer(onRequest);
  const { address = '127.0.0.1' } = options;
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://${address}:${port}`,
    requests,
    failNext(count, status) {
      failing.left = count;
      failing.status = status;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function serve({ root, speaks }: GitHttpOptions, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH ?? '',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_PROTOCOL: speaks ?? String(request.headers['git-protocol'] ?? ''),
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
      REMOTE_ADDR: '127.0.0.1',
    },
  });
  request.pipe(backend.stdin);
  backend.stdin.on('error', () => {});
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.on('close', () => {
    const whole = Buffer.concat(chunks);
    const end = whole.indexOf('\r\n\r\n');
    const headers = whole.subarray(0, Math.max(0, end)).toString().split('\r\n');
    let status = end < 0 ? 500 : 200;
    for (const header of headers) {
      const [name = '', value = ''] = header.split(/:\s*/, 2);
      if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
      else if (name) response.setHeader(name, value);
    }
    response.writeHead(status).end(whole.subarray(end + 4));
  });
}
