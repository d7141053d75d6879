import type { ServerResponse } from 'node:http';
import { listenHttp } from '#http';
import type { Ctx, Task } from '#std';
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
  const { port: bound, run } = await listenHttp(ctx, {
    host,
    port,
    requestMs: 15_000,
    flags: { host: '--metrics-address', port: '--metrics-port' },
    serve: (inner, { url = '/', method }, response) =>
      answer(inner, page, { path: url.split('?')[0] ?? '/', method, response }),
  });
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
