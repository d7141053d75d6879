import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Ctx, FairleadError, type Task } from '#std';
import type { MetricsPage } from './page.ts';

export type MetricsAddress = { readonly host: string; readonly port: number };

/**
 * `/metrics`, and `/healthz` for whoever asks whether we live. Listens now; serves until the task's ctx stops, or before
 * the task has begun the one given here.
 */
export async function listenMetrics(
  ctx: Ctx,
  page: Pick<MetricsPage, 'text' | 'contentType'>,
  { host, port }: MetricsAddress,
): Promise<{ readonly url: string; readonly run: Task }> {
  const http = createServer({ headersTimeout: 15_000, requestTimeout: 15_000 });
  const open = new Set<Promise<void>>();
  http.on('request', ({ url = '/', method }, response) => {
    const done = answer(ctx, page, { path: url.split('?')[0] ?? '/', method, response }).finally(() =>
      open.delete(done),
    );
    open.add(done);
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(inWords(error, host, port)));
    http.listen(port, host, () => resolve());
  });
  const close = (): void => {
    http.close();
    http.closeAllConnections();
  };
  ctx.signal.addEventListener('abort', close);
  const run: Task = async (inner) => {
    await new Promise<void>((resolve) => {
      if (inner.signal.aborted) resolve();
      else inner.signal.addEventListener('abort', () => resolve());
    });
    close();
    await Promise.all(open);
  };
  const { port: bound } = http.address() as AddressInfo;
  return { url: `http://${host}:${bound}/metrics`, run };
}

type Exchange = {
  readonly path: string;
  readonly method: string | undefined;
  readonly response: ServerResponse;
};

async function answer(
  ctx: Ctx,
  page: Pick<MetricsPage, 'text' | 'contentType'>,
  { path, method, response }: Exchange,
): Promise<void> {
  const plain = (status: number, text: string) =>
    response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
  if (method !== 'GET' && method !== 'HEAD') plain(405, 'Method Not Allowed');
  else if (path === '/healthz') plain(200, 'ok');
  else if (path !== '/metrics') plain(404, 'Not Found');
  else {
    try {
      const text = await page.text();
      response.writeHead(200, { 'content-type': page.contentType }).end(text);
    } catch (error) {
      ctx.log.error('metrics cannot be told', { error });
      plain(500, 'Internal Server Error');
    }
  }
}

function inWords(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code !== 'EADDRINUSE') return error;
  const fix = 'choose another --metrics-port';
  return new FairleadError('Unavailable', `${host}:${port} is in use by another program: ${fix}`, error);
}
