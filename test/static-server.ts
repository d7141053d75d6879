import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { onHead } from './on-head.ts';

export type StaticServer = {
  readonly url: string;
  /** One line for each request: path, status, and who asked. */
  readonly requests: string[];
  close(): Promise<void>;
};

type StaticOptions = {
  readonly root: string;
  /** The value of the Authorization header that is let in; left out: everybody is. */
  readonly authorization?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Answers what it returns true for, before a file is looked for. */
  readonly first?: (request: IncomingMessage, response: ServerResponse) => boolean;
};

/** The files of a folder over http or https, with entity tags. */
export async function staticServer(options: StaticOptions): Promise<StaticServer> {
  const requests: string[] = [];
  const onRequest: RequestListener = (request, response) => {
    const who = request.headers.authorization ?? 'nobody';
    onHead(response, (status) => requests.push(`${request.url} ${status} ${who}`));
    if (options.first?.(request, response)) return;
    if (options.authorization && who !== options.authorization) response.writeHead(401).end();
    else
      serve(options.root, request, response).catch(() => {
        response.writeHead(404).end();
      });
  };
  const { tls } = options;
  const server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function serve(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = join(root, normalize(decodeURIComponent(new URL(request.url ?? '', 'http://x').pathname)));
  const { size, mtimeMs } = await stat(path);
  const etag = `"${size}-${mtimeMs}"`;
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  response.writeHead(200, { etag, 'content-length': size });
  createReadStream(path).pipe(response);
}
